#ifndef TITAN_DIALECT_ATEN_IR_ATENTRANSCENDENTALOPS_TD
#define TITAN_DIALECT_ATEN_IR_ATENTRANSCENDENTALOPS_TD

include "titan/Dialect/Aten/IR/AtenBase.td"

//===----------------------------------------------------------------------===//
// Exponentials and logarithms
//===----------------------------------------------------------------------===//

let rule = "UnaryFloat" in {
def Aten_ErfOp : Aten_Unary<"erf">;
def Aten_ErfcOp : Aten_Unary<"erfc">;
def Aten_ErfinvOp : Aten_Unary<"erfinv">;
def Aten_ExpOp : Aten_Unary<"exp">;
def Aten_Exp2Op : Aten_Unary<"exp2">;
def Aten_Expm1Op : Aten_Unary<"expm1">;
def Aten_LgammaOp : Aten_Unary<"lgamma">;
def Aten_LogOp : Aten_Unary<"log">;
def Aten_Log10Op : Aten_Unary<"log10">;
def Aten_Log1pOp : Aten_Unary<"log1p">;
def Aten_Log2Op : Aten_Unary<"log2">;
def Aten_SigmoidOp : Aten_Unary<"sigmoid">;
def Aten_SpecialLogNdtrOp : Aten_Unary<"special_log_ndtr">;
}

def Aten_LogitOp : Aten_Pointwise<"logit", (ins Tensor:$self, Default<Float, "None">:$eps)> {
  let rule = "UnaryFloat";
}

//===----------------------------------------------------------------------===//
// Trigonometry
//===----------------------------------------------------------------------===//

let rule = "UnaryFloat" in {
def Aten_AcosOp : Aten_Unary<"acos">;
def Aten_AsinOp : Aten_Unary<"asin">;
def Aten_AsinhOp : Aten_Unary<"asinh">;
def Aten_AtanOp : Aten_Unary<"atan">;
def Aten_AtanhOp : Aten_Unary<"atanh">;
def Aten_CosOp : Aten_Unary<"cos">;
def Aten_CoshOp : Aten_Unary<"cosh">;
def Aten_SinOp : Aten_Unary<"sin">;
def Aten_SinhOp : Aten_Unary<"sinh">;
def Aten_TanOp : Aten_Unary<"tan">;
def Aten_TanhOp : Aten_Unary<"tanh">;
}

#endif // TITAN_DIALECT_ATEN_IR_ATENTRANSCENDENTALOPS_TD
