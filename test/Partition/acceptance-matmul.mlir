// The acceptance graphs with matrix products and their tags: A8, A18, A19, A20,
// A11 is in unbounded.mlir.
// RUN: titan-opt %s --split-input-file --titan-partition=compat=pytorch | FileCheck %s
// RUN: titan-opt %s --split-input-file --titan-partition=compat=titan | FileCheck %s --check-prefix=TITAN

// A8: of W, W^T and W^TT, which weigh the same, the cut closest to the sink
// takes the last. Titan saves the weight itself, which costs no more.
// CHECK: func.func @backward(%{{[^,]*}}"x", {{[^,]*}}<saved>}, %{{[^,]*}}"permute_1", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
// TITAN: func.func @backward(%{{[^,]*}}"x", {{[^,]*}}<saved>}, %{{[^,]*}}"W", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
!m = tensor<4x4xf32>
func.func @a8(%x: !m {titan.name = "x", titan.role = #titan.role<input>},
              %w: !m {titan.name = "W", titan.role = #titan.role<input>},
              %t: !m {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!m, !m, !m) attributes {titan.joint = 1 : i64} {
  %wt = aten.permute %w, [1, 0] {titan.names = ["permute"]} : (!m) -> !m
  %y = aten.mm %x, %wt {titan.names = ["mm"]} : (!m, !m) -> !m
  %wtt = aten.permute %wt, [1, 0] {titan.names = ["permute_1"]} : (!m) -> !m
  %gx = aten.mm %t, %wtt {titan.names = ["mm_1"]} : (!m, !m) -> !m
  %tt = aten.permute %t, [1, 0] {titan.names = ["permute_2"]} : (!m) -> !m
  %gwt = aten.mm %tt, %x {titan.names = ["mm_2"]} : (!m, !m) -> !m
  return %y, %gx, %gwt : !m, !m, !m
}

// -----

// A20: checkpoint(sigmoid(mm(x, y))): one product in the forward, three in the
// backward, of which one is recomputed, and the sigmoid once more.
// CHECK: func.func @forward
// CHECK-COUNT-1: aten.mm
// CHECK-NOT: aten.mm
// CHECK: func.func @backward(%{{[^,]*}}"x", {{[^,]*}}<saved>}, %{{[^,]*}}"y", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
// CHECK: aten.mm
// CHECK: aten.sigmoid
// CHECK-COUNT-2: aten.mm
// CHECK-NOT: aten.mm
// CHECK: return
// TITAN: func.func @backward(%{{[^,]*}}"x", {{[^,]*}}<saved>}, %{{[^,]*}}"y", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
// TITAN: aten.mm
// TITAN: aten.sigmoid
// TITAN-COUNT-2: aten.mm
!m = tensor<4x4xf32>
func.func @a20(%x: !m {titan.name = "x", titan.role = #titan.role<input>},
               %y: !m {titan.name = "y", titan.role = #titan.role<input>},
               %t: !m {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!m, !m, !m) attributes {titan.joint = 1 : i64} {
  %a = aten.mm %x, %y {titan.names = ["mm"], titan.recompute = #titan.policy<prefer_recompute>, titan.ac_graph_id = 1 : i64} : (!m, !m) -> !m
  %s = aten.sigmoid %a {titan.names = ["sigmoid"], titan.recompute = #titan.policy<prefer_recompute>, titan.ac_graph_id = 1 : i64} : (!m) -> !m
  %g = aten.sigmoid_backward %t, %s : (!m, !m) -> !m
  %yt = aten.permute %y, [1, 0] : (!m) -> !m
  %gx = aten.mm %g, %yt : (!m, !m) -> !m
  %xt = aten.permute %x, [1, 0] : (!m) -> !m
  %gy = aten.mm %xt, %g : (!m, !m) -> !m
  return %s, %gx, %gy : !m, !m, !m
}

// -----

// A19: two checkpointed regions back to back: the tensor between them is saved,
// once.
// CHECK: func.func @backward(%{{[^,]*}}"x", {{[^,]*}}<saved>}, %{{[^,]*}}"sin", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
// TITAN: func.func @backward(%{{[^,]*}}"x", {{[^,]*}}<saved>}, %{{[^,]*}}"sin", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
!m = tensor<4x4xf32>
func.func @a19(%x: !m {titan.name = "x", titan.role = #titan.role<input>},
               %t: !m {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!m, !m) attributes {titan.joint = 1 : i64} {
  %a = aten.mm %x, %x {titan.names = ["mm"], titan.recompute = #titan.policy<prefer_recompute>, titan.ac_graph_id = 1 : i64} : (!m, !m) -> !m
  %s = aten.sin %a {titan.names = ["sin"], titan.recompute = #titan.policy<prefer_recompute>, titan.ac_graph_id = 1 : i64} : (!m) -> !m
  %b = aten.mm %s, %s {titan.names = ["mm_1"], titan.recompute = #titan.policy<prefer_recompute>, titan.ac_graph_id = 2 : i64} : (!m, !m) -> !m
  %y = aten.sin %b {titan.names = ["sin_1"], titan.recompute = #titan.policy<prefer_recompute>, titan.ac_graph_id = 2 : i64} : (!m) -> !m
  %cb = aten.cos %b : (!m) -> !m
  %gb = aten.mul.Tensor %t, %cb : (!m, !m) -> !m
  %st = aten.permute %s, [1, 0] : (!m) -> !m
  %gs = aten.mm %gb, %st : (!m, !m) -> !m
  %ca = aten.cos %a : (!m) -> !m
  %ga = aten.mul.Tensor %gs, %ca : (!m, !m) -> !m
  %xt = aten.permute %x, [1, 0] : (!m) -> !m
  %gx = aten.mm %ga, %xt : (!m, !m) -> !m
  return %y, %gx : !m, !m
}

// -----

// A18, untagged: the mask is saved, the dropout runs once.
// CHECK: func.func @forward
// CHECK: aten.native_dropout
// CHECK: func.func @backward(%{{[^,]*}}"mask", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
// CHECK-NOT: aten.native_dropout %
// TITAN: func.func @backward(%{{[^,]*}}"mask", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
!m = tensor<4x4xf32>
!b = tensor<4x4xi1>
func.func @a18(%x: !m {titan.name = "x", titan.role = #titan.role<input>},
               %t: !m {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!m, !m) attributes {titan.joint = 1 : i64} {
  %y, %mask = aten.native_dropout %x, 0.5, true {titan.names = ["y", "mask"], titan.tuple_name = "native_dropout"} : (!m) -> (!m, !b)
  %g = aten.native_dropout_backward %t, %mask, 2.0 : (!m, !b) -> !m
  return %y, %g : !m, !m
}
