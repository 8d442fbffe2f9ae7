// RUN: titan-opt %s --split-input-file --verify-diagnostics

// Reductions, scans and orderings.

func.func @sum_drops_its_dimension(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected the result to have shape [2], found [3]}}
  %0 = aten.sum.dim_IntList %a, [1] : (tensor<2x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @sum_keeps_its_dimension(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected the result to have shape [2, 1], found [2]}}
  %0 = aten.sum.dim_IntList %a, [1], true : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @sum_of_all(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected the result to have shape [], found [2]}}
  %0 = aten.sum %a : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @sum_of_bools_counts(%a: tensor<2xi1>) {
  // expected-error @below {{expected the result to hold 'i64', found 'i1'}}
  %0 = aten.sum %a : (tensor<2xi1>) -> tensor<i1>
  return
}

// -----

func.func @sum_in_another_dtype(%a: tensor<2xbf16>) {
  // expected-error @below {{expected the result to hold 'f32', found 'bf16'}}
  %0 = aten.sum.dim_IntList %a, [0], dtype = f32 : (tensor<2xbf16>) -> tensor<bf16>
  return
}

// -----

func.func @dimension_exists(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected a dimension from -2 to 1, found 2}}
  %0 = aten.sum.dim_IntList %a, [2] : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @dimension_once(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected each dimension at most once, found -2 twice}}
  %0 = aten.mean.dim %a, [0, -2] : (tensor<2x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @mean_needs_floats(%a: tensor<2xi64>) {
  // expected-error @below {{expected a floating point or complex tensor, found one of 'i64'}}
  %0 = aten.mean %a : (tensor<2xi64>) -> tensor<i64>
  return
}

// -----

func.func @argmax_is_an_index(%a: tensor<2xf32>) {
  // expected-error @below {{expected the result to hold 'i64', found 'f32'}}
  %0 = aten.argmax %a : (tensor<2xf32>) -> tensor<f32>
  return
}

// -----

func.func @any_is_bool(%a: tensor<2xf32>) {
  // expected-error @below {{expected the result to hold 'i1', found 'f32'}}
  %0 = aten.any %a : (tensor<2xf32>) -> tensor<f32>
  return
}

// -----

func.func @max_has_values_and_indices(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected result 1 to hold 'i64', found 'f32'}}
  %0:2 = aten.max.dim %a, 0 : (tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @mean_beside_variance(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected result 1 to have shape [3], found [2]}}
  %0:2 = aten.var_mean.correction %a, [0] : (tensor<2x3xf32>) -> (tensor<3xf32>, tensor<2xf32>)
  return
}

// -----

func.func @cumsum_of_integers(%a: tensor<2xi32>) {
  // expected-error @below {{expected the result to hold 'i64', found 'i32'}}
  %0 = aten.cumsum %a, 0 : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @softmax_keeps_shape(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected the result to have shape [2, 3], found [2]}}
  %0 = aten._softmax %a, -1, false : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @softmax_in_single_precision(%a: tensor<2xf16>) {
  // expected-error @below {{expected the result to hold 'f32', found 'f16'}}
  %0 = aten._softmax %a, -1, true : (tensor<2xf16>) -> tensor<2xf16>
  return
}

// -----

func.func @gradient_of_softmax_fits(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) {
  // expected-error @below {{expected 'grad_output' of shape [3, 2] as 'output', found [2, 3]}}
  %0 = aten._softmax_backward_data %a, %b, 1, f32 : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @sort_has_indices(%a: tensor<2xf32>) {
  // expected-error @below {{expected result 1 to hold 'i64', found 'i32'}}
  %0:2 = aten.sort %a, 0 : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xi32>)
  return
}

// -----

func.func @topk_takes_what_is_there(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected at most 3 elements of dimension 1, found 4}}
  %0:2 = aten.topk %a, 4 : (tensor<2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xi64>)
  return
}
