// RUN: titan-opt %s --titan-inductor-decomposition 2>/dev/null | FileCheck %s

// Views, tensors made from nothing, gradients of what picks elements.
module attributes {titan.device = "cuda:0"} {

// CHECK-LABEL: func @views(
func.func @views(%x: tensor<2x3x4xf32>, %w: tensor<4x5xf32>, %v: tensor<4xf32>)
    -> (tensor<5x4xf32>, tensor<4x3x2xf32>, tensor<6x4xf32>, tensor<24xf32>, tensor<4xf32>, tensor<4xf32>) attributes {titan.joint = 6} {
  // CHECK: %wt = aten.permute %arg1, [1, 0] {{.*}} -> tensor<5x4xf32>
  %0 = aten.t %w {titan.names = ["wt"]} : (tensor<4x5xf32>) -> tensor<5x4xf32>
  // CHECK: aten.permute %arg0, [2, 1, 0]
  %1 = aten.transpose.int %x, -1, 0 : (tensor<2x3x4xf32>) -> tensor<4x3x2xf32>
  // CHECK: aten.view %arg0, [6, 4]
  %2 = aten._unsafe_view %x, [6, 4] : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  // CHECK: aten.view %arg0, [-1]
  %3 = aten.reshape %x, [-1] : (tensor<2x3x4xf32>) -> tensor<24xf32>
  // CHECK: aten.alias %arg2
  %4 = aten.detach %v : (tensor<4xf32>) -> tensor<4xf32>
  // A vector is its own transpose: nothing to permute.
  // CHECK: aten.t %arg2
  %5 = aten.t %v : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<5x4xf32>, tensor<4x3x2xf32>, tensor<6x4xf32>, tensor<24xf32>, tensor<4xf32>, tensor<4xf32>
}

// A reshape of what does not lie in one piece may copy: it stays. Symbolic
// sizes are passed on.
// CHECK-LABEL: func @reshapes(
func.func @reshapes(%x: tensor<4x5xf32> {titan.layout = #titan.layout<strides = [1, 4]>}, %y: tensor<?x4xf32>, %n: index)
    -> (tensor<20xf32>, tensor<?xf32>) attributes {titan.joint = 2} {
  // CHECK: aten.reshape %arg0
  %0 = aten.reshape %x, [20] : (tensor<4x5xf32>) -> tensor<20xf32>
  // CHECK: aten.view %arg1, [%arg2]
  %1 = aten._unsafe_view %y, [%n] : (tensor<?x4xf32>, index) -> tensor<?xf32>
  return %0, %1 : tensor<20xf32>, tensor<?xf32>
}

// CHECK-LABEL: func @stack(
func.func @stack(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>) -> tensor<2x2x4xf32> attributes {titan.joint = 1} {
  // CHECK: %[[X:.*]] = aten.unsqueeze %arg0, 1 : (tensor<2x4xf32>) -> tensor<2x1x4xf32>
  // CHECK: %[[Y:.*]] = aten.unsqueeze %arg1, 1
  // CHECK: aten.cat [%[[X]], %[[Y]]], 1
  %0 = aten.stack [%x, %y], 1 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x2x4xf32>
  return %0 : tensor<2x2x4xf32>
}

// CHECK-LABEL: func @creations(
func.func @creations(%x: tensor<2x4xf32>, %y: tensor<?x4xf32>)
    -> (tensor<2x4xf32>, tensor<3xi64>, tensor<?x4xf32>, tensor<3xi64>, tensor<4xf32>) attributes {titan.joint = 5} {
  // CHECK: aten.full [2, 4], 1, dtype = f32, device = "cuda:0"
  %0 = aten.ones_like %x : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: aten.full [3], 0, dtype = i64, device = "cuda:0"
  %1 = aten.new_zeros %x, [3], dtype = i64 : (tensor<2x4xf32>) -> tensor<3xi64>
  // An unknown shape would have to be read first.
  // CHECK: aten.zeros_like %arg1
  %2 = aten.zeros_like %y : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: prims.iota 3, start = 1, step = 2, dtype = i64, device = "cuda:0", requires_grad = false
  %3 = aten.arange.start_step 1, 7, 2, dtype = i64 : () -> tensor<3xi64>
  // CHECK: aten.arange 4, dtype = f32
  %4 = aten.arange 4, dtype = f32 : () -> tensor<4xf32>
  return %0, %1, %2, %3, %4 : tensor<2x4xf32>, tensor<3xi64>, tensor<?x4xf32>, tensor<3xi64>, tensor<4xf32>
}

// CHECK-LABEL: func @picked(
func.func @picked(%g: tensor<2x8xf32>, %h: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) attributes {titan.joint = 2} {
  // CHECK: %[[Z:.*]] = aten.full [4, 8], 0, dtype = f32, device = "cuda:0"
  // CHECK: aten.slice_scatter %[[Z]], %arg0, 0, 1, 3, 1
  %0 = aten.slice_backward %g, [4, 8], 0, 1, 3, 1 : (tensor<2x8xf32>) -> tensor<4x8xf32>
  // CHECK: %[[Y:.*]] = aten.full [4, 8]
  // CHECK: aten.select_scatter %[[Y]], %arg1, 0, 1
  %1 = aten.select_backward %h, [4, 8], 0, 1 : (tensor<8xf32>) -> tensor<4x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// Rows out of range and the padding row get nothing; sums are f32.
// CHECK-LABEL: func @embedding(
func.func @embedding(%g: tensor<2x3x8xbf16>, %i: tensor<2x3xi64>) -> tensor<10x8xbf16> attributes {titan.joint = 1} {
  // CHECK: %[[GE:.*]] = aten.ge.Scalar %arg1, 0
  // CHECK: %[[LT:.*]] = aten.lt.Scalar %arg1, 10
  // CHECK: %[[A:.*]] = aten.bitwise_and.Tensor %[[GE]], %[[LT]]
  // CHECK: %[[NE:.*]] = aten.ne.Scalar %arg1, -1
  // CHECK: %[[M:.*]] = aten.bitwise_and.Tensor %[[A]], %[[NE]]
  // CHECK: %[[C:.*]] = aten.unsqueeze %[[M]], -1 : (tensor<2x3xi1>) -> tensor<2x3x1xi1>
  // CHECK: %[[W:.*]] = prims.convert_element_type %arg0, f32
  // CHECK: %[[Z:.*]] = aten.full [10, 8], 0, dtype = f32
  // CHECK: %[[S:.*]] = aten._unsafe_masked_index_put_accumulate %[[Z]], %[[C]], [%arg1], %[[W]]
  // CHECK: prims.convert_element_type %[[S]], bf16
  %0 = aten.embedding_dense_backward %g, %i, 10, -1, false : (tensor<2x3x8xbf16>, tensor<2x3xi64>) -> tensor<10x8xbf16>
  return %0 : tensor<10x8xbf16>
}
}
