#ifndef TITAN_DIALECT_ATEN_IR_ATENSLICEOPS_TD
#define TITAN_DIALECT_ATEN_IR_ATENSLICEOPS_TD

include "titan/Dialect/Aten/IR/AtenBase.td"

def Aten_AsStridedOp : Aten_View<"as_strided",
    (ins Tensor:$self, SymInts:$size, SymInts:$stride, Default<SymInt, "None">:$storage_offset)>;

def Aten_ChunkOp : Aten_View<"chunk",
    (ins Tensor:$self, Int:$chunks, Default<Int, "0">:$dim), (outs Results:$results)> {
  let facts = [];
}

def Aten_DiagonalOp : Aten_View<"diagonal",
    (ins Tensor:$self, Default<Int, "0">:$offset, Default<Int, "0">:$dim1, Default<Int, "1">:$dim2)> {
  let facts = [];
}

def Aten_NarrowOp : Aten_View<"narrow",
    (ins Tensor:$self, Int:$dim, SymInt:$start, SymInt:$length)> { let facts = []; }

def Aten_SelectIntOp : Aten_View<"select.int", (ins Tensor:$self, Int:$dim, SymInt:$index)>;

def Aten_SliceTensorOp : Aten_View<"slice.Tensor",
    (ins Tensor:$self, Default<Int, "0">:$dim, Default<SymInt, "None">:$start,
         Default<SymInt, "None">:$end, Default<SymInt, "1">:$step)>;

def Aten_SplitTensorOp : Aten_View<"split.Tensor",
    (ins Tensor:$self, SymInt:$split_size, Default<Int, "0">:$dim), (outs Results:$results)>;

def Aten_SplitWithSizesOp : Aten_View<"split_with_sizes",
    (ins Tensor:$self, SymInts:$split_sizes, Default<Int, "0">:$dim), (outs Results:$results)> {
  let facts = [];
}

def Aten_UnbindIntOp : Aten_View<"unbind.int",
    (ins Tensor:$self, Default<Int, "0">:$dim), (outs Results:$results)> { let facts = []; }

def Aten_UnfoldOp : Aten_View<"unfold", (ins Tensor:$self, Int:$dimension, Int:$size, Int:$step)> {
  let facts = [];
}

#endif // TITAN_DIALECT_ATEN_IR_ATENSLICEOPS_TD
