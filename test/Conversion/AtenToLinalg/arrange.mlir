// RUN: titan-opt --titan-convert-aten-to-linalg --titan-verify-linalg %s | FileCheck %s

// CHECK-DAG: #[[$FLIPPED:.+]] = affine_map<(d0, d1) -> (d0, -d1 + 5)>
// CHECK-DAG: #[[$INNER:.+]] = affine_map<(d0, d1, d2, d3) -> (d1, d3)>

// The parts of a split are slices, one after the other.
// CHECK-LABEL: func.func @splits
func.func @splits(%x: tensor<7x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<1x2xf32>) {
  // CHECK: tensor.extract_slice %arg0[0, 0] [3, 2] [1, 1]
  // CHECK: tensor.extract_slice %arg0[3, 0] [3, 2] [1, 1]
  // CHECK: tensor.extract_slice %arg0[6, 0] [1, 2] [1, 1]
  %0, %1, %2 = aten.split.Tensor %x, 3 : (tensor<7x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<1x2xf32>)
  return %0, %1, %2 : tensor<3x2xf32>, tensor<3x2xf32>, tensor<1x2xf32>
}

// The gradient of a slice stands among zeros.
// CHECK-LABEL: func.func @slice_gradient
func.func @slice_gradient(%g: tensor<4x2xf32>) -> tensor<4x6xf32> {
  // CHECK: %[[ZEROS:.+]] = linalg.fill {{.*}} -> tensor<4x6xf32>
  // CHECK: tensor.insert_slice %arg0 into %[[ZEROS]][0, 1] [4, 2] [1, 3]
  %0 = aten.slice_backward %g, [4, 6], 1, 1, 6, 3 : (tensor<4x2xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// Pairs count from the last dimension; a negative one cuts off.
// CHECK-LABEL: func.func @pads
func.func @pads(%x: tensor<4x6xf32>) -> tensor<5x6xf32> {
  // CHECK: %[[PART:.+]] = tensor.extract_slice %arg0[0, 2] [4, 4] [1, 1]
  // CHECK: tensor.insert_slice %[[PART]] into %{{.*}}[1, 0] [4, 4] [1, 1]
  %0 = aten.constant_pad_nd %x, [-2, 2, 1, 0], 5.0 : (tensor<4x6xf32>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}

// CHECK-LABEL: func.func @flips
func.func @flips(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // CHECK: linalg.generic {indexing_maps = [#[[$FLIPPED]], #{{.*}}]
  %0 = aten.flip %x, [-1] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @repeats
func.func @repeats(%x: tensor<2x3xf32>) -> tensor<4x9xf32> {
  // CHECK: linalg.generic {indexing_maps = [#[[$INNER]], #{{.*}} outs({{.*}} : tensor<2x2x3x3xf32>)
  // CHECK: tensor.collapse_shape {{.*}} into tensor<4x9xf32>
  %0 = aten.repeat %x, [2, 3] : (tensor<2x3xf32>) -> tensor<4x9xf32>
  return %0 : tensor<4x9xf32>
}

// The last two of five come first.
// CHECK-LABEL: func.func @rolls
func.func @rolls(%x: tensor<5xf32>) -> tensor<5xf32> {
  // CHECK: %[[LAST:.+]] = tensor.extract_slice %arg0[3] [2] [1]
  // CHECK: tensor.insert_slice %[[LAST]] into %{{.*}}[0] [2] [1]
  // CHECK: %[[FIRST:.+]] = tensor.extract_slice %arg0[0] [3] [1]
  // CHECK: tensor.insert_slice %[[FIRST]] into %{{.*}}[2] [3] [1]
  %0 = aten.roll %x, [2], [0] : (tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
