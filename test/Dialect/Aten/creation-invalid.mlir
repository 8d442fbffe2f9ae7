// RUN: titan-opt %s --split-input-file --verify-diagnostics

// Tensors from sizes, random tensors, and what the host reads.

func.func @full_shape() {
  // expected-error @below {{expected the result to have shape [2, 3], found [2]}}
  %0 = aten.full [2, 3], 1.0 : () -> tensor<2xf32>
  return
}

// -----

func.func @full_dtype() {
  // expected-error @below {{expected the result to hold 'bf16', found 'f32'}}
  %0 = aten.full [2], 1.0, dtype = bf16 : () -> tensor<2xf32>
  return
}

// -----

func.func @arange_length() {
  // expected-error @below {{expected the result to have shape [4], found [3]}}
  %0 = aten.arange.start_step 0, 10, 3 : () -> tensor<3xi64>
  return
}

// -----

func.func @arange_direction() {
  // expected-error @below {{expected a step from 0 towards 10, found -1}}
  %0 = aten.arange.start_step 0, 10, -1 : () -> tensor<10xi64>
  return
}

// -----

func.func @like_keeps_shape(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected the result to have shape [2, 3], found [3, 2]}}
  %0 = aten.zeros_like %a : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @new_keeps_dtype(%a: tensor<2xbf16>) {
  // expected-error @below {{expected the result to hold 'bf16', found 'f32'}}
  %0 = aten.new_zeros %a, [4] : (tensor<2xbf16>) -> tensor<4xf32>
  return
}

// -----

func.func @scalar_has_no_dimension() {
  // expected-error @below {{expected the result to have shape [], found [1]}}
  %0 = aten.scalar_tensor 1.0 : () -> tensor<1xf32>
  return
}

// -----

func.func @eye_shape() {
  // expected-error @below {{expected the result to have shape [2, 3], found [3, 2]}}
  %0 = aten.eye.m 2, 3 : () -> tensor<3x2xf32>
  return
}

// -----

func.func @dropout_mask(%a: tensor<2xf32>) {
  // expected-error @below {{expected result 1 to hold 'i1', found 'f32'}}
  %0:2 = aten.native_dropout %a, 0.5, true : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @dropout_probability(%a: tensor<2xf32>) {
  // expected-error @below {{expected a probability from 0 to 1, found 1.5}}
  %0:2 = aten.native_dropout %a, 1.5, true : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xi1>)
  return
}

// -----

func.func @random_shape() {
  // expected-error @below {{expected the result to have shape [2, 3], found [3, 2]}}
  %0 = aten.rand [2, 3] : () -> tensor<3x2xf32>
  return
}

// -----

func.func @size_is_an_index(%a: tensor<2xf32>) {
  // expected-error @below {{expected an index as the result, found 'f64'}}
  %0 = aten.sym_size.int %a, 0 : (tensor<2xf32>) -> f64
  return
}

// -----

func.func @size_of_a_dimension(%a: tensor<2xf32>) {
  // expected-error @below {{expected a dimension from -1 to 0, found 1}}
  %0 = aten.sym_size.int %a, 1 : (tensor<2xf32>) -> index
  return
}

// -----

func.func @item_of_one_element(%a: tensor<2xf32>) {
  // expected-error @below {{expected a tensor of one element, found 'tensor<2xf32>'}}
  %0 = aten._local_scalar_dense %a : (tensor<2xf32>) -> f64
  return
}
