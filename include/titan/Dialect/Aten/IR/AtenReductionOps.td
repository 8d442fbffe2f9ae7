#ifndef TITAN_DIALECT_ATEN_IR_ATENREDUCTIONOPS_TD
#define TITAN_DIALECT_ATEN_IR_ATENREDUCTIONOPS_TD

include "titan/Dialect/Aten/IR/AtenBase.td"

def Aten_AllOp : Aten_Reduction<"all", (ins Tensor:$self)> { let facts = []; let rule = "Any"; }

def Aten_AllDimOp : Aten_Reduction<"all.dim",
    (ins Tensor:$self, Int:$dim, Default<Bool, "False">:$keepdim)> {
  let facts = [];
  let rule = "Any";
}

def Aten_AllDimsOp : Aten_Reduction<"all.dims",
    (ins Tensor:$self, Default<Ints, "None">:$dim, Default<Bool, "False">:$keepdim)> {
  let facts = [];
  let rule = "Any";
}

def Aten_AmaxOp : Aten_Reduction<"amax",
    (ins Tensor:$self, Default<Ints, "[]">:$dim, Default<Bool, "False">:$keepdim)> {
  let rule = "Extremum";
}

def Aten_AminOp : Aten_Reduction<"amin",
    (ins Tensor:$self, Default<Ints, "[]">:$dim, Default<Bool, "False">:$keepdim)> {
  let facts = [];
  let rule = "Extremum";
}

def Aten_AminmaxOp : Aten_Reduction<"aminmax",
    (ins Tensor:$self, KeywordOnly<Int, "None">:$dim, KeywordOnly<Bool, "False">:$keepdim),
    (outs Result:$min, Result:$max)> { let facts = []; let rule = "Extremum"; }

def Aten_AnyOp : Aten_Reduction<"any", (ins Tensor:$self)> { let rule = "Any"; }

def Aten_AnyDimOp : Aten_Reduction<"any.dim",
    (ins Tensor:$self, Int:$dim, Default<Bool, "False">:$keepdim)> { let rule = "Any"; }

def Aten_AnyDimsOp : Aten_Reduction<"any.dims",
    (ins Tensor:$self, Default<Ints, "None">:$dim, Default<Bool, "False">:$keepdim)> {
  let rule = "Any";
}

def Aten_ArgmaxOp : Aten_Reduction<"argmax",
    (ins Tensor:$self, Default<Int, "None">:$dim, Default<Bool, "False">:$keepdim)> {
  let rule = "ArgExtremum";
}

def Aten_ArgminOp : Aten_Reduction<"argmin",
    (ins Tensor:$self, Default<Int, "None">:$dim, Default<Bool, "False">:$keepdim)> {
  let facts = [];
  let rule = "ArgExtremum";
}

def Aten_LinalgVectorNormOp : Aten_Reduction<"linalg_vector_norm",
    (ins Tensor:$self, Default<Scalar, "2">:$ord, Default<Ints, "None">:$dim,
         Default<Bool, "False">:$keepdim, KeywordOnly<Dtype, "None">:$dtype)> {
  let facts = [];
  let rule = "VectorNorm";
}

def Aten_LogsumexpOp : Aten_Reduction<"logsumexp",
    (ins Tensor:$self, Ints:$dim, Default<Bool, "False">:$keepdim)> {
  let facts = [];
  let rule = "FloatReduction";
}

def Aten_MaxOp : Aten_Reduction<"max", (ins Tensor:$self)> { let rule = "Extremum"; }

def Aten_MaxDimOp : Aten_Reduction<"max.dim",
    (ins Tensor:$self, Int:$dim, Default<Bool, "False">:$keepdim),
    (outs Result:$values, Result:$indices)> { let rule = "ExtremumWithIndices"; }

def Aten_MeanOp : Aten_Reduction<"mean", (ins Tensor:$self, KeywordOnly<Dtype, "None">:$dtype)> {
  let rule = "Mean";
}

def Aten_MeanDimOp : Aten_Reduction<"mean.dim",
    (ins Tensor:$self, Nullable<Ints>:$dim, Default<Bool, "False">:$keepdim,
         KeywordOnly<Dtype, "None">:$dtype)> { let rule = "Mean"; }

def Aten_MinOp : Aten_Reduction<"min", (ins Tensor:$self)> { let rule = "Extremum"; }

def Aten_MinDimOp : Aten_Reduction<"min.dim",
    (ins Tensor:$self, Int:$dim, Default<Bool, "False">:$keepdim),
    (outs Result:$values, Result:$indices)> { let rule = "ExtremumWithIndices"; }

def Aten_NormScalarOptDimOp : Aten_Reduction<"norm.ScalarOpt_dim",
    (ins Tensor:$self, Nullable<Scalar>:$p, Ints:$dim, Default<Bool, "False">:$keepdim)> {
  let facts = [];
  let rule = "VectorNorm";
}

def Aten_ProdOp : Aten_Reduction<"prod", (ins Tensor:$self, KeywordOnly<Dtype, "None">:$dtype)> {
  let facts = [];
  let rule = "Sum";
}

def Aten_ProdDimIntOp : Aten_Reduction<"prod.dim_int",
    (ins Tensor:$self, Int:$dim, Default<Bool, "False">:$keepdim,
         KeywordOnly<Dtype, "None">:$dtype)> { let facts = []; let rule = "Sum"; }

def Aten_StdCorrectionOp : Aten_Reduction<"std.correction",
    (ins Tensor:$self, Default<Ints, "None">:$dim, KeywordOnly<Scalar, "None">:$correction,
         KeywordOnly<Bool, "False">:$keepdim)> { let rule = "Variance"; }

def Aten_SumOp : Aten_Reduction<"sum", (ins Tensor:$self, KeywordOnly<Dtype, "None">:$dtype)> {
  let rule = "Sum";
}

def Aten_SumDimIntListOp : Aten_Reduction<"sum.dim_IntList",
    (ins Tensor:$self, Nullable<Ints>:$dim, Default<Bool, "False">:$keepdim,
         KeywordOnly<Dtype, "None">:$dtype)> { let rule = "Sum"; }

def Aten_VarCorrectionOp : Aten_Reduction<"var.correction",
    (ins Tensor:$self, Default<Ints, "None">:$dim, KeywordOnly<Scalar, "None">:$correction,
         KeywordOnly<Bool, "False">:$keepdim)> { let rule = "Variance"; }

def Aten_VarMeanCorrectionOp : Aten_Reduction<"var_mean.correction",
    (ins Tensor:$self, Default<Ints, "None">:$dim, KeywordOnly<Scalar, "None">:$correction,
         KeywordOnly<Bool, "False">:$keepdim), (outs Result:$var, Result:$mean)> {
  let rule = "Variance";
}

#endif // TITAN_DIALECT_ATEN_IR_ATENREDUCTIONOPS_TD
