#ifndef TITAN_DIALECT_ATEN_IR_ATENSCANOPS_TD
#define TITAN_DIALECT_ATEN_IR_ATENSCANOPS_TD

include "titan/Dialect/Aten/IR/AtenBase.td"

def Aten_CummaxOp : Aten_Scan<"cummax",
    (ins Tensor:$self, Int:$dim), (outs Result:$values, Result:$indices)> {
  let rule = "RunningExtremum";
}

def Aten_CumprodOp : Aten_Scan<"cumprod",
    (ins Tensor:$self, Int:$dim, KeywordOnly<Dtype, "None">:$dtype)> { let rule = "RunningSum"; }

def Aten_CumsumOp : Aten_Scan<"cumsum",
    (ins Tensor:$self, Int:$dim, KeywordOnly<Dtype, "None">:$dtype)> { let rule = "RunningSum"; }

def Aten_DiffOp : Aten_Scan<"diff",
    (ins Tensor:$self, Default<Int, "1">:$n, Default<Int, "-1">:$dim,
         Default<OptionalTensor, "None">:$prepend, Default<OptionalTensor, "None">:$append)> {
  let work = "Pointwise";
  let rule = "Unchecked";
}

def Aten_LogcumsumexpOp : Aten_Scan<"logcumsumexp", (ins Tensor:$self, Int:$dim)> {
  let rule = "SameType";
}

def Aten_LogSoftmaxOp : Aten_Scan<"_log_softmax",
    (ins Tensor:$self, Int:$dim, Bool:$half_to_float)>;

def Aten_LogSoftmaxBackwardDataOp : Aten_Scan<"_log_softmax_backward_data",
    (ins Tensor:$grad_output, Tensor:$output, Int:$dim, Dtype:$input_dtype)> {
  let rule = "SoftmaxBackward";
}

def Aten_SafeSoftmaxOp : Aten_Scan<"_safe_softmax",
    (ins Tensor:$self, Int:$dim, Default<Dtype, "None">:$dtype)>;

def Aten_SoftmaxOp : Aten_Scan<"_softmax", (ins Tensor:$self, Int:$dim, Bool:$half_to_float)>;

def Aten_SoftmaxBackwardDataOp : Aten_Scan<"_softmax_backward_data",
    (ins Tensor:$grad_output, Tensor:$output, Int:$dim, Dtype:$input_dtype)> {
  let rule = "SoftmaxBackward";
}

def Aten_LogSoftmaxIntOp : Aten_Scan<"log_softmax.int",
    (ins Tensor:$self, Int:$dim, Default<Dtype, "None">:$dtype)>;

def Aten_SoftmaxIntOp : Aten_Scan<"softmax.int",
    (ins Tensor:$self, Int:$dim, Default<Dtype, "None">:$dtype)>;

#endif // TITAN_DIALECT_ATEN_IR_ATENSCANOPS_TD
