#ifndef TITAN_DIALECT_ATEN_IR_ATENSLICEOPS_TD
#define TITAN_DIALECT_ATEN_IR_ATENSLICEOPS_TD

include "titan/Dialect/Aten/IR/AtenBase.td"

def Aten_AsStridedOp : Aten_View<"as_strided",
    (ins Tensor:$self, SymInts:$size, SymInts:$stride, Default<SymInt, "None">:$storage_offset)> {
  let rule = "AsStrided";
}

def Aten_ChunkOp : Aten_View<"chunk",
    (ins Tensor:$self, Int:$chunks, Default<Int, "0">:$dim), (outs Results:$results)> {
  let facts = [];
  let rule = "Chunk";
}

def Aten_DiagonalOp : Aten_View<"diagonal",
    (ins Tensor:$self, Default<Int, "0">:$offset, Default<Int, "0">:$dim1, Default<Int, "1">:$dim2)> {
  let facts = [];
  let rule = "Diagonal";
}

def Aten_NarrowOp : Aten_View<"narrow",
    (ins Tensor:$self, Int:$dim, SymInt:$start, SymInt:$length)> {
  let facts = [];
  let rule = "Narrow";
}

def Aten_SelectIntOp : Aten_View<"select.int", (ins Tensor:$self, Int:$dim, SymInt:$index)> {
  let rule = "Select";
}

def Aten_SliceTensorOp : Aten_View<"slice.Tensor",
    (ins Tensor:$self, Default<Int, "0">:$dim, Default<SymInt, "None">:$start,
         Default<SymInt, "None">:$end, Default<SymInt, "1">:$step)> { let rule = "Slice"; }

def Aten_SplitTensorOp : Aten_View<"split.Tensor",
    (ins Tensor:$self, SymInt:$split_size, Default<Int, "0">:$dim), (outs Results:$results)> {
  let rule = "Split";
}

def Aten_SplitWithSizesOp : Aten_View<"split_with_sizes",
    (ins Tensor:$self, SymInts:$split_sizes, Default<Int, "0">:$dim), (outs Results:$results)> {
  let facts = [];
  let rule = "SplitWithSizes";
}

def Aten_UnbindIntOp : Aten_View<"unbind.int",
    (ins Tensor:$self, Default<Int, "0">:$dim), (outs Results:$results)> {
  let facts = [];
  let rule = "Unbind";
}

def Aten_UnfoldOp : Aten_View<"unfold", (ins Tensor:$self, Int:$dimension, Int:$size, Int:$step)> {
  let facts = [];
  let rule = "Unfold";
}

#endif // TITAN_DIALECT_ATEN_IR_ATENSLICEOPS_TD
