#ifndef TITAN_DIALECT_ATEN_IR_ATENARRANGEOPS_TD
#define TITAN_DIALECT_ATEN_IR_ATENARRANGEOPS_TD

include "titan/Dialect/Aten/IR/AtenBase.td"

def Aten_CatOp : Aten_Movement<"cat", (ins Tensors:$tensors, Default<Int, "0">:$dim)> {
  let rule = "Cat";
}

def Aten_DiagEmbedOp : Aten_Movement<"diag_embed",
    (ins Tensor:$self, Default<Int, "0">:$offset, Default<Int, "-2">:$dim1,
         Default<Int, "-1">:$dim2)> { let rule = "DiagEmbed"; }

def Aten_FlipOp : Aten_Movement<"flip", (ins Tensor:$self, Ints:$dims)> { let rule = "SameType"; }

def Aten_RepeatOp : Aten_Movement<"repeat", (ins Tensor:$self, SymInts:$repeats)> {
  let rule = "Repeat";
}

def Aten_RollOp : Aten_Movement<"roll",
    (ins Tensor:$self, SymInts:$shifts, Default<Ints, "[]">:$dims)> { let rule = "SameType"; }

def Aten_Rot90Op : Aten_Movement<"rot90",
    (ins Tensor:$self, Default<Int, "1">:$k, Default<Ints, "[0, 1]">:$dims)>;

def Aten_StackOp : Aten_Movement<"stack", (ins Tensors:$tensors, Default<Int, "0">:$dim)> {
  let rule = "Stack";
}

def Aten_TileOp : Aten_Movement<"tile", (ins Tensor:$self, SymInts:$dims)> { let rule = "Repeat"; }

def Aten_TrilOp : Aten_Movement<"tril", (ins Tensor:$self, Default<SymInt, "0">:$diagonal)> {
  let rule = "SameType";
}

def Aten_TriuOp : Aten_Movement<"triu", (ins Tensor:$self, Default<SymInt, "0">:$diagonal)> {
  let facts = ["Recomputable"];
  let rule = "SameType";
}

#endif // TITAN_DIALECT_ATEN_IR_ATENARRANGEOPS_TD
