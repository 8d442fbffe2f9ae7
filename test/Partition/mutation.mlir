// Writes to inputs, which end a joint function.
// RUN: titan-opt %s --split-input-file --titan-partition=compat=pytorch | FileCheck %s
// RUN: titan-opt %s --split-input-file --titan-partition=compat=titan | FileCheck %s

// A17: the source of the forward's write is saved, not computed again from what
// the write left there; each write stays on its side.
// CHECK-LABEL: func.func @forward
// CHECK: aten.copy_ %{{.*}}, %[[F:.*]] {
// CHECK-NOT: aten.copy_
// CHECK: func.func @backward(
// CHECK-SAME: "f", {{[^,]*}}<saved>}
// CHECK: aten.copy_
// CHECK-NOT: aten.copy_
!m = tensor<4x4xf32>
func.func @a17(%buf: !m {titan.name = "buf", titan.role = #titan.role<buffer>},
               %x: !m {titan.name = "x", titan.role = #titan.role<input>},
               %t: !m {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!m, !m) attributes {titan.joint = 1 : i64} {
  %f = aten.sin %buf {titan.names = ["f"]} : (!m) -> !m
  %y = aten.mul.Tensor %f, %x {titan.names = ["y"]} : (!m, !m) -> !m
  %g = aten.mul.Tensor %t, %f {titan.names = ["g"]} : (!m, !m) -> !m
  %w0 = aten.copy_ %buf, %f {titan.names = ["copy_"], titan.phase = #titan.phase<must_be_in_forward>} : (!m, !m) -> !m
  %w1 = aten.copy_ %buf, %g {titan.names = ["copy__1"], titan.phase = #titan.phase<must_be_in_backward>} : (!m, !m) -> !m
  return %y, %g : !m, !m
}
