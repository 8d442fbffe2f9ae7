#ifndef TITAN_DIALECT_ATEN_IR_ATENSELECTOPS_TD
#define TITAN_DIALECT_ATEN_IR_ATENSELECTOPS_TD

include "titan/Dialect/Aten/IR/AtenBase.td"

def Aten_ClampOp : Aten_Pointwise<"clamp",
    (ins Tensor:$self, Default<Scalar, "None">:$min, Default<Scalar, "None">:$max)>;

def Aten_ClampTensorOp : Aten_Pointwise<"clamp.Tensor",
    (ins Tensor:$self, Default<OptionalTensor, "None">:$min, Default<OptionalTensor, "None">:$max)>;

def Aten_ClampMaxOp : Aten_Pointwise<"clamp_max", (ins Tensor:$self, Scalar:$max)>;

def Aten_ClampMaxTensorOp : Aten_Pointwise<"clamp_max.Tensor",
    (ins TensorOrScalar:$self, TensorOrScalar:$max)>;

def Aten_ClampMinOp : Aten_Pointwise<"clamp_min", (ins Tensor:$self, Scalar:$min)>;

def Aten_ClampMinTensorOp : Aten_Pointwise<"clamp_min.Tensor",
    (ins TensorOrScalar:$self, TensorOrScalar:$min)>;

def Aten_MaskedFillScalarOp : Aten_Pointwise<"masked_fill.Scalar",
    (ins TensorOrScalar:$self, TensorOrScalar:$mask, Scalar:$value)> { let rule = "MaskedFill"; }

def Aten_MaskedFillTensorOp : Aten_Pointwise<"masked_fill.Tensor",
    (ins Tensor:$self, Tensor:$mask, Tensor:$value)> {
  let facts = ["Recomputable"];
  let rule = "MaskedFill";
}

def Aten_WhereSelfOp : Aten_Pointwise<"where.self",
    (ins TensorOrScalar:$condition, TensorOrScalar:$self, TensorOrScalar:$other)> {
  let rule = "Where";
}

def Aten_WhereScalarOp : Aten_Pointwise<"where.Scalar",
    (ins Tensor:$condition, Scalar:$self, Scalar:$other)> {
  let facts = ["Recomputable"];
  let rule = "Where";
}

def Aten_WhereScalarOtherOp : Aten_Pointwise<"where.ScalarOther",
    (ins Tensor:$condition, Tensor:$self, Scalar:$other)> {
  let facts = ["Recomputable"];
  let rule = "Where";
}

def Aten_WhereScalarSelfOp : Aten_Pointwise<"where.ScalarSelf",
    (ins Tensor:$condition, Scalar:$self, Tensor:$other)> {
  let facts = ["Recomputable"];
  let rule = "Where";
}

def Aten_AddcdivOp : Aten_Pointwise<"addcdiv",
    (ins TensorOrScalar:$self, TensorOrScalar:$tensor1, TensorOrScalar:$tensor2,
         KeywordOnly<Scalar, "1">:$value)>;

def Aten_AddcmulOp : Aten_Pointwise<"addcmul",
    (ins TensorOrScalar:$self, TensorOrScalar:$tensor1, TensorOrScalar:$tensor2,
         KeywordOnly<Scalar, "1">:$value)>;

def Aten_LerpScalarOp : Aten_Pointwise<"lerp.Scalar",
    (ins TensorOrScalar:$self, TensorOrScalar:$end, Scalar:$weight)>;

def Aten_LerpTensorOp : Aten_Pointwise<"lerp.Tensor",
    (ins TensorOrScalar:$self, TensorOrScalar:$end, TensorOrScalar:$weight)>;

#endif // TITAN_DIALECT_ATEN_IR_ATENSELECTOPS_TD
