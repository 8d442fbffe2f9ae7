#ifndef TITAN_DIALECT_ATEN_IR_ATENARITHMETICOPS_TD
#define TITAN_DIALECT_ATEN_IR_ATENARITHMETICOPS_TD

include "titan/Dialect/Aten/IR/AtenBase.td"

def Aten_AddTensorOp : Aten_Pointwise<"add.Tensor",
    (ins TensorOrScalar:$self, TensorOrScalar:$other, KeywordOnly<Scalar, "1">:$alpha)>;

def Aten_AddScalarOp : Aten_Pointwise<"add.Scalar",
    (ins Tensor:$self, Scalar:$other, Default<Scalar, "1">:$alpha)>;

def Aten_SubTensorOp : Aten_Pointwise<"sub.Tensor",
    (ins TensorOrScalar:$self, TensorOrScalar:$other, KeywordOnly<Scalar, "1">:$alpha)>;

def Aten_SubScalarOp : Aten_Pointwise<"sub.Scalar",
    (ins Tensor:$self, Scalar:$other, Default<Scalar, "1">:$alpha)>;

def Aten_RsubTensorOp : Aten_Pointwise<"rsub.Tensor",
    (ins Tensor:$self, Tensor:$other, KeywordOnly<Scalar, "1">:$alpha)> {
  let facts = ["Recomputable"];
}

def Aten_RsubScalarOp : Aten_Pointwise<"rsub.Scalar",
    (ins Tensor:$self, Scalar:$other, Default<Scalar, "1">:$alpha)>;

def Aten_DivTensorOp : Aten_Binary<"div.Tensor"> { let rule = "BroadcastFloat"; }
def Aten_FloorDivideOp : Aten_Binary<"floor_divide"> { let facts = []; }
def Aten_FmodTensorOp : Aten_Binary<"fmod.Tensor">;
def Aten_MulTensorOp : Aten_Binary<"mul.Tensor">;
def Aten_RemainderTensorOp : Aten_Binary<"remainder.Tensor">;
def Aten_TrueDivideTensorOp : Aten_Binary<"true_divide.Tensor"> { let rule = "BroadcastFloat"; }

def Aten_DivScalarOp : Aten_TensorScalar<"div.Scalar"> { let rule = "BroadcastFloat"; }
def Aten_FmodScalarOp : Aten_TensorScalar<"fmod.Scalar">;
def Aten_MulScalarOp : Aten_TensorScalar<"mul.Scalar">;
def Aten_RemainderScalarOp : Aten_TensorScalar<"remainder.Scalar">;

def Aten_DivScalarModeOp : Aten_Pointwise<"div.Scalar_mode",
    (ins Tensor:$self, Scalar:$other, KeywordOnly<Nullable<Str>>:$rounding_mode)> {
  let rule = "DivideMode";
}

def Aten_DivTensorModeOp : Aten_Pointwise<"div.Tensor_mode",
    (ins TensorOrScalar:$self, TensorOrScalar:$other, KeywordOnly<Nullable<Str>>:$rounding_mode)> {
  let rule = "DivideMode";
}

def Aten_PowScalarOp : Aten_Pointwise<"pow.Scalar", (ins Scalar:$self, Tensor:$exponent)>;

def Aten_PowTensorScalarOp : Aten_Pointwise<"pow.Tensor_Scalar",
    (ins Tensor:$self, Scalar:$exponent)>;

def Aten_PowTensorTensorOp : Aten_Pointwise<"pow.Tensor_Tensor",
    (ins TensorOrScalar:$self, TensorOrScalar:$exponent)>;

#endif // TITAN_DIALECT_ATEN_IR_ATENARITHMETICOPS_TD
