// RUN: titan-opt %s --split-input-file --verify-diagnostics

// Elements put together, picked by index and scattered.

func.func @cat_adds(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error @below {{expected the result to have shape [2, 7], found [2, 6]}}
  %0 = aten.cat [%a, %b], 1 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @cat_differs_once(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error @below {{expected tensors that differ in dimension 0 only, found 'tensor<2x3xf32>' and 'tensor<2x4xf32>'}}
  %0 = aten.cat [%a, %b] : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @stack_of_one_shape(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{expected tensors of one shape, found 'tensor<2xf32>' and 'tensor<3xf32>'}}
  %0 = aten.stack [%a, %b] : (tensor<2xf32>, tensor<3xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @repeat_shape(%a: tensor<3xf32>) {
  // expected-error @below {{expected the result to have shape [2, 6], found [2, 3]}}
  %0 = aten.repeat %a, [2, 2] : (tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @embedding_shape(%a: tensor<9x4xf32>, %b: tensor<2x3xi64>) {
  // expected-error @below {{expected the result to have shape [2, 3, 4], found [2, 3]}}
  %0 = aten.embedding %a, %b : (tensor<9x4xf32>, tensor<2x3xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @embedding_of_integers(%a: tensor<9x4xf32>, %b: tensor<2xf32>) {
  // expected-error @below {{expected 'indices' to hold integers, found 'f32'}}
  %0 = aten.embedding %a, %b : (tensor<9x4xf32>, tensor<2xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @embedding_gradient(%a: tensor<2x4xf32>, %b: tensor<2xi64>) {
  // expected-error @below {{expected the result to have shape [9, 4], found [8, 4]}}
  %0 = aten.embedding_dense_backward %a, %b, 9, -1, false : (tensor<2x4xf32>, tensor<2xi64>) -> tensor<8x4xf32>
  return
}

// -----

func.func @gather_shape(%a: tensor<2x3xf32>, %b: tensor<2x1xi64>) {
  // expected-error @below {{expected the result to have shape [2, 1], found [2, 3]}}
  %0 = aten.gather %a, 1, %b : (tensor<2x3xf32>, tensor<2x1xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_within(%a: tensor<2x3xf32>, %b: tensor<4x1xi64>) {
  // expected-error @below {{expected 'index' to be at most 2 in dimension 0, found 4}}
  %0 = aten.gather %a, 1, %b : (tensor<2x3xf32>, tensor<4x1xi64>) -> tensor<4x1xf32>
  return
}

// -----

func.func @gather_of_integers(%a: tensor<2x3xf32>, %b: tensor<2x1xf32>) {
  // expected-error @below {{expected 'index' to hold integers, found 'f32'}}
  %0 = aten.gather %a, 1, %b : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  return
}

// -----

func.func @scatter_ranks(%a: tensor<2x3xf32>, %b: tensor<2xi64>, %c: tensor<2xf32>) {
  // expected-error @below {{expected 'index' to have 2 dimensions as 'self', found 'tensor<2xi64>'}}
  %0 = aten.scatter.src %a, 1, %b, %c : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_dtype(%a: tensor<2xf32>, %b: tensor<2xi64>, %c: tensor<2xbf16>) {
  // expected-error @below {{expected 'src' to hold 'f32' as 'self', found 'bf16'}}
  %0 = aten.scatter_add %a, 0, %b, %c : (tensor<2xf32>, tensor<2xi64>, tensor<2xbf16>) -> tensor<2xf32>
  return
}

// -----

func.func @index_select_shape(%a: tensor<2x3xf32>, %b: tensor<4xi64>) {
  // expected-error @below {{expected the result to have shape [4, 3], found [2, 3]}}
  %0 = aten.index_select %a, 0, %b : (tensor<2x3xf32>, tensor<4xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @index_together(%a: tensor<2x3x4xf32>, %b: tensor<5xi64>) {
  // expected-error @below {{expected the result to have shape [2, 5, 4], found [5, 2, 4]}}
  %0 = aten.index.Tensor %a, [none, %b] : (tensor<2x3x4xf32>, tensor<5xi64>) -> tensor<5x2x4xf32>
  return
}

// -----

func.func @index_apart(%a: tensor<2x3x4xf32>, %b: tensor<5xi64>, %c: tensor<5xi64>) {
  // expected-error @below {{expected the result to have shape [5, 3], found [3, 5]}}
  %0 = aten.index.Tensor %a, [%b, none, %c] : (tensor<2x3x4xf32>, tensor<5xi64>, tensor<5xi64>) -> tensor<3x5xf32>
  return
}

// -----

func.func @indices_broadcast(%a: tensor<2x3xf32>, %b: tensor<4xi64>, %c: tensor<5xi64>) {
  // expected-error @below {{expected indices that broadcast, found [4] and 'tensor<5xi64>'}}
  %0 = aten.index.Tensor %a, [%b, %c] : (tensor<2x3xf32>, tensor<4xi64>, tensor<5xi64>) -> tensor<4xf32>
  return
}

// -----

func.func @index_put_values(%a: tensor<2x3xf32>, %b: tensor<4xi64>, %c: tensor<2x2xf32>) {
  // expected-error @below {{expected 'values' to be broadcast to shape [4, 3], found 'tensor<2x2xf32>'}}
  %0 = aten.index_put %a, [%b], %c : (tensor<2x3xf32>, tensor<4xi64>, tensor<2x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @slice_is_put_back(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error @below {{expected 'src' of shape [1, 3], found [2, 3]}}
  %0 = aten.slice_scatter %a, %b, 0, 0, 1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gradient_of_select(%a: tensor<3xf32>) {
  // expected-error @below {{expected the result to have shape [2, 3], found [3]}}
  %0 = aten.select_backward %a, [2, 3], 0, 1 : (tensor<3xf32>) -> tensor<3xf32>
  return
}
