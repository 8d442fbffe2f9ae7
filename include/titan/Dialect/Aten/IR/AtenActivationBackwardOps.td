#ifndef TITAN_DIALECT_ATEN_IR_ATENACTIVATIONBACKWARDOPS_TD
#define TITAN_DIALECT_ATEN_IR_ATENACTIVATIONBACKWARDOPS_TD

include "titan/Dialect/Aten/IR/AtenBase.td"

def Aten_EluBackwardOp : Aten_Pointwise<"elu_backward",
    (ins Tensor:$grad_output, Scalar:$alpha, Scalar:$scale, Scalar:$input_scale, Bool:$is_result,
         Tensor:$self_or_result)> { let facts = []; }

def Aten_GeluBackwardOp : Aten_Pointwise<"gelu_backward",
    (ins TensorOrScalar:$grad_output, TensorOrScalar:$self,
         KeywordOnly<Str, "'none'">:$approximate)>;

def Aten_HardsigmoidBackwardOp : Aten_Pointwise<"hardsigmoid_backward",
    (ins Tensor:$grad_output, Tensor:$self)> { let facts = []; }

def Aten_HardswishBackwardOp : Aten_Pointwise<"hardswish_backward",
    (ins Tensor:$grad_output, Tensor:$self)> { let facts = []; }

def Aten_HardtanhBackwardOp : Aten_Pointwise<"hardtanh_backward",
    (ins Tensor:$grad_output, Tensor:$self, Scalar:$min_val, Scalar:$max_val)> { let facts = []; }

def Aten_LeakyReluBackwardOp : Aten_Pointwise<"leaky_relu_backward",
    (ins Tensor:$grad_output, Tensor:$self, Scalar:$negative_slope, Bool:$self_is_result)> {
  let facts = [];
}

def Aten_LogSigmoidBackwardOp : Aten_Pointwise<"log_sigmoid_backward",
    (ins Tensor:$grad_output, Tensor:$self, Tensor:$buffer)> {
  let facts = [];
  let rule = "SameType";
}

def Aten_LogitBackwardOp : Aten_Pointwise<"logit_backward",
    (ins TensorOrScalar:$grad_output, TensorOrScalar:$self, Default<Float, "None">:$eps)>;

def Aten_MishBackwardOp : Aten_Pointwise<"mish_backward", (ins Tensor:$grad_output, Tensor:$self)> {
  let facts = [];
}

def Aten_RreluWithNoiseBackwardOp : Aten_Pointwise<"rrelu_with_noise_backward",
    (ins Tensor:$grad_output, Tensor:$self, Tensor:$noise, Scalar:$lower, Scalar:$upper,
         Bool:$training, Bool:$self_is_result)> { let facts = []; }

def Aten_SigmoidBackwardOp : Aten_Pointwise<"sigmoid_backward",
    (ins TensorOrScalar:$grad_output, TensorOrScalar:$output)>;

def Aten_SiluBackwardOp : Aten_Pointwise<"silu_backward",
    (ins TensorOrScalar:$grad_output, TensorOrScalar:$self)>;

def Aten_SoftplusBackwardOp : Aten_Pointwise<"softplus_backward",
    (ins Tensor:$grad_output, Tensor:$self, Scalar:$beta, Scalar:$threshold)> { let facts = []; }

def Aten_TanhBackwardOp : Aten_Pointwise<"tanh_backward",
    (ins TensorOrScalar:$grad_output, TensorOrScalar:$output)>;

def Aten_ThresholdBackwardOp : Aten_Pointwise<"threshold_backward",
    (ins TensorOrScalar:$grad_output, TensorOrScalar:$self, Scalar:$threshold)>;

#endif // TITAN_DIALECT_ATEN_IR_ATENACTIVATIONBACKWARDOPS_TD
