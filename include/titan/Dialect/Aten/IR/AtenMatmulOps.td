#ifndef TITAN_DIALECT_ATEN_IR_ATENMATMULOPS_TD
#define TITAN_DIALECT_ATEN_IR_ATENMATMULOPS_TD

include "titan/Dialect/Aten/IR/AtenBase.td"

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

def Aten_GroupedMmOp : Aten_Matmul<"_grouped_mm",
    (ins Tensor:$self, Tensor:$mat2, Default<OptionalTensor, "None">:$offs,
         Default<OptionalTensor, "None">:$bias, Default<Dtype, "None">:$out_dtype)> {
  let facts = [];
  let flops = "GroupedMatmul";
  let rule = "GroupedMm";
}

def Aten_ScaledMmOp : Aten_Matmul<"_scaled_mm",
    (ins Tensor:$self, Tensor:$mat2, Tensor:$scale_a, Tensor:$scale_b,
         Default<OptionalTensor, "None">:$bias, Default<OptionalTensor, "None">:$scale_result,
         Default<Dtype, "None">:$out_dtype, Default<Bool, "False">:$use_fast_accum)> {
  let rule = "ScaledMm";
}

def Aten_AddmmOp : Aten_Matmul<"addmm",
    (ins Tensor:$self, Tensor:$mat1, Tensor:$mat2, KeywordOnly<Scalar, "1">:$beta,
         KeywordOnly<Scalar, "1">:$alpha)> { let rule = "Addmm"; }

def Aten_AddmvOp : Aten_Matmul<"addmv",
    (ins Tensor:$self, Tensor:$mat, Tensor:$vec, KeywordOnly<Scalar, "1">:$beta,
         KeywordOnly<Scalar, "1">:$alpha)> { let facts = []; let rule = "Mv"; }

def Aten_AddrOp : Aten_Matmul<"addr",
    (ins Tensor:$self, Tensor:$vec1, Tensor:$vec2, KeywordOnly<Scalar, "1">:$beta,
         KeywordOnly<Scalar, "1">:$alpha)> {
  let work = "Pointwise";
  let facts = [];
  let flops = "Elements";
  let rule = "Outer";
}

def Aten_BaddbmmOp : Aten_Matmul<"baddbmm",
    (ins Tensor:$self, Tensor:$batch1, Tensor:$batch2, KeywordOnly<Scalar, "1">:$beta,
         KeywordOnly<Scalar, "1">:$alpha)> { let facts = []; let rule = "Baddbmm"; }

def Aten_BmmOp : Aten_Matmul<"bmm", (ins Tensor:$self, Tensor:$mat2)> { let rule = "Bmm"; }

def Aten_DotOp : Aten_Matmul<"dot", (ins Tensor:$self, Tensor:$tensor)> {
  let facts = [];
  let rule = "Dot";
}

def Aten_EinsumOp : Aten_Matmul<"einsum",
    (ins Str:$equation, Tensors:$tensors, KeywordOnly<Ints, "None">:$path)> {
  let facts = [];
  let flops = "Unknown";
}

def Aten_LinearOp : Aten_Matmul<"linear",
    (ins Tensor:$input, Tensor:$weight, Default<OptionalTensor, "None">:$bias)> {
  let facts = [];
  let rule = "Linear";
}

def Aten_MatmulOp : Aten_Matmul<"matmul", (ins Tensor:$self, Tensor:$other)> {
  let facts = [];
  let rule = "Matmul";
}

def Aten_MmOp : Aten_Matmul<"mm", (ins Tensor:$self, Tensor:$mat2)> { let rule = "Mm"; }

def Aten_MvOp : Aten_Matmul<"mv", (ins Tensor:$self, Tensor:$vec)> {
  let facts = [];
  let rule = "Mv";
}

//===----------------------------------------------------------------------===//
// Distances and traces
//===----------------------------------------------------------------------===//

def Aten_CdistOp : Aten_Reduction<"cdist",
    (ins Tensor:$x1, Tensor:$x2, Default<Float, "2.0">:$p, Default<Int, "None">:$compute_mode)> {
  let work = "ComputeHeavy";
  let facts = [];
  let flops = "Unknown";
}

def Aten_CosineSimilarityOp : Aten_Reduction<"cosine_similarity",
    (ins Tensor:$x1, Tensor:$x2, Default<Int, "1">:$dim, Default<Float, "1e-08">:$eps)> {
  let facts = [];
}

def Aten_CrossOp : Aten_Reduction<"cross",
    (ins Tensor:$self, Tensor:$other, Default<Int, "None">:$dim)> {
  let work = "Pointwise";
  let facts = [];
}

def Aten_DistOp : Aten_Reduction<"dist",
    (ins Tensor:$self, Tensor:$other, Default<Scalar, "2">:$p)> { let facts = []; }

def Aten_RenormOp : Aten_Reduction<"renorm",
    (ins Tensor:$self, Scalar:$p, Int:$dim, Scalar:$maxnorm)> {
  let facts = [];
  let rule = "SameType";
}

def Aten_TraceOp : Aten_Reduction<"trace", (ins Tensor:$self)> { let facts = []; }

#endif // TITAN_DIALECT_ATEN_IR_ATENMATMULOPS_TD
