// `--partitioner=none --recompute-in-place` and the pass alone do the same, and so
// does the option without the partitioner, whose default is none.
// RUN: titan-opt %s --partitioner=none --recompute-in-place --quiet -o %t.option.mlir
// RUN: titan-opt %s --recompute-in-place --quiet -o %t.default.mlir
// RUN: titan-opt %s --titan-recompute-in-place -o %t.pass.mlir
// RUN: diff %t.option.mlir %t.pass.mlir
// RUN: diff %t.option.mlir %t.default.mlir
// RUN: FileCheck %s --input-file=%t.option.mlir
// RUN: titan-opt %s --partitioner=none --recompute-in-place --quiet --report=%t.json -o %t.report.mlir
// RUN: grep "\"partition\": null" %t.json

// CHECK: func.func @joint
// CHECK: aten.mm
// CHECK: aten.sigmoid
// CHECK: aten.mm {{.*}}"mm_recomputed"
// CHECK: aten.sigmoid {{.*}}"sigmoid_recomputed"
// CHECK: aten.sigmoid_backward %{{.*}}, %sigmoid_recomputed
// CHECK-NOT: func.func @backward
!m = tensor<4x4xf32>
func.func @joint(%x: !m {titan.name = "x", titan.role = #titan.role<input>},
                 %y: !m {titan.name = "y", titan.role = #titan.role<input>},
                 %t: !m {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!m, !m) attributes {titan.joint = 1 : i64} {
  %a = aten.mm %x, %y {titan.names = ["mm"], titan.recompute = #titan.policy<prefer_recompute>, titan.ac_graph_id = 1 : i64} : (!m, !m) -> !m
  %s = aten.sigmoid %a {titan.names = ["sigmoid"], titan.recompute = #titan.policy<prefer_recompute>, titan.ac_graph_id = 1 : i64} : (!m) -> !m
  %g = aten.sigmoid_backward %t, %s {titan.names = ["g"], titan.phase = #titan.phase<backward>} : (!m, !m) -> !m
  return %s, %g : !m, !m
}
