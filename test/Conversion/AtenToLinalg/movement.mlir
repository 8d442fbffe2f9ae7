// RUN: titan-opt --titan-convert-aten-to-linalg %s | FileCheck %s

// CHECK-DAG: #[[$ID:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$SWAP:.+]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[$SPREAD:.+]] = affine_map<(d0, d1) -> (0, d1)>

// CHECK-LABEL: func.func @permutes_by_a_map
func.func @permutes_by_a_map(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
  // CHECK: linalg.generic {indexing_maps = [#[[$SWAP]], #[[$ID]]], {{.*}} outs(%{{.*}} : tensor<8x4xf32>)
  %0 = aten.permute %x, [-1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @expands_by_a_map
func.func @expands_by_a_map(%x: tensor<1x8xf32>) -> tensor<4x8xf32> {
  // CHECK: linalg.generic {indexing_maps = [#[[$SPREAD]], #[[$ID]]]
  %0 = aten.expand %x, [4, -1] : (tensor<1x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Shapes that do not factor go through one dimension.
// CHECK-LABEL: func.func @views
func.func @views(%x: tensor<4x6xf32>) -> (tensor<2x2x6xf32>, tensor<3x8xf32>) {
  // CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2]]
  %0 = aten.view %x, [2, 2, 6] : (tensor<4x6xf32>) -> tensor<2x2x6xf32>
  // CHECK: %[[FLAT:.+]] = tensor.collapse_shape %{{.*}} {{\[\[}}0, 1]] : tensor<4x6xf32> into tensor<24xf32>
  // CHECK: tensor.expand_shape %[[FLAT]] {{\[\[}}0, 1]] {{.*}} into tensor<3x8xf32>
  %1 = aten.view %x, [3, 8] : (tensor<4x6xf32>) -> tensor<3x8xf32>
  return %0, %1 : tensor<2x2x6xf32>, tensor<3x8xf32>
}

// A start that counts from the end, a step, an index from the end.
// CHECK-LABEL: func.func @slices
func.func @slices(%x: tensor<4x10xf32>) -> (tensor<4x2xf32>, tensor<10xf32>) {
  // CHECK: tensor.extract_slice %{{.*}}[0, 7] [4, 2] [1, 2]
  %0 = aten.slice.Tensor %x, 1, -3, 9223372036854775807, 2 : (tensor<4x10xf32>) -> tensor<4x2xf32>
  // CHECK: tensor.extract_slice %{{.*}}[3, 0] [1, 10] [1, 1] : tensor<4x10xf32> to tensor<10xf32>
  %1 = aten.select.int %x, 0, -1 : (tensor<4x10xf32>) -> tensor<10xf32>
  return %0, %1 : tensor<4x2xf32>, tensor<10xf32>
}

// CHECK-LABEL: func.func @concatenates
func.func @concatenates(%a: tensor<4x2xf32>, %b: tensor<4x3xf32>) -> tensor<4x5xf32> {
  // CHECK: %[[ONE:.+]] = tensor.insert_slice %{{.*}} into %{{.*}}[0, 0] [4, 2] [1, 1]
  // CHECK: tensor.insert_slice %{{.*}} into %[[ONE]][0, 2] [4, 3] [1, 1]
  %0 = aten.cat [%a, %b], -1 : (tensor<4x2xf32>, tensor<4x3xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}
