// RUN: titan-opt %s --split-input-file --verify-diagnostics

// Element by element: shapes are broadcast, dtypes promoted.

func.func @unary_keeps_shape(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected the result to have shape [2, 3], found [3, 2]}}
  %0 = aten.relu %a : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @unary_keeps_dtype(%a: tensor<2xbf16>) {
  // expected-error @below {{expected the result to hold 'bf16', found 'f32'}}
  %0 = aten.neg %a : (tensor<2xbf16>) -> tensor<2xf32>
  return
}

// -----

func.func @exp_of_integers_floats(%a: tensor<2xi64>) {
  // expected-error @below {{expected the result to hold a floating point type, found 'i64'}}
  %0 = aten.exp %a : (tensor<2xi64>) -> tensor<2xi64>
  return
}

// -----

func.func @predicate_is_bool(%a: tensor<2xf32>) {
  // expected-error @below {{expected the result to hold 'i1', found 'f32'}}
  %0 = aten.isnan %a : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @abs_of_complex_is_real(%a: tensor<2xcomplex<f32>>) {
  // expected-error @below {{expected the result to hold 'f32', found 'complex<f32>'}}
  %0 = aten.abs %a : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @shapes_broadcast(%a: tensor<2x3xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{expected 'other' to be broadcast with shape [2, 3], found 'tensor<4xf32>'}}
  %0 = aten.add.Tensor %a, %b : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @result_is_broadcast(%a: tensor<2x1xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{expected the result to have shape [2, 3], found [2, 1]}}
  %0 = aten.mul.Tensor %a, %b : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x1xf32>
  return
}

// -----

func.func @dtypes_promote(%a: tensor<2xbf16>, %b: tensor<2xf16>) {
  // expected-error @below {{expected the result to hold 'f32', found 'bf16'}}
  %0 = aten.add.Tensor %a, %b : (tensor<2xbf16>, tensor<2xf16>) -> tensor<2xbf16>
  return
}

// -----

func.func @rank_0_does_not_promote_its_category(%a: tensor<2xbf16>, %b: tensor<f32>) {
  // expected-error @below {{expected the result to hold 'bf16', found 'f32'}}
  %0 = aten.mul.Tensor %a, %b : (tensor<2xbf16>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @number_does_not_widen_floats(%a: tensor<2xbf16>) {
  // expected-error @below {{expected the result to hold 'bf16', found 'f32'}}
  %0 = aten.mul.Tensor %a, 2.0 : (tensor<2xbf16>) -> tensor<2xf32>
  return
}

// -----

func.func @float_makes_integers_float(%a: tensor<2xi64>) {
  // expected-error @below {{expected the result to hold a floating point type, found 'i64'}}
  %0 = aten.add.Tensor %a, 0.5 : (tensor<2xi64>) -> tensor<2xi64>
  return
}

// -----

func.func @division_of_integers_is_true(%a: tensor<2xi64>, %b: tensor<2xi64>) {
  // expected-error @below {{expected the result to hold a floating point type, found 'i64'}}
  %0 = aten.div.Tensor %a, %b : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  return
}

// -----

func.func @rounding_mode_is_known(%a: tensor<2xf32>) {
  // expected-error @below {{expected a rounding mode of 'floor' or 'trunc', found 'up'}}
  %0 = aten.div.Tensor_mode %a, 2, rounding_mode = "up" : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @comparison_is_bool(%a: tensor<2xf32>) {
  // expected-error @below {{expected the result to hold 'i1', found 'f32'}}
  %0 = aten.lt.Scalar %a, 0 : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @bits_need_integers(%a: tensor<2xf32>, %b: tensor<2xf32>) {
  // expected-error @below {{expected 'self' to hold integers or bools, found 'f32'}}
  %0 = aten.bitwise_and.Tensor %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @condition_is_bool(%a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<2xf32>) {
  // expected-error @below {{expected 'condition' to hold bools, found 'f32'}}
  %0 = aten.where.self %a, %b, %c : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @mask_is_bool(%a: tensor<2xf32>, %b: tensor<2xi64>) {
  // expected-error @below {{expected 'mask' to hold bools, found 'i64'}}
  %0 = aten.masked_fill.Scalar %a, %b, 0 : (tensor<2xf32>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @cast_has_its_dtype(%a: tensor<2xf32>) {
  // expected-error @below {{expected the result to hold 'bf16', found 'f32'}}
  %0 = aten._to_copy %a, dtype = bf16 : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @clone_keeps_type(%a: tensor<2xf32>) {
  // expected-error @below {{expected the result to hold 'f32', found 'bf16'}}
  %0 = aten.clone %a : (tensor<2xf32>) -> tensor<2xbf16>
  return
}

// -----

func.func @copy_broadcasts_to_target(%a: tensor<2xf32>, %b: tensor<2x2xf32>) {
  // expected-error @below {{expected 'src' to be broadcast to shape [2], found 'tensor<2x2xf32>'}}
  %0 = aten.copy_ %a, %b : (tensor<2xf32>, tensor<2x2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @in_place_keeps_shape(%a: tensor<2xf32>, %b: tensor<2x2xf32>) {
  // expected-error @below {{expected operands to be broadcast to shape [2] of 'self', found [2, 2]}}
  %0 = aten.mul_.Tensor %a, %b : (tensor<2xf32>, tensor<2x2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @parts_of_complex_are_alike(%a: tensor<2xf32>, %b: tensor<2xf64>) {
  // expected-error @below {{expected 'real' and 'imag' to hold the same type, found 'f32' and 'f64'}}
  %0 = aten.complex %a, %b : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xcomplex<f32>>
  return
}

// -----

func.func @glu_halves(%a: tensor<3x2xf32>) {
  // expected-error @below {{expected dimension 0 to be even, found 'tensor<3x2xf32>'}}
  %0 = aten.glu %a, 0 : (tensor<3x2xf32>) -> tensor<1x2xf32>
  return
}

// -----

func.func @gradient_is_broadcast(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) {
  // expected-error @below {{expected 'self' to be broadcast with shape [2, 3], found 'tensor<3x2xf32>'}}
  %0 = aten.threshold_backward %a, %b, 0 : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x3xf32>
  return
}
