// RUN: titan-opt %s --split-input-file --verify-diagnostics

// Normalisation, losses and attention.

func.func @layer_norm_dimensions(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected 'input' to end in dimensions [4], found 'tensor<2x3xf32>'}}
  %0:3 = aten.native_layer_norm %a, [4], none, none, 1.0e-5 : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x1xf32>)
  return
}

// -----

func.func @layer_norm_statistics(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected result 1 to have shape [2, 1], found [2]}}
  %0:3 = aten.native_layer_norm %a, [3], none, none, 1.0e-5 : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2x1xf32>)
  return
}

// -----

func.func @rms_norm_weight(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  // expected-error @below {{expected 'weight' of shape [3], found 'tensor<2xf32>'}}
  %0:2 = aten._fused_rms_norm %a, [3], %b, 1.0e-5 : (tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2x1xf32>)
  return
}

// -----

func.func @group_norm_groups(%a: tensor<2x6x4xf32>) {
  // expected-error @below {{expected a number of groups that divides 6 channels, found 4}}
  %0:3 = aten.native_group_norm %a, none, none, 2, 6, 4, 4, 1.0e-5 : (tensor<2x6x4xf32>) -> (tensor<2x6x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
  return
}

// -----

func.func @batch_norm_channels(%a: tensor<2x3x4xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{expected 'weight' of shape [3], found 'tensor<4xf32>'}}
  %0:3 = aten._native_batch_norm_legit.no_stats %a, %b, none, true, 0.1, 1.0e-5 : (tensor<2x3x4xf32>, tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @norm_gradient(%a: tensor<3x2xf32>, %b: tensor<2x3xf32>, %c: tensor<2x1xf32>) {
  // expected-error @below {{expected 'grad_out' of shape [2, 3] as 'input', found 'tensor<3x2xf32>'}}
  %0:2 = aten._fused_rms_norm_backward %a, %b, [3], %c, none, [true, false] : (tensor<3x2xf32>, tensor<2x3xf32>, tensor<2x1xf32>) -> (tensor<2x3xf32>, !titan.unknown)
  return
}

// -----

func.func @loss_is_reduced(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error @below {{expected the result to have shape [], found [2, 3]}}
  %0 = aten.mse_loss %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @reduction_is_known(%a: tensor<2xf32>, %b: tensor<2xf32>) {
  // expected-error @below {{expected a reduction of 0 (none), 1 (mean) or 2 (sum), found 3}}
  %0 = aten.mse_loss %a, %b, 3 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @target_without_classes(%a: tensor<2x3xf32>, %b: tensor<3xi64>) {
  // expected-error @below {{expected 'target' of shape [2], found 'tensor<3xi64>'}}
  %0:2 = aten.nll_loss_forward %a, %b, none, 1, -100 : (tensor<2x3xf32>, tensor<3xi64>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

func.func @query_and_key(%a: tensor<1x2x4x8xf32>, %b: tensor<1x2x4x6xf32>, %c: tensor<1x2x4x8xf32>) {
  // expected-error @below {{expected 'key' to have 8 elements a head as 'query', found 6}}
  %0:2 = aten._scaled_dot_product_flash_attention_for_cpu %a, %b, %c : (tensor<1x2x4x8xf32>, tensor<1x2x4x6xf32>, tensor<1x2x4x8xf32>) -> (tensor<1x2x4x8xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @key_and_value(%a: tensor<1x2x4x8xf32>, %b: tensor<1x2x5x8xf32>, %c: tensor<1x2x4x8xf32>) {
  // expected-error @below {{expected 'value' to have 5 places as 'key', found 4}}
  %0:2 = aten._scaled_dot_product_flash_attention_for_cpu %a, %b, %c : (tensor<1x2x4x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x4x8xf32>) -> (tensor<1x2x4x8xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @attention_shape(%a: tensor<1x2x4x8xf32>, %b: tensor<1x2x5x8xf32>, %c: tensor<1x2x5x8xf32>) {
  // expected-error @below {{expected result 0 to have shape [1, 2, 4, 8], found [1, 2, 5, 8]}}
  %0:2 = aten._scaled_dot_product_flash_attention_for_cpu %a, %b, %c : (tensor<1x2x4x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> (tensor<1x2x5x8xf32>, tensor<1x2x4xf32>)
  return
}

// -----

// The kernels have the heads behind the sequence.
func.func @attention_kernel(%a: tensor<2x10x6x16xbf16>, %b: tensor<2x12x6x16xbf16>) {
  %0:5 = aten._flash_attention_forward %a, %b, %b, none, none, 10, 12, 0.0, false, false : (tensor<2x10x6x16xbf16>, tensor<2x12x6x16xbf16>, tensor<2x12x6x16xbf16>) -> (tensor<2x10x6x16xbf16>, tensor<2x6x10xf32>, !titan.unknown, !titan.unknown, !titan.unknown)
  // expected-error @below {{expected result 0 to have shape [2, 10, 6, 16], found [2, 6, 10, 16]}}
  %1:5 = aten._flash_attention_forward %a, %b, %b, none, none, 10, 12, 0.0, false, false : (tensor<2x10x6x16xbf16>, tensor<2x12x6x16xbf16>, tensor<2x12x6x16xbf16>) -> (tensor<2x6x10x16xbf16>, tensor<2x6x10xf32>, !titan.unknown, !titan.unknown, !titan.unknown)
  return
}

// -----

// Packed sequences have no batch.
func.func @attention_packed(%a: tensor<20x6x16xbf16>, %b: tensor<22x6x16xbf16>, %c: tensor<21x6x16xbf16>, %o: tensor<4xi32>) {
  %0:5 = aten._flash_attention_forward %a, %b, %b, %o, %o, 10, 12, 0.0, false, false : (tensor<20x6x16xbf16>, tensor<22x6x16xbf16>, tensor<22x6x16xbf16>, tensor<4xi32>, tensor<4xi32>) -> (tensor<20x6x16xbf16>, tensor<6x20xf32>, !titan.unknown, !titan.unknown, !titan.unknown)
  // expected-error @below {{expected 'value' to have 22 places as 'key', found 21}}
  %1:5 = aten._flash_attention_forward %a, %b, %c, %o, %o, 10, 12, 0.0, false, false : (tensor<20x6x16xbf16>, tensor<22x6x16xbf16>, tensor<21x6x16xbf16>, tensor<4xi32>, tensor<4xi32>) -> (tensor<20x6x16xbf16>, tensor<6x20xf32>, !titan.unknown, !titan.unknown, !titan.unknown)
  return
}

// -----

func.func @attention_kernel_rank(%a: tensor<10x16xbf16>) {
  // expected-error @below {{expected 'query' to have 3 or 4 dimensions, found 'tensor<10x16xbf16>'}}
  %0:6 = aten._efficient_attention_forward %a, %a, %a, none, none, none, none, none, 0.0, 0 : (tensor<10x16xbf16>, tensor<10x16xbf16>, tensor<10x16xbf16>) -> (tensor<10x16xbf16>, !titan.unknown, !titan.unknown, !titan.unknown, !titan.unknown, !titan.unknown)
  return
}

// -----

func.func @attention_kernel_gradient(%a: tensor<2x10x6x16xbf16>, %b: tensor<2x12x6x16xbf16>, %l: tensor<2x6x10xf32>, %s: tensor<2xui64>) {
  // expected-error @below {{to have shape [2, 12, 6, 16], found [2, 10, 6, 16]}}
  %0:3 = aten._flash_attention_backward %a, %a, %b, %b, %a, %l, none, none, 10, 12, 0.0, false, %s, none : (tensor<2x10x6x16xbf16>, tensor<2x10x6x16xbf16>, tensor<2x12x6x16xbf16>, tensor<2x12x6x16xbf16>, tensor<2x10x6x16xbf16>, tensor<2x6x10xf32>, tensor<2xui64>) -> (tensor<2x10x6x16xbf16>, tensor<2x10x6x16xbf16>, tensor<2x12x6x16xbf16>)
  return
}

// -----

// The decomposed form takes any batches, and one batch for all.
func.func @attention_decomposed(%a: tensor<1x10x16xf32>, %b: tensor<3x12x16xf32>, %c: tensor<3x12x8xf32>) {
  %0:2 = aten._scaled_dot_product_attention_math %a, %b, %c : (tensor<1x10x16xf32>, tensor<3x12x16xf32>, tensor<3x12x8xf32>) -> (tensor<3x10x8xf32>, tensor<3x10x12xf32>)
  // expected-error @below {{to have shape [3, 10, 8], found [3, 10, 16]}}
  %1:2 = aten._scaled_dot_product_attention_math %a, %b, %c : (tensor<1x10x16xf32>, tensor<3x12x16xf32>, tensor<3x12x8xf32>) -> (tensor<3x10x16xf32>, tensor<3x10x12xf32>)
  return
}
