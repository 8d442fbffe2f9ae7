// RUN: titan-opt %s --split-input-file --verify-diagnostics

// Views.

func.func @view_keeps_elements(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected a shape of 6 elements, found [4]}}
  %0 = aten.view %a, [4] : (tensor<2x3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @view_infers_a_size(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected the result to have shape [3, 2], found [2, 2]}}
  %0 = aten.view %a, [-1, 2] : (tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @view_divides(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected a multiple of 4 elements, found 6 in 'tensor<2x3xf32>'}}
  %0 = aten.view %a, [-1, 4] : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @view_infers_once(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected at most one size to be inferred, found [-1, -1]}}
  %0 = aten.view %a, [-1, -1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @permute_shape(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected the result to have shape [3, 2], found [2, 3]}}
  %0 = aten.permute %a, [1, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @permute_names_all(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected 2 dimensions, found 1}}
  %0 = aten.permute %a, [1] : (tensor<2x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @permute_names_once(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected each dimension once, found -1 twice}}
  %0 = aten.permute %a, [1, -1] : (tensor<2x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @transpose_shape(%a: tensor<2x3x4xf32>) {
  // expected-error @below {{expected the result to have shape [4, 3, 2], found [3, 2, 4]}}
  %0 = aten.transpose.int %a, 0, 2 : (tensor<2x3x4xf32>) -> tensor<3x2x4xf32>
  return
}

// -----

func.func @t_of_a_matrix(%a: tensor<2x3x4xf32>) {
  // expected-error @below {{expected a tensor of at most 2 dimensions, found 'tensor<2x3x4xf32>'}}
  %0 = aten.t %a : (tensor<2x3x4xf32>) -> tensor<4x3x2xf32>
  return
}

// -----

func.func @expand_repeats_ones(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected size 2 of dimension 0 to stay, found 4}}
  %0 = aten.expand %a, [4, 3] : (tensor<2x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @expand_adds_in_front(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected at least 2 sizes, found 1}}
  %0 = aten.expand %a, [3] : (tensor<2x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @unsqueeze_shape(%a: tensor<2xf32>) {
  // expected-error @below {{expected the result to have shape [2, 1], found [1, 2]}}
  %0 = aten.unsqueeze %a, -1 : (tensor<2xf32>) -> tensor<1x2xf32>
  return
}

// -----

func.func @squeeze_of_one(%a: tensor<2x1xf32>) {
  // expected-error @below {{expected the result to have shape [2, 1], found [1]}}
  %0 = aten.squeeze.dim %a, 0 : (tensor<2x1xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @squeeze_of_all(%a: tensor<1x2x1xf32>) {
  // expected-error @below {{expected the result to have shape [2], found [1, 2]}}
  %0 = aten.squeeze %a : (tensor<1x2x1xf32>) -> tensor<1x2xf32>
  return
}

// -----

func.func @alias_keeps_type(%a: tensor<2xf32>) {
  // expected-error @below {{expected the result to have shape [2], found [3]}}
  %0 = aten.alias %a : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @bytes_of_view(%a: tensor<3xf32>) {
  // expected-error @below {{expected the bytes of the last dimension to divide by 8, found 12}}
  %0 = aten.view.dtype %a, f64 : (tensor<3xf32>) -> tensor<1xf64>
  return
}

// -----

func.func @complex_has_two_parts(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected a floating point tensor whose last dimension is 2, found 'tensor<2x3xf32>'}}
  %0 = aten.view_as_complex %a : (tensor<2x3xf32>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @real_of_complex(%a: tensor<2xf32>) {
  // expected-error @below {{expected a complex tensor, found 'tensor<2xf32>'}}
  %0 = aten.view_as_real %a : (tensor<2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @select_drops(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected the result to have shape [3], found [2]}}
  %0 = aten.select.int %a, 0, 1 : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @select_inside(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected an index from -2 to 1, found 2}}
  %0 = aten.select.int %a, 0, 2 : (tensor<2x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @slice_length(%a: tensor<2x6xf32>) {
  // expected-error @below {{expected the result to have shape [2, 3], found [2, 5]}}
  %0 = aten.slice.Tensor %a, 1, 1, 9223372036854775807, 2 : (tensor<2x6xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @slice_step(%a: tensor<2x6xf32>) {
  // expected-error @below {{expected a positive step, found 0}}
  %0 = aten.slice.Tensor %a, 1, 0, 2, 0 : (tensor<2x6xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @diagonal_length(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected the result to have shape [2], found [3]}}
  %0 = aten.diagonal %a, 1 : (tensor<2x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @stride_for_each_size(%a: tensor<6xf32>) {
  // expected-error @below {{expected a stride for each of the 2 sizes, found 1}}
  %0 = aten.as_strided %a, [2, 3], [1] : (tensor<6xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @split_sizes(%a: tensor<5xf32>) {
  // expected-error @below {{expected result 2 to have shape [1], found [2]}}
  %0:3 = aten.split.Tensor %a, 2 : (tensor<5xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @split_results(%a: tensor<5xf32>) {
  // expected-error @below {{expected at most 2 results, found 3}}
  %0:3 = aten.split.Tensor %a, 3 : (tensor<5xf32>) -> (tensor<3xf32>, tensor<2xf32>, tensor<1xf32>)
  return
}

// -----

func.func @split_adds_up(%a: tensor<5xf32>) {
  // expected-error @below {{expected split sizes that add up to 5, found 4}}
  %0:2 = aten.split_with_sizes %a, [2, 2] : (tensor<5xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @unbind_results(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected result 1 to have shape [3], found [2]}}
  %0:2 = aten.unbind.int %a : (tensor<2x3xf32>) -> (tensor<3xf32>, tensor<2xf32>)
  return
}
