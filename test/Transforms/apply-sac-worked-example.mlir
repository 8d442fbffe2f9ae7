// RUN: titan-opt %s --titan-apply-sac 2>%t | FileCheck %s --check-prefixes=CHECK,STOP
// RUN: FileCheck %s --check-prefix=STOP-LOG --input-file=%t
// RUN: titan-opt %s --titan-apply-sac='stop=none' 2>%t | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: FileCheck %s --check-prefix=ALL-LOG --input-file=%t

// Two layers with their backward. The walk ends at s; without the stop the
// count goes on.
// STOP-LOG: (2 mm ops found, 1 saved)
// ALL-LOG: (5 mm ops found, 3 saved)
// CHECK-LABEL: func @two_products
func.func @two_products(%a: tensor<4x4xf32>, %w1: tensor<4x4xf32>, %w2: tensor<4x4xf32>,
                        %t: tensor<4x4xf32> {titan.role = #titan.role<tangent>})
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>)
    attributes {titan.joint = 1, titan.result_positions = array<i64: 0, 2, 3>} {
  // CHECK: %m1 = {{.*}}#titan.policy<must_save>
  %m1 = aten.mm %a, %w1 {titan.names = ["m1"]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: %r = {{.*}}#titan.policy<prefer_recompute>
  %r = aten.relu %m1 {titan.names = ["r"]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: %m2 = {{.*}}#titan.policy<prefer_recompute>
  %m2 = aten.mm %r, %w2 {titan.names = ["m2"]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: %s = {{.*}}#titan.policy<prefer_recompute>
  %s = aten.add.Tensor %m2, %a {titan.names = ["s"]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // STOP-NOT: titan.recompute
  // ALL: %w2t = {{.*}}#titan.policy<prefer_recompute>
  %w2t = aten.t %w2 {titan.names = ["w2t"]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // ALL: %g1 = {{.*}}#titan.policy<must_save>
  %g1 = aten.mm %t, %w2t {titan.names = ["g1"]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %rt = aten.t %r {titan.names = ["rt"]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // ALL: %gw2 = {{.*}}#titan.policy<prefer_recompute>
  %gw2 = aten.mm %rt, %t {titan.names = ["gw2"]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %le = aten.le.Scalar %r, 0 {titan.names = ["le"]} : (tensor<4x4xf32>) -> tensor<4x4xi1>
  %g2 = aten.where.self %le, 0.0, %g1 {titan.names = ["g2"]} : (tensor<4x4xi1>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %at = aten.t %a {titan.names = ["at"]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // ALL: %gw1 = {{.*}}#titan.policy<must_save>
  %gw1 = aten.mm %at, %g2 {titan.names = ["gw1"]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %s, %gw1, %gw2 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
