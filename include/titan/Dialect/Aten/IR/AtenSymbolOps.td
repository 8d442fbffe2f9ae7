#ifndef TITAN_DIALECT_ATEN_IR_ATENSYMBOLOPS_TD
#define TITAN_DIALECT_ATEN_IR_ATENSYMBOLOPS_TD

include "titan/Dialect/Aten/IR/AtenBase.td"

def Aten_AssertAsyncMsgOp : Aten_Op<"_assert_async.msg",
    (ins Tensor:$self, Str:$assert_msg), (outs)> {
  let summary = "Fails on the device if the tensor is false";
  let work = "Effectful";
  let facts = ["Impure", "Assertion"];
  let flops = "None";
}

def Aten_AssertScalarOp : Aten_Op<"_assert_scalar", (ins Scalar:$self, Str:$assert_msg), (outs)> {
  let work = "Effectful";
  let facts = ["Impure", "Assertion"];
  let flops = "None";
}

def Aten_LocalScalarDenseOp : Aten_Op<"_local_scalar_dense", (ins Tensor:$self)> {
  let summary = "A tensor's one element as a number of the host: item()";
  let work = "Symbolic";
  let flops = "None";
  let rule = "Item";
}

def Aten_SymConstrainRangeOp : Aten_Op<"sym_constrain_range",
    (ins Scalar:$size, KeywordOnly<Int, "None">:$min, KeywordOnly<Int, "None">:$max), (outs)> {
  let work = "Effectful";
  let facts = ["Impure"];
  let flops = "None";
}

def Aten_SymConstrainRangeForSizeOp : Aten_Op<"sym_constrain_range_for_size",
    (ins Scalar:$size, KeywordOnly<Int, "None">:$min, KeywordOnly<Int, "None">:$max), (outs)> {
  let summary = "Says of a symbolic number that it is a size";
  let work = "Effectful";
  let facts = ["Impure"];
  let flops = "None";
}

def Aten_SymNumelOp : Aten_Op<"sym_numel", (ins Tensor:$self)> {
  let work = "Symbolic";
  let flops = "None";
  let rule = "SymbolicSize";
}

def Aten_SymSizeIntOp : Aten_Op<"sym_size.int", (ins Tensor:$self, Int:$dim)> {
  let work = "Symbolic";
  let flops = "None";
  let rule = "SymbolicSize";
}

def Aten_SymStorageOffsetOp : Aten_Op<"sym_storage_offset", (ins Tensor:$self)> {
  let work = "Symbolic";
  let flops = "None";
  let rule = "SymbolicSize";
}

def Aten_SymStrideIntOp : Aten_Op<"sym_stride.int", (ins Tensor:$self, Int:$dim)> {
  let work = "Symbolic";
  let flops = "None";
  let rule = "SymbolicSize";
}

#endif // TITAN_DIALECT_ATEN_IR_ATENSYMBOLOPS_TD
