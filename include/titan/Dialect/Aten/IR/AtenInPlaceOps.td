#ifndef TITAN_DIALECT_ATEN_IR_ATENINPLACEOPS_TD
#define TITAN_DIALECT_ATEN_IR_ATENINPLACEOPS_TD

include "titan/Dialect/Aten/IR/AtenBase.td"

def Aten_AddInPlaceTensorOp : Aten_InPlace<"add_.Tensor",
    (ins Mutated<Tensor>:$self, TensorOrScalar:$other, KeywordOnly<Scalar, "1">:$alpha)> {
  let facts = ["Recomputable", "Mutable", "Pointwise"];
}

def Aten_CopyInPlaceOp : Aten_InPlace<"copy_",
    (ins Mutated<Tensor>:$self, Tensor:$src, Default<Bool, "False">:$non_blocking)> {
  let flops = "None";
  let rule = "CopyFrom";
}

def Aten_FillInPlaceScalarOp : Aten_InPlace<"fill_.Scalar",
    (ins Mutated<Tensor>:$self, Scalar:$value)> { let flops = "None"; }

def Aten_IndexPutInPlaceOp : Aten_InPlace<"index_put_",
    (ins Mutated<Tensor>:$self, OptionalTensors:$indices, Tensor:$values,
         Default<Bool, "False">:$accumulate)> { let flops = "None"; let rule = "IndexPut"; }

def Aten_MaskedFillInPlaceScalarOp : Aten_InPlace<"masked_fill_.Scalar",
    (ins Mutated<Tensor>:$self, Tensor:$mask, Scalar:$value)> { let flops = "None"; }

def Aten_MulInPlaceTensorOp : Aten_InPlace<"mul_.Tensor",
    (ins Mutated<Tensor>:$self, TensorOrScalar:$other)> {
  let facts = ["Recomputable", "Mutable", "Pointwise"];
}

def Aten_ScatterInPlaceValueOp : Aten_InPlace<"scatter_.value",
    (ins Mutated<Tensor>:$self, Int:$dim, Tensor:$index, Scalar:$value)> {
  let flops = "None";
  let rule = "Scatter";
}

def Aten_SplitWithSizesCopyOutOp : Aten_InPlace<"split_with_sizes_copy.out",
    (ins Tensor:$self, SymInts:$split_sizes, Default<Int, "0">:$dim,
         KeywordOnly<Mutated<Tensors>>:$out), (outs)> {
  let summary = "Writes the parts of a tensor to given tensors";
  let flops = "None";
  let aliasOperand = -1;
  let rule = "Unchecked";
}

def Aten_ZeroInPlaceOp : Aten_InPlace<"zero_", (ins Mutated<Tensor>:$self)> { let flops = "None"; }

#endif // TITAN_DIALECT_ATEN_IR_ATENINPLACEOPS_TD
