// RUN: titan-opt --titan-convert-aten-to-linalg --titan-verify-linalg %s | FileCheck %s

// CHECK-DAG: #[[$A:.+]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[$B:.+]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[$INPUT:.+]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d4, d3 * 2 + d5)>
// CHECK-DAG: #[[$WEIGHT:.+]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d2, d4, d5)>
// CHECK-DAG: #[[$OUT:.+]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>
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

// A window of three over an input with a zero at either end, every second
// place; four channels in two groups.
// CHECK-LABEL: func.func @convolves
func.func @convolves(%x: tensor<1x4x8xf32>, %w: tensor<6x2x3xf32>, %b: tensor<6xf32>) -> tensor<1x6x4xf32> {
  // CHECK: tensor.expand_shape %arg0 {{.*}} into tensor<1x2x2x8xf32>
  // CHECK: tensor.expand_shape %arg1 {{.*}} into tensor<2x3x2x3xf32>
  // CHECK: %[[PADDED:.+]] = tensor.insert_slice %{{.*}} into %{{.*}}[0, 0, 0, 1] [1, 2, 2, 8] [1, 1, 1, 1] : {{.*}} into tensor<1x2x2x10xf32>
  // CHECK: linalg.generic {indexing_maps = [#[[$INPUT]], #[[$WEIGHT]], #[[$OUT]]], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%[[PADDED]],
  // CHECK: tensor.collapse_shape {{.*}} into tensor<1x6x4xf32>
  // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %arg2 :
  %0 = aten.convolution %x, %w, %b, [2], [1], [1], false, [0], 2 : (tensor<1x4x8xf32>, tensor<6x2x3xf32>, tensor<6xf32>) -> tensor<1x6x4xf32>
  return %0 : tensor<1x6x4xf32>
}
