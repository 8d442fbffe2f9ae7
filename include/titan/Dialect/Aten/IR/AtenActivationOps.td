#ifndef TITAN_DIALECT_ATEN_IR_ATENACTIVATIONOPS_TD
#define TITAN_DIALECT_ATEN_IR_ATENACTIVATIONOPS_TD

include "titan/Dialect/Aten/IR/AtenBase.td"

def Aten_HardsigmoidOp : Aten_Unary<"hardsigmoid">;
def Aten_HardswishOp : Aten_Unary<"hardswish"> { let facts = []; }
def Aten_LogSigmoidOp : Aten_Unary<"log_sigmoid"> { let facts = []; }
def Aten_MishOp : Aten_Unary<"mish">;
def Aten_ReluOp : Aten_Unary<"relu">;
def Aten_Relu6Op : Aten_Unary<"relu6">;
def Aten_SeluOp : Aten_Unary<"selu">;
def Aten_SiluOp : Aten_Unary<"silu">;

let rule = "SameType" in {
def Aten_PreluKernelOp : Aten_Pointwise<"_prelu_kernel", (ins Tensor:$self, Tensor:$weight)> {
  let summary = "prelu with the weight already broadcast";
  let facts = [];
  let rule = "BroadcastToFirst";
}

def Aten_CeluOp : Aten_Pointwise<"celu", (ins Tensor:$self, Default<Scalar, "1.0">:$alpha)>;

def Aten_EluOp : Aten_Pointwise<"elu",
    (ins Tensor:$self, Default<Scalar, "1">:$alpha, Default<Scalar, "1">:$scale,
         Default<Scalar, "1">:$input_scale)>;

def Aten_GeluOp : Aten_Pointwise<"gelu",
    (ins Tensor:$self, KeywordOnly<Str, "'none'">:$approximate)>;

def Aten_GluOp : Aten_Pointwise<"glu", (ins Tensor:$self, Default<Int, "-1">:$dim)> {
  let facts = [];
  let rule = "Glu";
}

def Aten_HardshrinkOp : Aten_Pointwise<"hardshrink",
    (ins Tensor:$self, Default<Scalar, "0.5">:$lambd)>;

def Aten_HardtanhOp : Aten_Pointwise<"hardtanh",
    (ins Tensor:$self, Default<Scalar, "-1">:$min_val, Default<Scalar, "1">:$max_val)>;

def Aten_LeakyReluOp : Aten_Pointwise<"leaky_relu",
    (ins Tensor:$self, Default<Scalar, "0.01">:$negative_slope)>;

def Aten_LogSigmoidForwardOp : Aten_Pointwise<"log_sigmoid_forward",
    (ins Tensor:$self), (outs Result:$output, Result:$buffer)> { let facts = []; }

def Aten_SoftplusOp : Aten_Pointwise<"softplus",
    (ins Tensor:$self, Default<Scalar, "1">:$beta, Default<Scalar, "20">:$threshold)>;

def Aten_SoftshrinkOp : Aten_Pointwise<"softshrink",
    (ins Tensor:$self, Default<Scalar, "0.5">:$lambd)>;

def Aten_ThresholdOp : Aten_Pointwise<"threshold",
    (ins Tensor:$self, Scalar:$threshold, Scalar:$value)>;
}

#endif // TITAN_DIALECT_ATEN_IR_ATENACTIVATIONOPS_TD
