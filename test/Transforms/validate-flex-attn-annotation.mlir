// RUN: titan-opt %s --titan-validate-flex-attn-annotation --split-input-file --verify-diagnostics -o /dev/null

// The key is what counts, not its value.
func.func @marked(%q: tensor<1x2x4x8xbf16>) -> tensor<1x2x4x8xbf16> attributes {titan.joint = 1} {
  %0 = titan.torch_op "higher_order.flex_attention"(%q)
    {args = [#titan.arg<0>], titan.custom = {compile_with_inductor = false}}
    : (tensor<1x2x4x8xbf16>) -> tensor<1x2x4x8xbf16>
  return %0 : tensor<1x2x4x8xbf16>
}

// -----

// All offenders are named, the backward of the attention too; other ops need no
// mark.
func.func @unmarked(%q: tensor<1x2x4x8xbf16>) -> (tensor<1x2x4x8xbf16>, tensor<1x2x4x8xbf16>)
    attributes {titan.joint = 1} {
  // expected-error @below {{expected the annotation 'compile_with_inductor' on 'flex' (higher_order.flex_attention), found none}}
  %0 = titan.torch_op "higher_order.flex_attention"(%q)
    {args = [#titan.arg<0>], titan.names = ["flex"]}
    : (tensor<1x2x4x8xbf16>) -> tensor<1x2x4x8xbf16>
  %1 = titan.torch_op "higher_order.other"(%0) {args = [#titan.arg<0>]}
    : (tensor<1x2x4x8xbf16>) -> tensor<1x2x4x8xbf16>
  // expected-error @below {{on 'flex_bwd' (higher_order.flex_attention_backward), found none}}
  %2 = titan.torch_op "higher_order.flex_attention_backward"(%1)
    {args = [#titan.arg<0>], titan.custom = {ac_region_id = 1 : i64}, titan.names = ["flex_bwd"]}
    : (tensor<1x2x4x8xbf16>) -> tensor<1x2x4x8xbf16>
  return %0, %2 : tensor<1x2x4x8xbf16>, tensor<1x2x4x8xbf16>
}
