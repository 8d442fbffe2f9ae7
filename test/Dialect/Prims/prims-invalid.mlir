// RUN: titan-opt %s --split-input-file --verify-diagnostics

// The small operators.

func.func @convert_keeps_shape(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected the result to have shape [2, 3], found [3, 2]}}
  %0 = prims.convert_element_type %a, bf16 : (tensor<2x3xf32>) -> tensor<3x2xbf16>
  return
}

// -----

func.func @convert_dtype(%a: tensor<2xf32>) {
  // expected-error @below {{expected the result to hold 'bf16', found 'f32'}}
  %0 = prims.convert_element_type %a, bf16 : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @broadcast_keeps_sizes(%a: tensor<2xf32>) {
  // expected-error @below {{expected size 2 in dimension 0 to stay, found 3}}
  %0 = prims.broadcast_in_dim %a, [3, 4], [0] : (tensor<2xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @broadcast_names_all(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected 2 broadcast dimensions, found 1}}
  %0 = prims.broadcast_in_dim %a, [2, 3], [0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_rises(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected rising broadcast dimensions below 2, found 0}}
  %0 = prims.broadcast_in_dim %a, [3, 2], [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @iota_length() {
  // expected-error @below {{expected the result to have shape [4], found [3]}}
  %0 = prims.iota 4, start = 0, step = 1, dtype = i64, device = "cpu", requires_grad = false : () -> tensor<3xi64>
  return
}

// -----

func.func @random_shape(%a: tensor<i64>) {
  // expected-error @below {{expected the result to have shape [2, 3], found [2]}}
  %0 = prims.inductor_random [2, 3], %a, "rand" : (tensor<i64>) -> tensor<2xf32>
  return
}

// -----

func.func @sum_shape(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected the result to have shape [3], found [2]}}
  %0 = prims.sum %a, [0] : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}
