// RUN: titan-opt %s --split-input-file --verify-diagnostics

// Convolutions, pooling, padding and interpolation.

func.func @convolution_shape(%a: tensor<1x3x8x8xf32>, %b: tensor<4x3x3x3xf32>) {
  // expected-error @below {{expected the result to have shape [1, 4, 4, 4], found [1, 4, 8, 8]}}
  %0 = aten.convolution %a, %b, none, [2, 2], [1, 1], [1, 1], false, [0, 0], 1 : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @transposed_shape(%a: tensor<1x3x4x4xf32>, %b: tensor<3x5x2x2xf32>) {
  // expected-error @below {{expected the result to have shape [1, 5, 8, 8], found [1, 5, 4, 4]}}
  %0 = aten.convolution %a, %b, none, [2, 2], [0, 0], [1, 1], true, [0, 0], 1 : (tensor<1x3x4x4xf32>, tensor<3x5x2x2xf32>) -> tensor<1x5x4x4xf32>
  return
}

// -----

func.func @convolution_channels(%a: tensor<1x3x8xf32>, %b: tensor<4x3x3xf32>) {
  // expected-error @below {{expected 6 input channels, found 3}}
  %0 = aten.convolution %a, %b, none, [1], [0], [1], false, [0], 2 : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  return
}

// -----

func.func @convolution_bias(%a: tensor<1x3x8xf32>, %b: tensor<4x3x3xf32>, %c: tensor<3xf32>) {
  // expected-error @below {{expected 'bias' of shape [4], found 'tensor<3xf32>'}}
  %0 = aten.convolution %a, %b, %c, [1], [0], [1], false, [0], 1 : (tensor<1x3x8xf32>, tensor<4x3x3xf32>, tensor<3xf32>) -> tensor<1x4x6xf32>
  return
}

// -----

func.func @gradient_of_weight(%a: tensor<1x4x6xf32>, %b: tensor<1x3x8xf32>, %c: tensor<4x3x3xf32>) {
  // expected-error @below {{expected result 1 to have shape [4, 3, 3], found [4, 3, 8]}}
  %0:3 = aten.convolution_backward %a, %b, %c, none, [1], [0], [1], false, [0], 1, [true, true, false] : (tensor<1x4x6xf32>, tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> (tensor<1x3x8xf32>, tensor<4x3x8xf32>, !titan.unknown)
  return
}

// -----

func.func @pooling_shape(%a: tensor<1x3x8x6xf32>) {
  // expected-error @below {{expected result 1 to have shape [1, 3, 4, 3], found [1, 3, 4, 4]}}
  %0:2 = aten.max_pool2d_with_indices %a, [2, 2] : (tensor<1x3x8x6xf32>) -> (tensor<1x3x4x3xf32>, tensor<1x3x4x4xi64>)
  return
}

// -----

func.func @pooling_rounds_up(%a: tensor<1x3x7x7xf32>) {
  // expected-error @below {{expected the result to have shape [1, 3, 4, 4], found [1, 3, 3, 3]}}
  %0 = aten.avg_pool2d %a, [2, 2], [2, 2], [0, 0], true : (tensor<1x3x7x7xf32>) -> tensor<1x3x3x3xf32>
  return
}

// -----

func.func @adaptive_shape(%a: tensor<2x3x8x8xf32>) {
  // expected-error @below {{expected the result to have shape [2, 3, 1, 1], found [2, 3, 8, 8]}}
  %0 = aten._adaptive_avg_pool2d %a, [1, 1] : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  return
}

// -----

func.func @padding_shape(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected the result to have shape [2, 6], found [2, 5]}}
  %0 = aten.constant_pad_nd %a, [1, 2] : (tensor<2x3xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @padding_in_pairs(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected pairs of padding, found 1 numbers}}
  %0 = aten.constant_pad_nd %a, [1] : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @upsampling_shape(%a: tensor<1x2x2x3xf32>) {
  // expected-error @below {{expected the result to have shape [1, 2, 4, 6], found [1, 2, 4, 3]}}
  %0 = aten.upsample_nearest2d %a, [4, 6] : (tensor<1x2x2x3xf32>) -> tensor<1x2x4x3xf32>
  return
}

// -----

func.func @shuffle_shape(%a: tensor<1x8x2x2xf32>) {
  // expected-error @below {{expected the result to have shape [1, 2, 4, 4], found [1, 4, 4, 4]}}
  %0 = aten.pixel_shuffle %a, 2 : (tensor<1x8x2x2xf32>) -> tensor<1x4x4x4xf32>
  return
}
