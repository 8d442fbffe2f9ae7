#ifndef TITAN_DIALECT_ATEN_IR_ATENBINARYMATHOPS_TD
#define TITAN_DIALECT_ATEN_IR_ATENBINARYMATHOPS_TD

include "titan/Dialect/Aten/IR/AtenBase.td"

def Aten_Atan2Op : Aten_Binary<"atan2"> { let rule = "BroadcastFloat"; }
def Aten_CopysignTensorOp : Aten_Binary<"copysign.Tensor"> { let rule = "BroadcastFloat"; }
def Aten_FmaxOp : Aten_Binary<"fmax">;
def Aten_FminOp : Aten_Binary<"fmin">;
def Aten_HypotOp : Aten_Binary<"hypot">;
def Aten_LogaddexpOp : Aten_Binary<"logaddexp">;
def Aten_MaximumOp : Aten_Binary<"maximum">;
def Aten_MinimumOp : Aten_Binary<"minimum">;
def Aten_XlogyTensorOp : Aten_Binary<"xlogy.Tensor"> { let rule = "BroadcastFloat"; }

def Aten_ComplexOp : Aten_Pointwise<"complex", (ins Tensor:$real, Tensor:$imag)> {
  let facts = [];
  let rule = "Complex";
}

def Aten_HeavisideOp : Aten_Pointwise<"heaviside",
    (ins TensorOrScalar:$self, TensorOrScalar:$values)>;

def Aten_PolarOp : Aten_Pointwise<"polar", (ins Tensor:$abs, Tensor:$angle)> {
  let facts = [];
  let rule = "Complex";
}

#endif // TITAN_DIALECT_ATEN_IR_ATENBINARYMATHOPS_TD
