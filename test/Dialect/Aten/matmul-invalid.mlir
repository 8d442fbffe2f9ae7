// RUN: titan-opt %s --split-input-file --verify-diagnostics

// Matrix products.

func.func @mm_inner_dimensions(%a: tensor<2x3xf32>, %b: tensor<4x5xf32>) {
  // expected-error @below {{expected the inner dimensions of 'self' and 'mat2' to be the same, found 3 and 4}}
  %0 = aten.mm %a, %b : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @mm_shape(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>) {
  // expected-error @below {{expected the result to have shape [2, 5], found [5, 2]}}
  %0 = aten.mm %a, %b : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<5x2xf32>
  return
}

// -----

func.func @mm_rank(%a: tensor<2x2x3xf32>, %b: tensor<3x5xf32>) {
  // expected-error @below {{expected 'self' to have 2 dimensions, found 'tensor<2x2x3xf32>'}}
  %0 = aten.mm %a, %b : (tensor<2x2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @mm_dtypes(%a: tensor<2x3xbf16>, %b: tensor<3x5xf32>) {
  // expected-error @below {{expected 'self' and 'mat2' to hold the same type, found 'bf16' and 'f32'}}
  %0 = aten.mm %a, %b : (tensor<2x3xbf16>, tensor<3x5xf32>) -> tensor<2x5xbf16>
  return
}

// -----

func.func @mm_result_dtype(%a: tensor<2x3xbf16>, %b: tensor<3x5xbf16>) {
  // expected-error @below {{expected the result to hold 'bf16', found 'f32'}}
  %0 = aten.mm %a, %b : (tensor<2x3xbf16>, tensor<3x5xbf16>) -> tensor<2x5xf32>
  return
}

// -----

func.func @bmm_batches(%a: tensor<2x2x3xf32>, %b: tensor<4x3x5xf32>) {
  // expected-error @below {{expected the batches of 'self' and 'mat2' to be the same, found 2 and 4}}
  %0 = aten.bmm %a, %b : (tensor<2x2x3xf32>, tensor<4x3x5xf32>) -> tensor<2x2x5xf32>
  return
}

// -----

func.func @addmm_bias(%a: tensor<4xf32>, %b: tensor<2x3xf32>, %c: tensor<3x5xf32>) {
  // expected-error @below {{expected 'self' to be broadcast to shape [2, 5], found 'tensor<4xf32>'}}
  %0 = aten.addmm %a, %b, %c : (tensor<4xf32>, tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @baddbmm_shape(%a: tensor<1xf32>, %b: tensor<2x2x3xf32>, %c: tensor<2x3x5xf32>) {
  // expected-error @below {{expected the result to have shape [2, 2, 5], found [2, 5, 2]}}
  %0 = aten.baddbmm %a, %b, %c : (tensor<1xf32>, tensor<2x2x3xf32>, tensor<2x3x5xf32>) -> tensor<2x5x2xf32>
  return
}

// -----

func.func @mv_vector(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  // expected-error @below {{expected the inner dimensions of 'self' and 'vec' to be the same, found 3 and 2}}
  %0 = aten.mv %a, %b : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @dot_ranks(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  // expected-error @below {{expected 'self' to have 1 dimensions, found 'tensor<2x3xf32>'}}
  %0 = aten.dot %a, %b : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<f32>
  return
}

// -----

func.func @linear_weight_is_transposed(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>) {
  // expected-error @below {{expected the inner dimensions of 'input' and 'weight' to be the same, found 3 and 5}}
  %0 = aten.linear %a, %b : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @linear_bias(%a: tensor<2x3xf32>, %b: tensor<5x3xf32>, %c: tensor<3xf32>) {
  // expected-error @below {{expected 'bias' of shape [5], found 'tensor<3xf32>'}}
  %0 = aten.linear %a, %b, %c : (tensor<2x3xf32>, tensor<5x3xf32>, tensor<3xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @matmul_batches(%a: tensor<2x2x3xf32>, %b: tensor<4x3x5xf32>) {
  // expected-error @below {{expected batches that broadcast, found [2] and [4]}}
  %0 = aten.matmul %a, %b : (tensor<2x2x3xf32>, tensor<4x3x5xf32>) -> tensor<2x2x5xf32>
  return
}

// -----

func.func @grouped_rows(%a: tensor<8x3xf32>, %b: tensor<4x3x5xf32>, %c: tensor<4xi32>) {
  // expected-error @below {{expected the result to have shape [8, 5], found [4, 8, 5]}}
  %0 = aten._grouped_mm %a, %b, %c : (tensor<8x3xf32>, tensor<4x3x5xf32>, tensor<4xi32>) -> tensor<4x8x5xf32>
  return
}

// -----

func.func @scaled_type(%a: tensor<2x3xf8E4M3FN>, %b: tensor<3x5xf8E4M3FN>, %c: tensor<f32>, %d: tensor<f32>) {
  // expected-error @below {{expected the result to hold 'bf16', found 'f32'}}
  %0 = aten._scaled_mm %a, %b, %c, %d, none, none, bf16 : (tensor<2x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<2x5xf32>
  return
}
