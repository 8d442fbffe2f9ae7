#ifndef TITAN_DIALECT_ATEN_IR_ATENATTENTIONOPS_TD
#define TITAN_DIALECT_ATEN_IR_ATENATTENTIONOPS_TD

include "titan/Dialect/Aten/IR/AtenBase.td"

//===----------------------------------------------------------------------===//
// Forward
//===----------------------------------------------------------------------===//

def Aten_EfficientAttentionForwardOp : Aten_Attention<"_efficient_attention_forward",
    (ins Tensor:$query, Tensor:$key, Tensor:$value, OptionalTensor:$bias,
         OptionalTensor:$cu_seqlens_q, OptionalTensor:$cu_seqlens_k,
         Nullable<SymInt>:$max_seqlen_q, Nullable<SymInt>:$max_seqlen_k, Float:$dropout_p,
         Int:$custom_mask_type, Default<Bool, "False">:$compute_log_sumexp,
         KeywordOnly<Float, "None">:$scale, KeywordOnly<OptionalTensor, "None">:$seqlen_k,
         KeywordOnly<Int, "None">:$window_size),
    (outs Result:$output, Result:$logsumexp, Result:$philox_seed, Result:$philox_offset,
         Result:$max_seqlen_batch_q, Result:$max_seqlen_batch_k)> {
  let facts = ["ComputeIntensive", "Seeded"];
}

def Aten_FlashAttentionForwardOp : Aten_Attention<"_flash_attention_forward",
    (ins Tensor:$query, Tensor:$key, Tensor:$value, OptionalTensor:$cum_seq_q,
         OptionalTensor:$cum_seq_k, SymInt:$max_q, SymInt:$max_k, Float:$dropout_p,
         Bool:$is_causal, Bool:$return_debug_mask, KeywordOnly<Float, "None">:$scale,
         KeywordOnly<SymInt, "None">:$window_size_left,
         KeywordOnly<SymInt, "None">:$window_size_right,
         KeywordOnly<OptionalTensor, "None">:$seqused_k,
         KeywordOnly<OptionalTensor, "None">:$alibi_slopes,
         KeywordOnly<OptionalTensor, "None">:$block_table, KeywordOnly<Int, "None">:$num_splits),
    (outs Result:$output, Result:$softmax_logsumexp, Result:$rng_state, Result:$unused,
         Result:$debug_attn_mask)> {
  let facts = ["ComputeIntensive", "Seeded"];
}

def Aten_ScaledDotProductAttentionMathOp : Aten_Attention<"_scaled_dot_product_attention_math",
    (ins Tensor:$query, Tensor:$key, Tensor:$value, Default<OptionalTensor, "None">:$attn_mask,
         Default<Float, "0.0">:$dropout_p, Default<Bool, "False">:$is_causal,
         Default<OptionalTensor, "None">:$dropout_mask, KeywordOnly<Float, "None">:$scale,
         KeywordOnly<Bool, "False">:$enable_gqa), (outs Result:$output, Result:$attn_weights)>;

def Aten_ScaledDotProductCudnnAttentionOp : Aten_Attention<"_scaled_dot_product_cudnn_attention",
    (ins Tensor:$query, Tensor:$key, Tensor:$value, OptionalTensor:$attn_bias,
         Bool:$compute_log_sumexp, Default<Float, "0.0">:$dropout_p,
         Default<Bool, "False">:$is_causal, Default<Bool, "False">:$return_debug_mask,
         KeywordOnly<Float, "None">:$scale),
    (outs Result:$output, Result:$logsumexp, Result:$cum_seq_q, Result:$cum_seq_k, Result:$max_q,
         Result:$max_k, Result:$philox_seed, Result:$philox_offset, Result:$debug_attn_mask)>;

def Aten_ScaledDotProductEfficientAttentionOp : Aten_Attention<"_scaled_dot_product_efficient_attention",
    (ins Tensor:$query, Tensor:$key, Tensor:$value, OptionalTensor:$attn_bias,
         Bool:$compute_log_sumexp, Default<Float, "0.0">:$dropout_p,
         Default<Bool, "False">:$is_causal, KeywordOnly<Float, "None">:$scale),
    (outs Result:$output, Result:$log_sumexp, Result:$philox_seed, Result:$philox_offset)> {
  let facts = ["ComputeIntensive", "Seeded"];
}

def Aten_ScaledDotProductFlashAttentionOp : Aten_Attention<"_scaled_dot_product_flash_attention",
    (ins Tensor:$query, Tensor:$key, Tensor:$value, Default<Float, "0.0">:$dropout_p,
         Default<Bool, "False">:$is_causal, Default<Bool, "False">:$return_debug_mask,
         KeywordOnly<Float, "None">:$scale),
    (outs Result:$output, Result:$logsumexp, Result:$cum_seq_q, Result:$cum_seq_k, Result:$max_q,
         Result:$max_k, Result:$rng_state, Result:$unused, Result:$debug_attn_mask)> {
  let facts = ["ComputeIntensive", "Seeded"];
}

def Aten_ScaledDotProductFlashAttentionForCpuOp : Aten_Attention<"_scaled_dot_product_flash_attention_for_cpu",
    (ins Tensor:$query, Tensor:$key, Tensor:$value, Default<Float, "0.0">:$dropout_p,
         Default<Bool, "False">:$is_causal, KeywordOnly<OptionalTensor, "None">:$attn_mask,
         KeywordOnly<Float, "None">:$scale), (outs Result:$output, Result:$logsumexp)>;

def Aten_ScaledDotProductFusedAttentionOverrideableOp : Aten_Attention<"_scaled_dot_product_fused_attention_overrideable",
    (ins Tensor:$query, Tensor:$key, Tensor:$value, Default<OptionalTensor, "None">:$attn_bias,
         Default<Float, "0.0">:$dropout_p, Default<Bool, "False">:$is_causal,
         Default<Bool, "False">:$return_debug_mask, KeywordOnly<Float, "None">:$scale),
    (outs Result:$output, Result:$logsumexp, Result:$cum_seq_q, Result:$cum_seq_k, Result:$max_q,
         Result:$max_k, Result:$philox_seed, Result:$philox_offset, Result:$debug_attn_mask)>;

//===----------------------------------------------------------------------===//
// Backward
//===----------------------------------------------------------------------===//

def Aten_EfficientAttentionBackwardOp : Aten_AttentionBackward<"_efficient_attention_backward",
    (ins Tensor:$grad_out_, Tensor:$query, Tensor:$key, Tensor:$value, OptionalTensor:$bias,
         Tensor:$out, OptionalTensor:$cu_seqlens_q, OptionalTensor:$cu_seqlens_k,
         SymInt:$max_seqlen_q, SymInt:$max_seqlen_k, Tensor:$logsumexp, Float:$dropout_p,
         OptionalTensor:$philox_seed, OptionalTensor:$philox_offset, Int:$custom_mask_type,
         Bool:$bias_requires_grad, KeywordOnly<Float, "None">:$scale,
         KeywordOnly<Int, "None">:$num_splits_key, KeywordOnly<Int, "None">:$window_size,
         KeywordOnly<Bool, "False">:$shared_storage_dqdkdv),
    (outs Result:$grad_query, Result:$grad_key, Result:$grad_value, Result:$grad_bias)>;

def Aten_FlashAttentionBackwardOp : Aten_AttentionBackward<"_flash_attention_backward",
    (ins Tensor:$grad_out, Tensor:$query, Tensor:$key, Tensor:$value, Tensor:$out,
         Tensor:$logsumexp, OptionalTensor:$cum_seq_q, OptionalTensor:$cum_seq_k, SymInt:$max_q,
         SymInt:$max_k, Float:$dropout_p, Bool:$is_causal, OptionalTensor:$rng_state,
         OptionalTensor:$unused, KeywordOnly<Float, "None">:$scale,
         KeywordOnly<SymInt, "None">:$window_size_left,
         KeywordOnly<SymInt, "None">:$window_size_right),
    (outs Result:$grad_query, Result:$grad_key, Result:$grad_value)>;

def Aten_ScaledDotProductCudnnAttentionBackwardOp : Aten_AttentionBackward<"_scaled_dot_product_cudnn_attention_backward",
    (ins Tensor:$grad_out, Tensor:$query, Tensor:$key, Tensor:$value, Tensor:$out,
         Tensor:$logsumexp, OptionalTensor:$philox_seed, OptionalTensor:$philox_offset,
         OptionalTensor:$attn_bias, OptionalTensor:$cum_seq_q, OptionalTensor:$cum_seq_k,
         SymInt:$max_q, SymInt:$max_k, Float:$dropout_p, Bool:$is_causal,
         KeywordOnly<Float, "None">:$scale),
    (outs Result:$grad_query, Result:$grad_key, Result:$grad_value)> { let facts = ["Seeded"]; }

def Aten_ScaledDotProductEfficientAttentionBackwardOp : Aten_AttentionBackward<"_scaled_dot_product_efficient_attention_backward",
    (ins Tensor:$grad_out_, Tensor:$query, Tensor:$key, Tensor:$value, OptionalTensor:$attn_bias,
         Tensor:$out, Tensor:$logsumexp, OptionalTensor:$philox_seed,
         OptionalTensor:$philox_offset, Float:$dropout_p, Bools:$grad_input_mask,
         Default<Bool, "False">:$is_causal, KeywordOnly<Float, "None">:$scale),
    (outs Result:$grad_query, Result:$grad_key, Result:$grad_value, Result:$grad_attn_bias)> {
  let facts = ["Seeded"];
}

def Aten_ScaledDotProductFlashAttentionBackwardOp : Aten_AttentionBackward<"_scaled_dot_product_flash_attention_backward",
    (ins Tensor:$grad_out, Tensor:$query, Tensor:$key, Tensor:$value, Tensor:$out,
         Tensor:$logsumexp, OptionalTensor:$cum_seq_q, OptionalTensor:$cum_seq_k, SymInt:$max_q,
         SymInt:$max_k, Float:$dropout_p, Bool:$is_causal, OptionalTensor:$philox_seed,
         OptionalTensor:$philox_offset, KeywordOnly<Float, "None">:$scale),
    (outs Result:$grad_query, Result:$grad_key, Result:$grad_value)>;

def Aten_ScaledDotProductFlashAttentionForCpuBackwardOp : Aten_AttentionBackward<"_scaled_dot_product_flash_attention_for_cpu_backward",
    (ins Tensor:$grad_out, Tensor:$query, Tensor:$key, Tensor:$value, Tensor:$out,
         Tensor:$logsumexp, Float:$dropout_p, Bool:$is_causal,
         KeywordOnly<OptionalTensor, "None">:$attn_mask, KeywordOnly<Float, "None">:$scale),
    (outs Result:$grad_query, Result:$grad_key, Result:$grad_value)>;

def Aten_ScaledDotProductFusedAttentionOverrideableBackwardOp : Aten_AttentionBackward<"_scaled_dot_product_fused_attention_overrideable_backward",
    (ins Tensor:$grad_out, Tensor:$query, Tensor:$key, Tensor:$value, OptionalTensor:$attn_bias,
         Bools:$grad_input_mask, Tensor:$out, Tensor:$logsumexp, OptionalTensor:$cum_seq_q,
         OptionalTensor:$cum_seq_k, SymInt:$max_q, SymInt:$max_k, Float:$dropout_p,
         Bool:$is_causal, OptionalTensor:$philox_seed, OptionalTensor:$philox_offset,
         KeywordOnly<Float, "None">:$scale),
    (outs Result:$grad_query, Result:$grad_key, Result:$grad_value, Result:$grad_attn_bias)>;

#endif // TITAN_DIALECT_ATEN_IR_ATENATTENTIONOPS_TD
