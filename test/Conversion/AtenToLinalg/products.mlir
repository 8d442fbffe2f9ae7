// RUN: titan-opt --titan-convert-aten-to-linalg --titan-verify-linalg %s | FileCheck %s

// CHECK-DAG: #[[$A:.+]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[$B:.+]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[$C:.+]] = affine_map<(d0, d1, d2) -> (d0, d1)>

// bf16 is multiplied and summed in f32, and rounded at the end.
// CHECK-LABEL: func.func @multiplies
func.func @multiplies(%a: tensor<2x3xbf16>, %b: tensor<3x5xbf16>) -> tensor<2x5xbf16> {
  // CHECK: %[[P:.+]] = linalg.generic {indexing_maps = [#[[$A]], #[[$B]], #[[$C]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : {{.*}}) outs(%{{.*}} : tensor<2x5xf32>)
  // CHECK: arith.mulf %{{.*}} : f32
  // CHECK: linalg.generic {{.*}} ins(%[[P]] : tensor<2x5xf32>)
  // CHECK: arith.truncf %{{.*}} : f32 to bf16
  %0 = aten.mm %a, %b : (tensor<2x3xbf16>, tensor<3x5xbf16>) -> tensor<2x5xbf16>
  return %0 : tensor<2x5xbf16>
}

// A beta of zero reads nothing of the first operand.
// CHECK-LABEL: func.func @forgets_self
func.func @forgets_self(%x: tensor<5xf32>, %a: tensor<?x3xf32>, %b: tensor<3x5xf32>) -> tensor<?x5xf32> {
  // CHECK: %[[ROWS:.+]] = tensor.dim %arg1
  // CHECK: linalg.generic
  // CHECK: %[[P:.+]] = linalg.generic
  // CHECK-NOT: %arg0
  // CHECK: return
  %0 = aten.addmm %x, %a, %b, beta = 0, alpha = 2 : (tensor<5xf32>, tensor<?x3xf32>, tensor<3x5xf32>) -> tensor<?x5xf32>
  return %0 : tensor<?x5xf32>
}
