// RUN: titan-opt %s --split-input-file --verify-diagnostics

// What the schema alone decides: each argument once, in a form that the
// parameter has.

func.func @needs_both_operands(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected 2 operands, but found 1}}
  %0 = "aten.mm"(%a) : (tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @needs_tensor_or_literal(%a: tensor<2xf32>) {
  // expected-error @below {{expected an argument for 'other'}}
  %0 = aten.add.Tensor %a : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @refuses_tensor_and_literal(%a: tensor<2xf32>, %b: tensor<2xf32>) {
  // expected-error @below {{expected 'other' as an operand or a literal, not both}}
  %0 = "aten.add.Tensor"(%a, %b) {static_other = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @needs_required_list(%a: tensor<2xf32>) {
  // expected-error @below {{expected an argument for 'size'}}
  %0 = "aten.view"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @needs_place_for_symbol(%a: tensor<2x3xf32>, %b: index) {
  // expected-error @below {{expected an operand for each of the 0 symbolic entries of 'size', found 1}}
  %0 = "aten.view"(%a, %b) {static_size = array<i64: 2, 3>} : (tensor<2x3xf32>, index) -> tensor<2x3xf32>
  return
}

// -----

func.func @needs_dtype(%a: tensor<2xf32>) {
  // expected-error @below {{expected an argument for 'dtype'}}
  %0 = "prims.convert_element_type"(%a) : (tensor<2xf32>) -> tensor<2xbf16>
  return
}

// -----

func.func @refuses_attribute_of_other_kind(%a: tensor<2xf32>) {
  // expected-error @below {{attribute 'dim' failed to satisfy constraint}}
  %0 = "aten.sum.dim_IntList"(%a) {dim = 1 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @needs_presence_of_each_index(%a: tensor<2x3xf32>, %b: tensor<2xi64>) {
  // expected-error @below {{expected an operand for each of the 2 present elements of 'indices', found 1}}
  %0 = "aten.index.Tensor"(%a, %b) {static_indices = array<i1: true, true>} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2xf32>
  return
}
