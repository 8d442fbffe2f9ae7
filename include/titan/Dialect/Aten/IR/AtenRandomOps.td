#ifndef TITAN_DIALECT_ATEN_IR_ATENRANDOMOPS_TD
#define TITAN_DIALECT_ATEN_IR_ATENRANDOMOPS_TD

include "titan/Dialect/Aten/IR/AtenBase.td"

def Aten_BernoulliOp : Aten_Random<"bernoulli",
    (ins Tensor:$self, KeywordOnly<Generator, "None">:$generator)>;

def Aten_BernoulliPOp : Aten_Random<"bernoulli.p",
    (ins Tensor:$self, Float:$p, KeywordOnly<Generator, "None">:$generator)>;

def Aten_ExponentialOp : Aten_Random<"exponential",
    (ins Tensor:$self, Default<Float, "1.0">:$lambd, KeywordOnly<Generator, "None">:$generator)>;

def Aten_NativeDropoutOp : Aten_Random<"native_dropout",
    (ins Tensor:$input, Float:$p, Nullable<Bool>:$train), (outs Result:$output, Result:$mask)> {
  let rule = "Dropout";
}

def Aten_RandOp : Aten_Random<"rand",
    (ins SymInts:$size, KeywordOnly<Dtype, "None">:$dtype,
         KeywordOnly<TensorLayout, "None">:$layout, KeywordOnly<Device, "None">:$device,
         KeywordOnly<Bool, "None">:$pin_memory)> { let rule = "Creation"; }

def Aten_RandLikeOp : Aten_Random<"rand_like",
    (ins Tensor:$self, KeywordOnly<Dtype, "None">:$dtype,
         KeywordOnly<TensorLayout, "None">:$layout, KeywordOnly<Device, "None">:$device,
         KeywordOnly<Bool, "None">:$pin_memory, KeywordOnly<MemoryFormat, "None">:$memory_format)> {
  let rule = "Convert";
}

def Aten_RandintLowOp : Aten_Random<"randint.low",
    (ins SymInt:$low, SymInt:$high, SymInts:$size, KeywordOnly<Dtype, "4">:$dtype,
         KeywordOnly<TensorLayout, "None">:$layout, KeywordOnly<Device, "None">:$device,
         KeywordOnly<Bool, "None">:$pin_memory)> { let rule = "Creation"; }

def Aten_RandnOp : Aten_Random<"randn",
    (ins SymInts:$size, KeywordOnly<Dtype, "None">:$dtype,
         KeywordOnly<TensorLayout, "None">:$layout, KeywordOnly<Device, "None">:$device,
         KeywordOnly<Bool, "None">:$pin_memory)> { let rule = "Creation"; }

def Aten_RandnLikeOp : Aten_Random<"randn_like",
    (ins Tensor:$self, KeywordOnly<Dtype, "None">:$dtype,
         KeywordOnly<TensorLayout, "None">:$layout, KeywordOnly<Device, "None">:$device,
         KeywordOnly<Bool, "None">:$pin_memory, KeywordOnly<MemoryFormat, "None">:$memory_format)> {
  let rule = "Convert";
}

def Aten_RreluWithNoiseFunctionalOp : Aten_Random<"rrelu_with_noise_functional",
    (ins Tensor:$self, Tensor:$noise, Default<Scalar, "0.125">:$lower,
         Default<Scalar, "0.3333333333333333">:$upper, Default<Bool, "False">:$training,
         Default<Generator, "None">:$generator), (outs Result:$output, Result:$noise_out)>;

def Aten_NativeDropoutBackwardOp : Aten_Pointwise<"native_dropout_backward",
    (ins TensorOrScalar:$grad_output, TensorOrScalar:$mask, Float:$scale)> {
  let rule = "SameType";
}

#endif // TITAN_DIALECT_ATEN_IR_ATENRANDOMOPS_TD
