#ifndef TITAN_DIALECT_ATEN_IR_ATENNORMOPS_TD
#define TITAN_DIALECT_ATEN_IR_ATENNORMOPS_TD

include "titan/Dialect/Aten/IR/AtenBase.td"

def Aten_BatchNormWithUpdateFunctionalOp : Aten_Norm<"_batch_norm_with_update_functional",
    (ins Tensor:$input, OptionalTensor:$weight, OptionalTensor:$bias, Tensor:$running_mean,
         Tensor:$running_var, Float:$momentum, Float:$eps),
    (outs Result:$output, Result:$save_mean, Result:$save_rstd, Result:$reserve,
         Result:$running_mean_out, Result:$running_var_out)> { let rule = "BatchNorm"; }

def Aten_FusedRmsNormOp : Aten_Norm<"_fused_rms_norm",
    (ins Tensor:$input, Ints:$normalized_shape, OptionalTensor:$weight, Nullable<Float>:$eps),
    (outs Result:$output, Result:$rstd)> { let rule = "LayerNorm"; }

def Aten_FusedRmsNormBackwardOp : Aten_Norm<"_fused_rms_norm_backward",
    (ins Tensor:$grad_out, Tensor:$input, Ints:$normalized_shape, Tensor:$rstd,
         OptionalTensor:$weight, Bools:$output_mask),
    (outs Result:$grad_input, Result:$grad_weight)> { let rule = "NormBackward"; }

def Aten_NativeBatchNormLegitNoStatsOp : Aten_Norm<"_native_batch_norm_legit.no_stats",
    (ins Tensor:$input, OptionalTensor:$weight, OptionalTensor:$bias, Bool:$training,
         Float:$momentum, Float:$eps),
    (outs Result:$output, Result:$save_mean, Result:$save_rstd)> { let rule = "BatchNorm"; }

def Aten_NativeBatchNormLegitFunctionalOp : Aten_Norm<"_native_batch_norm_legit_functional",
    (ins Tensor:$input, OptionalTensor:$weight, OptionalTensor:$bias, Tensor:$running_mean,
         Tensor:$running_var, Bool:$training, Float:$momentum, Float:$eps),
    (outs Result:$output, Result:$save_mean, Result:$save_rstd, Result:$running_mean_out,
         Result:$running_var_out)> { let rule = "BatchNorm"; }

def Aten_NativeBatchNormLegitNoTrainingOp : Aten_Norm<"_native_batch_norm_legit_no_training",
    (ins Tensor:$input, OptionalTensor:$weight, OptionalTensor:$bias, Tensor:$running_mean,
         Tensor:$running_var, Float:$momentum, Float:$eps),
    (outs Result:$output, Result:$save_mean, Result:$save_rstd)> { let rule = "BatchNorm"; }

def Aten_WeightNormInterfaceOp : Aten_Norm<"_weight_norm_interface",
    (ins Tensor:$v, Tensor:$g, Default<Int, "0">:$dim), (outs Result:$output, Result:$norms)> {
  let summary = "A weight from its direction and its magnitude";
  let rule = "SameType";
}

def Aten_BatchNormBackwardOp : Aten_Norm<"batch_norm_backward",
    (ins Tensor:$grad_out, Tensor:$input, Tensor:$weight, OptionalTensor:$running_mean,
         OptionalTensor:$running_var, OptionalTensor:$save_mean, OptionalTensor:$save_var,
         Bool:$update, Float:$eps, Bools:$output_mask, Tensor:$reserve),
    (outs Result:$grad_input, Result:$grad_weight, Result:$grad_bias)> {
  let rule = "NormBackward";
}

def Aten_NativeBatchNormBackwardOp : Aten_Norm<"native_batch_norm_backward",
    (ins Tensor:$grad_out, Tensor:$input, OptionalTensor:$weight, OptionalTensor:$running_mean,
         OptionalTensor:$running_var, OptionalTensor:$save_mean, OptionalTensor:$save_invstd,
         Bool:$train, Float:$eps, Bools:$output_mask),
    (outs Result:$grad_input, Result:$grad_weight, Result:$grad_bias)> {
  let rule = "NormBackward";
}

def Aten_NativeGroupNormOp : Aten_Norm<"native_group_norm",
    (ins Tensor:$input, OptionalTensor:$weight, OptionalTensor:$bias, SymInt:$N, SymInt:$C,
         SymInt:$HxW, Int:$group, Float:$eps), (outs Result:$output, Result:$mean, Result:$rstd)> {
  let rule = "GroupNorm";
}

def Aten_NativeGroupNormBackwardOp : Aten_Norm<"native_group_norm_backward",
    (ins Tensor:$grad_out, Tensor:$input, Tensor:$mean, Tensor:$rstd, OptionalTensor:$weight,
         SymInt:$N, SymInt:$C, SymInt:$HxW, Int:$group, Bools:$output_mask),
    (outs Result:$grad_input, Result:$grad_weight, Result:$grad_bias)> {
  let rule = "NormBackward";
}

def Aten_NativeLayerNormOp : Aten_Norm<"native_layer_norm",
    (ins Tensor:$input, SymInts:$normalized_shape, OptionalTensor:$weight, OptionalTensor:$bias,
         Float:$eps), (outs Result:$output, Result:$mean, Result:$rstd)> { let rule = "LayerNorm"; }

def Aten_NativeLayerNormBackwardOp : Aten_Norm<"native_layer_norm_backward",
    (ins Tensor:$grad_out, Tensor:$input, SymInts:$normalized_shape, Tensor:$mean, Tensor:$rstd,
         OptionalTensor:$weight, OptionalTensor:$bias, Bools:$output_mask),
    (outs Result:$grad_input, Result:$grad_weight, Result:$grad_bias)> {
  let rule = "NormBackward";
}

def Aten_RmsNormOp : Aten_Norm<"rms_norm",
    (ins Tensor:$input, SymInts:$normalized_shape, Default<OptionalTensor, "None">:$weight,
         Default<Float, "None">:$eps)> { let rule = "LayerNorm"; }

#endif // TITAN_DIALECT_ATEN_IR_ATENNORMOPS_TD
