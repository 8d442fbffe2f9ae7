// One buffer, written in the forward and again in the backward.
// RUN: titan-opt %s --titan-partition=compat=pytorch | FileCheck %s
// RUN: titan-opt %s --titan-partition | FileCheck %s

// What the forward writes is saved, since the buffer will have changed when the
// backward asks for it; each write stands on its side and nowhere else.
// CHECK-LABEL: func.func @forward(
// CHECK: %fx = aten.sin %arg1
// CHECK: %first = aten.copy_ %arg0, %fx
// CHECK-NOT: aten.copy_
// CHECK: return
// CHECK-LABEL: func.func @backward(
// CHECK-NOT: aten.sin
// CHECK: %second = aten.copy_ %{{.*}}, %gt
// CHECK-NOT: aten.copy_
// CHECK: return
func.func @joint(%buf: tensor<4xf32> {titan.name = "buf", titan.role = #titan.role<buffer>},
                 %x: tensor<4xf32> {titan.name = "x", titan.role = #titan.role<input>},
                 %t: tensor<4xf32> {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (tensor<4xf32> {titan.name = "y"}, tensor<4xf32> {titan.name = "gx"})
    attributes {titan.joint = 1 : i64} {
  %fx = aten.sin %x {titan.names = ["fx"]} : (tensor<4xf32>) -> tensor<4xf32>
  %y = aten.mul.Tensor %fx, %fx {titan.names = ["y"]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %gt = aten.mul.Tensor %t, %fx {titan.names = ["gt"]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %gx = aten.mul.Tensor %gt, %x {titan.names = ["gx"]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %first = aten.copy_ %buf, %fx {titan.names = ["first"], titan.phase = #titan.phase<must_be_in_forward>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %second = aten.copy_ %buf, %gt {titan.names = ["second"], titan.phase = #titan.phase<must_be_in_backward>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y, %gx : tensor<4xf32>, tensor<4xf32>
}
