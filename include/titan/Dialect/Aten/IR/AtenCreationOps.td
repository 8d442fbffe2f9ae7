#ifndef TITAN_DIALECT_ATEN_IR_ATENCREATIONOPS_TD
#define TITAN_DIALECT_ATEN_IR_ATENCREATIONOPS_TD

include "titan/Dialect/Aten/IR/AtenBase.td"

def Aten_ArangeOp : Aten_Creation<"arange",
    (ins Scalar:$end, KeywordOnly<Dtype, "None">:$dtype,
         KeywordOnly<TensorLayout, "None">:$layout, KeywordOnly<Device, "None">:$device,
         KeywordOnly<Bool, "None">:$pin_memory)> { let rule = "Arange"; }

def Aten_ArangeStartOp : Aten_Creation<"arange.start",
    (ins Scalar:$start, Scalar:$end, KeywordOnly<Dtype, "None">:$dtype,
         KeywordOnly<TensorLayout, "None">:$layout, KeywordOnly<Device, "None">:$device,
         KeywordOnly<Bool, "None">:$pin_memory)> { let rule = "Arange"; }

def Aten_ArangeStartStepOp : Aten_Creation<"arange.start_step",
    (ins Scalar:$start, Scalar:$end, Default<Scalar, "1">:$step,
         KeywordOnly<Dtype, "None">:$dtype, KeywordOnly<TensorLayout, "None">:$layout,
         KeywordOnly<Device, "None">:$device, KeywordOnly<Bool, "None">:$pin_memory)> {
  let rule = "Arange";
}

def Aten_EmptyMemoryFormatOp : Aten_Creation<"empty.memory_format",
    (ins SymInts:$size, KeywordOnly<Dtype, "None">:$dtype,
         KeywordOnly<TensorLayout, "None">:$layout, KeywordOnly<Device, "None">:$device,
         KeywordOnly<Bool, "None">:$pin_memory, KeywordOnly<MemoryFormat, "None">:$memory_format)>;

def Aten_EmptyLikeOp : Aten_Creation<"empty_like",
    (ins Tensor:$self, KeywordOnly<Dtype, "None">:$dtype,
         KeywordOnly<TensorLayout, "None">:$layout, KeywordOnly<Device, "None">:$device,
         KeywordOnly<Bool, "None">:$pin_memory, KeywordOnly<MemoryFormat, "None">:$memory_format)> {
  let rule = "Convert";
}

def Aten_EyeMOp : Aten_Creation<"eye.m",
    (ins SymInt:$n, SymInt:$m, KeywordOnly<Dtype, "None">:$dtype,
         KeywordOnly<TensorLayout, "None">:$layout, KeywordOnly<Device, "None">:$device,
         KeywordOnly<Bool, "None">:$pin_memory)> { let facts = []; let rule = "Eye"; }

def Aten_FullOp : Aten_Creation<"full",
    (ins SymInts:$size, Scalar:$fill_value, KeywordOnly<Dtype, "None">:$dtype,
         KeywordOnly<TensorLayout, "None">:$layout, KeywordOnly<Device, "None">:$device,
         KeywordOnly<Bool, "None">:$pin_memory)>;

def Aten_FullLikeOp : Aten_Creation<"full_like",
    (ins Tensor:$self, Scalar:$fill_value, KeywordOnly<Dtype, "None">:$dtype,
         KeywordOnly<TensorLayout, "None">:$layout, KeywordOnly<Device, "None">:$device,
         KeywordOnly<Bool, "None">:$pin_memory, KeywordOnly<MemoryFormat, "None">:$memory_format)> {
  let rule = "Convert";
}

def Aten_LinspaceOp : Aten_Creation<"linspace",
    (ins Scalar:$start, Scalar:$end, Int:$steps, KeywordOnly<Dtype, "None">:$dtype,
         KeywordOnly<TensorLayout, "None">:$layout, KeywordOnly<Device, "None">:$device,
         KeywordOnly<Bool, "None">:$pin_memory)> { let facts = []; let rule = "Vector"; }

def Aten_NewEmptyOp : Aten_Creation<"new_empty",
    (ins Tensor:$self, SymInts:$size, KeywordOnly<Dtype, "None">:$dtype,
         KeywordOnly<TensorLayout, "None">:$layout, KeywordOnly<Device, "None">:$device,
         KeywordOnly<Bool, "None">:$pin_memory)> { let facts = []; let rule = "New"; }

def Aten_NewEmptyStridedOp : Aten_Creation<"new_empty_strided",
    (ins Tensor:$self, SymInts:$size, SymInts:$stride, KeywordOnly<Dtype, "None">:$dtype,
         KeywordOnly<TensorLayout, "None">:$layout, KeywordOnly<Device, "None">:$device,
         KeywordOnly<Bool, "None">:$pin_memory)> { let facts = []; let rule = "New"; }

def Aten_NewFullOp : Aten_Creation<"new_full",
    (ins Tensor:$self, SymInts:$size, Scalar:$fill_value, KeywordOnly<Dtype, "None">:$dtype,
         KeywordOnly<TensorLayout, "None">:$layout, KeywordOnly<Device, "None">:$device,
         KeywordOnly<Bool, "None">:$pin_memory)> { let facts = []; let rule = "New"; }

def Aten_NewOnesOp : Aten_Creation<"new_ones",
    (ins Tensor:$self, SymInts:$size, KeywordOnly<Dtype, "None">:$dtype,
         KeywordOnly<TensorLayout, "None">:$layout, KeywordOnly<Device, "None">:$device,
         KeywordOnly<Bool, "None">:$pin_memory)> { let facts = []; let rule = "New"; }

def Aten_NewZerosOp : Aten_Creation<"new_zeros",
    (ins Tensor:$self, SymInts:$size, KeywordOnly<Dtype, "None">:$dtype,
         KeywordOnly<TensorLayout, "None">:$layout, KeywordOnly<Device, "None">:$device,
         KeywordOnly<Bool, "None">:$pin_memory)> { let rule = "New"; }

def Aten_OnesOp : Aten_Creation<"ones",
    (ins SymInts:$size, KeywordOnly<Dtype, "None">:$dtype,
         KeywordOnly<TensorLayout, "None">:$layout, KeywordOnly<Device, "None">:$device,
         KeywordOnly<Bool, "None">:$pin_memory)>;

def Aten_OnesLikeOp : Aten_Creation<"ones_like",
    (ins Tensor:$self, KeywordOnly<Dtype, "None">:$dtype,
         KeywordOnly<TensorLayout, "None">:$layout, KeywordOnly<Device, "None">:$device,
         KeywordOnly<Bool, "None">:$pin_memory, KeywordOnly<MemoryFormat, "None">:$memory_format)> {
  let facts = [];
  let rule = "Convert";
}

def Aten_ScalarTensorOp : Aten_Creation<"scalar_tensor",
    (ins Scalar:$s, KeywordOnly<Dtype, "None">:$dtype, KeywordOnly<TensorLayout, "None">:$layout,
         KeywordOnly<Device, "None">:$device, KeywordOnly<Bool, "None">:$pin_memory)> {
  let rule = "ScalarTensor";
}

def Aten_TrilIndicesOp : Aten_Creation<"tril_indices",
    (ins Int:$row, Int:$col, Default<Int, "0">:$offset, KeywordOnly<Dtype, "4">:$dtype,
         KeywordOnly<TensorLayout, "None">:$layout, KeywordOnly<Device, "None">:$device,
         KeywordOnly<Bool, "None">:$pin_memory)> { let facts = []; let rule = "Unchecked"; }

def Aten_ZerosOp : Aten_Creation<"zeros",
    (ins SymInts:$size, KeywordOnly<Dtype, "None">:$dtype,
         KeywordOnly<TensorLayout, "None">:$layout, KeywordOnly<Device, "None">:$device,
         KeywordOnly<Bool, "None">:$pin_memory)>;

def Aten_ZerosLikeOp : Aten_Creation<"zeros_like",
    (ins Tensor:$self, KeywordOnly<Dtype, "None">:$dtype,
         KeywordOnly<TensorLayout, "None">:$layout, KeywordOnly<Device, "None">:$device,
         KeywordOnly<Bool, "None">:$pin_memory, KeywordOnly<MemoryFormat, "None">:$memory_format)> {
  let rule = "Convert";
}

#endif // TITAN_DIALECT_ATEN_IR_ATENCREATIONOPS_TD
