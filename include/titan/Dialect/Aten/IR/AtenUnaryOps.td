#ifndef TITAN_DIALECT_ATEN_IR_ATENUNARYOPS_TD
#define TITAN_DIALECT_ATEN_IR_ATENUNARYOPS_TD

include "titan/Dialect/Aten/IR/AtenBase.td"

//===----------------------------------------------------------------------===//
// Rounding, signs and powers
//===----------------------------------------------------------------------===//

def Aten_AbsOp : Aten_Unary<"abs"> { let rule = "RealValued"; }
def Aten_CeilOp : Aten_Unary<"ceil">;
def Aten_Deg2radOp : Aten_Unary<"deg2rad"> { let rule = "UnaryFloat"; }
def Aten_FloorOp : Aten_Unary<"floor">;
def Aten_FracOp : Aten_Unary<"frac">;
def Aten_NegOp : Aten_Unary<"neg">;
def Aten_ReciprocalOp : Aten_Unary<"reciprocal"> { let rule = "UnaryFloat"; }
def Aten_RoundOp : Aten_Unary<"round">;
def Aten_RsqrtOp : Aten_Unary<"rsqrt"> { let rule = "UnaryFloat"; }
def Aten_SgnOp : Aten_Unary<"sgn">;
def Aten_SignOp : Aten_Unary<"sign">;
def Aten_SqrtOp : Aten_Unary<"sqrt"> { let rule = "UnaryFloat"; }
def Aten_SquareOp : Aten_Unary<"square">;
def Aten_TruncOp : Aten_Unary<"trunc">;
def Aten_ConjPhysicalOp : Aten_Unary<"conj_physical">;

//===----------------------------------------------------------------------===//
// Logic and predicates
//===----------------------------------------------------------------------===//

let rule = "Predicate" in {
def Aten_BitwiseNotOp : Aten_Unary<"bitwise_not"> { let rule = "SameType"; }
def Aten_IsfiniteOp : Aten_Unary<"isfinite">;
def Aten_IsinfOp : Aten_Unary<"isinf">;
def Aten_IsnanOp : Aten_Unary<"isnan">;
def Aten_LogicalNotOp : Aten_Unary<"logical_not">;
def Aten_SignbitOp : Aten_Unary<"signbit">;
}

def Aten_NanToNumOp : Aten_Pointwise<"nan_to_num",
    (ins Tensor:$self, Default<Float, "None">:$nan, Default<Float, "None">:$posinf,
         Default<Float, "None">:$neginf)> { let rule = "SameType"; }

#endif // TITAN_DIALECT_ATEN_IR_ATENUNARYOPS_TD
