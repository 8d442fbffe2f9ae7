#ifndef TITAN_DIALECT_ATEN_IR_ATENSCATTEROPS_TD
#define TITAN_DIALECT_ATEN_IR_ATENSCATTEROPS_TD

include "titan/Dialect/Aten/IR/AtenBase.td"

def Aten_UnsafeIndexPutOp : Aten_Movement<"_unsafe_index_put",
    (ins Tensor:$self, OptionalTensors:$indices, Tensor:$values,
         Default<Bool, "False">:$accumulate)> { let rule = "IndexPut"; }

def Aten_UnsafeMaskedIndexPutAccumulateOp : Aten_Movement<"_unsafe_masked_index_put_accumulate",
    (ins Tensor:$self, Tensor:$mask, OptionalTensors:$indices, Tensor:$values)> {
  let flops = "Elements";
  let rule = "SameType";
}

def Aten_AsStridedScatterOp : Aten_Movement<"as_strided_scatter",
    (ins Tensor:$self, Tensor:$src, SymInts:$size, SymInts:$stride,
         Default<SymInt, "None">:$storage_offset)> { let rule = "SameType"; }

def Aten_DiagonalBackwardOp : Aten_Movement<"diagonal_backward",
    (ins Tensor:$grad_output, SymInts:$input_sizes, Int:$offset, Int:$dim1, Int:$dim2)> {
  let rule = "ViewBackward";
}

def Aten_DiagonalScatterOp : Aten_Movement<"diagonal_scatter",
    (ins Tensor:$self, Tensor:$src, Default<Int, "0">:$offset, Default<Int, "0">:$dim1,
         Default<Int, "1">:$dim2)> { let rule = "SameType"; }

def Aten_IndexAddOp : Aten_Movement<"index_add",
    (ins Tensor:$self, Int:$dim, Tensor:$index, Tensor:$source, KeywordOnly<Scalar, "1">:$alpha)> {
  let flops = "Elements";
  let rule = "IndexAdd";
}

def Aten_IndexCopyOp : Aten_Movement<"index_copy",
    (ins Tensor:$self, Int:$dim, Tensor:$index, Tensor:$source)> { let rule = "IndexAdd"; }

def Aten_IndexFillIntScalarOp : Aten_Movement<"index_fill.int_Scalar",
    (ins Tensor:$self, Int:$dim, Tensor:$index, Scalar:$value)> { let rule = "IndexAdd"; }

def Aten_IndexPutOp : Aten_Movement<"index_put",
    (ins Tensor:$self, OptionalTensors:$indices, Tensor:$values,
         Default<Bool, "False">:$accumulate)> { let rule = "IndexPut"; }

def Aten_IndexReduceOp : Aten_Movement<"index_reduce",
    (ins Tensor:$self, Int:$dim, Tensor:$index, Tensor:$source, Str:$reduce,
         KeywordOnly<Bool, "True">:$include_self)> {
  let flops = "Elements";
  let rule = "IndexAdd";
}

def Aten_MaskedScatterOp : Aten_Movement<"masked_scatter",
    (ins Tensor:$self, Tensor:$mask, Tensor:$source)> { let rule = "SameType"; }

def Aten_PutOp : Aten_Movement<"put",
    (ins Tensor:$self, Tensor:$index, Tensor:$source, Default<Bool, "False">:$accumulate)> {
  let rule = "SameType";
}

def Aten_ScatterSrcOp : Aten_Movement<"scatter.src",
    (ins Tensor:$self, Int:$dim, Tensor:$index, Tensor:$src)> { let rule = "Scatter"; }

def Aten_ScatterValueOp : Aten_Movement<"scatter.value",
    (ins Tensor:$self, Int:$dim, Tensor:$index, Scalar:$value)> { let rule = "Scatter"; }

def Aten_ScatterAddOp : Aten_Movement<"scatter_add",
    (ins Tensor:$self, Int:$dim, Tensor:$index, Tensor:$src)> {
  let flops = "Elements";
  let rule = "Scatter";
}

def Aten_ScatterReduceTwoOp : Aten_Movement<"scatter_reduce.two",
    (ins Tensor:$self, Int:$dim, Tensor:$index, Tensor:$src, Str:$reduce,
         KeywordOnly<Bool, "True">:$include_self)> { let flops = "Elements"; let rule = "Scatter"; }

def Aten_SelectBackwardOp : Aten_Movement<"select_backward",
    (ins Tensor:$grad_output, SymInts:$input_sizes, Int:$dim, SymInt:$index)> {
  let rule = "ViewBackward";
}

def Aten_SelectScatterOp : Aten_Movement<"select_scatter",
    (ins Tensor:$self, Tensor:$src, Int:$dim, SymInt:$index)> { let rule = "SelectScatter"; }

def Aten_SliceBackwardOp : Aten_Movement<"slice_backward",
    (ins Tensor:$grad_output, SymInts:$input_sizes, Int:$dim, SymInt:$start, SymInt:$end,
         SymInt:$step)> { let rule = "ViewBackward"; }

def Aten_SliceScatterOp : Aten_Movement<"slice_scatter",
    (ins Tensor:$self, Tensor:$src, Default<Int, "0">:$dim, Default<SymInt, "None">:$start,
         Default<SymInt, "None">:$end, Default<SymInt, "1">:$step)> { let rule = "SliceScatter"; }

def Aten_UnfoldBackwardOp : Aten_Movement<"unfold_backward",
    (ins Tensor:$grad_in, SymInts:$input_sizes, Int:$dim, Int:$size, Int:$step)> {
  let rule = "ViewBackward";
}

#endif // TITAN_DIALECT_ATEN_IR_ATENSCATTEROPS_TD
