#ifndef TITAN_DIALECT_ATEN_IR_ATENCOPYOPS_TD
#define TITAN_DIALECT_ATEN_IR_ATENCOPYOPS_TD

include "titan/Dialect/Aten/IR/AtenBase.td"

def Aten_ToCopyOp : Aten_Copy<"_to_copy",
    (ins Tensor:$self, KeywordOnly<Dtype, "None">:$dtype,
         KeywordOnly<TensorLayout, "None">:$layout, KeywordOnly<Device, "None">:$device,
         KeywordOnly<Bool, "None">:$pin_memory, KeywordOnly<Bool, "False">:$non_blocking,
         KeywordOnly<MemoryFormat, "None">:$memory_format)> { let rule = "Convert"; }

def Aten_CloneOp : Aten_Copy<"clone",
    (ins Tensor:$self, KeywordOnly<MemoryFormat, "None">:$memory_format)> {
  let facts = ["Recomputable", "Pointwise"];
}

def Aten_CopyOp : Aten_Copy<"copy",
    (ins Tensor:$self, Tensor:$src, Default<Bool, "False">:$non_blocking)> {
  let facts = [];
  let rule = "CopyFrom";
}

def Aten_DetachCopyOp : Aten_Copy<"detach_copy", (ins Tensor:$self)> { let facts = []; }

def Aten_ExpandCopyOp : Aten_Copy<"expand_copy",
    (ins Tensor:$self, SymInts:$size, KeywordOnly<Bool, "False">:$implicit)> {
  let facts = [];
  let rule = "Expand";
}

def Aten_FillScalarOp : Aten_Copy<"fill.Scalar", (ins Tensor:$self, Scalar:$value)> {
  let facts = [];
}

def Aten_LiftFreshCopyOp : Aten_Copy<"lift_fresh_copy", (ins Tensor:$self)>;

def Aten_PermuteCopyOp : Aten_Copy<"permute_copy", (ins Tensor:$self, Ints:$dims)> {
  let facts = [];
  let rule = "Permute";
}

def Aten_TCopyOp : Aten_Copy<"t_copy", (ins Tensor:$self)> { let facts = []; let rule = "T"; }

def Aten_ToDtypeOp : Aten_Copy<"to.dtype",
    (ins Tensor:$self, Dtype:$dtype, Default<Bool, "False">:$non_blocking,
         Default<Bool, "False">:$copy, Default<MemoryFormat, "None">:$memory_format)> {
  let rule = "Convert";
}

def Aten_TypeAsOp : Aten_Copy<"type_as", (ins Tensor:$self, Tensor:$other)> { let rule = "TypeAs"; }

def Aten_ViewCopyOp : Aten_Copy<"view_copy", (ins Tensor:$self, SymInts:$size)> {
  let facts = [];
  let rule = "View";
}

#endif // TITAN_DIALECT_ATEN_IR_ATENCOPYOPS_TD
