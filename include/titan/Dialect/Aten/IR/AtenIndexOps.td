#ifndef TITAN_DIALECT_ATEN_IR_ATENINDEXOPS_TD
#define TITAN_DIALECT_ATEN_IR_ATENINDEXOPS_TD

include "titan/Dialect/Aten/IR/AtenBase.td"

def Aten_EmbeddingBagOp : Aten_Movement<"_embedding_bag",
    (ins Tensor:$weight, Tensor:$indices, Tensor:$offsets,
         Default<Bool, "False">:$scale_grad_by_freq, Default<Int, "0">:$mode,
         Default<Bool, "False">:$sparse, Default<OptionalTensor, "None">:$per_sample_weights,
         Default<Bool, "False">:$include_last_offset, Default<Int, "-1">:$padding_idx),
    (outs Result:$output, Result:$offset2bag, Result:$bag_size, Result:$max_indices)> {
  let flops = "Elements";
}

def Aten_EmbeddingBagBackwardOp : Aten_Movement<"_embedding_bag_backward",
    (ins Tensor:$grad, Tensor:$indices, Tensor:$offsets, Tensor:$offset2bag, Tensor:$bag_size,
         Tensor:$maximum_indices, SymInt:$num_weights, Bool:$scale_grad_by_freq, Int:$mode,
         Bool:$sparse, OptionalTensor:$per_sample_weights, Default<Int, "-1">:$padding_idx)> {
  let flops = "Elements";
}

def Aten_UnsafeIndexTensorOp : Aten_Movement<"_unsafe_index.Tensor",
    (ins Tensor:$self, OptionalTensors:$indices)> { let rule = "Index"; }

def Aten_UnsafeMaskedIndexOp : Aten_Movement<"_unsafe_masked_index",
    (ins Tensor:$self, Tensor:$mask, OptionalTensors:$indices, Scalar:$fill)> {
  let summary = "Gather by index where the mask says so, else the fill value";
}

def Aten_EmbeddingOp : Aten_Movement<"embedding",
    (ins Tensor:$weight, Tensor:$indices, Default<SymInt, "-1">:$padding_idx,
         Default<Bool, "False">:$scale_grad_by_freq, Default<Bool, "False">:$sparse)> {
  let rule = "Embedding";
}

def Aten_EmbeddingDenseBackwardOp : Aten_Movement<"embedding_dense_backward",
    (ins Tensor:$grad_output, Tensor:$indices, SymInt:$num_weights, SymInt:$padding_idx,
         Bool:$scale_grad_by_freq)> { let flops = "Elements"; let rule = "EmbeddingBackward"; }

def Aten_GatherOp : Aten_Movement<"gather",
    (ins Tensor:$self, Int:$dim, Tensor:$index, KeywordOnly<Bool, "False">:$sparse_grad)> {
  let facts = ["Recomputable"];
  let rule = "Gather";
}

def Aten_IndexTensorOp : Aten_Movement<"index.Tensor",
    (ins Tensor:$self, OptionalTensors:$indices)> {
  let facts = ["Recomputable"];
  let rule = "Index";
}

def Aten_IndexSelectOp : Aten_Movement<"index_select",
    (ins Tensor:$self, Int:$dim, Tensor:$index)> { let rule = "IndexSelect"; }

def Aten_OneHotOp : Aten_Movement<"one_hot", (ins Tensor:$self, Default<Int, "-1">:$num_classes)> {
  let rule = "OneHot";
}

def Aten_RepeatInterleaveTensorOp : Aten_Movement<"repeat_interleave.Tensor",
    (ins Tensor:$repeats, KeywordOnly<SymInt, "None">:$output_size)>;

def Aten_RepeatInterleaveSelfIntOp : Aten_Movement<"repeat_interleave.self_int",
    (ins Tensor:$self, SymInt:$repeats, Default<Int, "None">:$dim,
         KeywordOnly<SymInt, "None">:$output_size)>;

def Aten_TakeOp : Aten_Movement<"take", (ins Tensor:$self, Tensor:$index)> { let rule = "Take"; }

#endif // TITAN_DIALECT_ATEN_IR_ATENINDEXOPS_TD
