// Two products with a relu between them, tagged by torchtitan's first apply_sac:
// one product is found before the first output and saved, what follows it up to
// there is recomputed.
// RUN: titan-opt %s --titan-apply-sac --titan-partition=compat=pytorch | FileCheck %s
// RUN: titan-opt %s --titan-apply-sac --titan-partition | FileCheck %s

// The forward hands on what the backward asks for: the inputs a and w2, and m1;
// m2 and the relu stay behind.
// CHECK-LABEL: func.func @forward(
// CHECK-SAME: titan.name = "a", titan.role = #titan.role<input>
// CHECK-SAME: titan.name = "w1", titan.role = #titan.role<param>
// CHECK-SAME: titan.name = "w2", titan.role = #titan.role<param>
// CHECK-NOT: tangent
// CHECK-SAME: -> (tensor<4x4xf32> {titan.name = "s", titan.role = #titan.role<output>}
// CHECK-SAME: titan.name = "a", titan.role = #titan.role<saved>
// CHECK-SAME: titan.name = "w2", titan.role = #titan.role<saved>
// CHECK-SAME: titan.name = "m1", titan.role = #titan.role<saved>
// CHECK-COUNT-2: aten.mm
// CHECK: return %s, %arg0, %arg2, %m1 :

// The relu runs again, and only when the product of the second weight is done:
// that one reads the tangent first.
// CHECK-LABEL: func.func @backward(
// CHECK-SAME: %arg0: tensor<4x4xf32> {titan.name = "a", titan.role = #titan.role<saved>}
// CHECK-SAME: %arg1: tensor<4x4xf32> {titan.name = "w2", titan.role = #titan.role<saved>}
// CHECK-SAME: %arg2: tensor<4x4xf32> {titan.name = "m1", titan.role = #titan.role<saved>}
// CHECK-SAME: %arg3: tensor<4x4xf32> {titan.name = "t", titan.role = #titan.role<tangent>}
// The gradient of a is None and keeps its place.
// CHECK-SAME: titan.result_positions = array<i64: 2, 3>
// CHECK-NEXT: %w2t = aten.t %arg1
// CHECK-NEXT: %g1 = aten.mm %arg3, %w2t
// CHECK-NEXT: %r = aten.relu %arg2
// CHECK-SAME: titan.recompute = #titan.policy<prefer_recompute>
// CHECK-NEXT: %rt = aten.t %r
// CHECK-NEXT: %gw2 = aten.mm %rt, %arg3
// CHECK-NEXT: %le = aten.le.Scalar %r, 0
// CHECK-NEXT: %g2 = aten.where.ScalarSelf %le, 0, %g1
// CHECK-NEXT: %at = aten.t %arg0
// CHECK-NEXT: %gw1 = aten.mm %at, %g2
// CHECK-NEXT: return %gw1, %gw2
func.func @joint(%a: tensor<4x4xf32> {titan.name = "a", titan.role = #titan.role<input>},
                 %w1: tensor<4x4xf32> {titan.name = "w1", titan.role = #titan.role<param>},
                 %w2: tensor<4x4xf32> {titan.name = "w2", titan.role = #titan.role<param>},
                 %t: tensor<4x4xf32> {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (tensor<4x4xf32> {titan.name = "s", titan.role = #titan.role<output>},
        tensor<4x4xf32> {titan.name = "gw1", titan.role = #titan.role<grad>},
        tensor<4x4xf32> {titan.name = "gw2", titan.role = #titan.role<grad>})
    attributes {titan.joint = 1 : i64, titan.result_positions = array<i64: 0, 2, 3>} {
  %m1 = aten.mm %a, %w1 {titan.names = ["m1"]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = aten.relu %m1 {titan.names = ["r"]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %m2 = aten.mm %r, %w2 {titan.names = ["m2"]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = aten.add.Tensor %m2, %a {titan.names = ["s"]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %w2t = aten.t %w2 {titan.names = ["w2t"]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %g1 = aten.mm %t, %w2t {titan.names = ["g1"]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %rt = aten.t %r {titan.names = ["rt"]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %gw2 = aten.mm %rt, %t {titan.names = ["gw2"]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %le = aten.le.Scalar %r, 0 {titan.names = ["le"]} : (tensor<4x4xf32>) -> tensor<4x4xi1>
  %g2 = aten.where.ScalarSelf %le, 0, %g1 {titan.names = ["g2"]} : (tensor<4x4xi1>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %at = aten.t %a {titan.names = ["at"]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %gw1 = aten.mm %at, %g2 {titan.names = ["gw1"]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %s, %gw1, %gw2 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
