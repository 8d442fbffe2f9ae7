#ifndef TITAN_DIALECT_ATEN_IR_ATENREDUCTIONOPS_TD
#define TITAN_DIALECT_ATEN_IR_ATENREDUCTIONOPS_TD

include "titan/Dialect/Aten/IR/AtenBase.td"

def Aten_SumDimIntListOp : Aten_Op<"sum.dim_IntList",
    (ins Tensor:$self, Ints:$dim, Default<Bool, "False">:$keepdim,
         KeywordOnly<Dtype, "None">:$dtype), (outs Result:$result)> {
  let work = "Reduction";
  let facts = ["Recomputable"];
}

def Aten_AddTensorOp : Aten_Op<"add.Tensor",
    (ins TensorOrScalar:$self, TensorOrScalar:$other, KeywordOnly<Scalar, "1">:$alpha), (outs Result:$result)> {
  let work = "Pointwise";
  let facts = ["Recomputable", "Pointwise"];
}

def Aten_ViewOp : Aten_Op<"view",
    (ins Tensor:$self, SymInts:$size), (outs Result:$result)> {
  let work = "View";
  let facts = ["Recomputable", "CutView"];
  let aliasOperand = 0;
}

#endif // TITAN_DIALECT_ATEN_IR_ATENREDUCTIONOPS_TD
