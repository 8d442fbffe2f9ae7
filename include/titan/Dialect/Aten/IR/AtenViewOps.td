#ifndef TITAN_DIALECT_ATEN_IR_ATENVIEWOPS_TD
#define TITAN_DIALECT_ATEN_IR_ATENVIEWOPS_TD

include "titan/Dialect/Aten/IR/AtenBase.td"

def Aten_ConjOp : Aten_View<"_conj", (ins Tensor:$self)> { let facts = []; let rule = "SameType"; }

def Aten_UnsafeViewOp : Aten_View<"_unsafe_view", (ins Tensor:$self, SymInts:$size)> {
  let summary = "A view that the autograd engine does not track";
  let facts = ["Recomputable"];
  let rule = "View";
}

def Aten_AliasOp : Aten_View<"alias", (ins Tensor:$self)> { let rule = "SameType"; }
def Aten_Atleast1dOp : Aten_View<"atleast_1d", (ins Tensor:$self)> { let facts = []; }

def Aten_DetachOp : Aten_View<"detach", (ins Tensor:$self)> {
  let facts = [];
  let rule = "SameType";
}

def Aten_ExpandOp : Aten_View<"expand",
    (ins Tensor:$self, SymInts:$size, KeywordOnly<Bool, "False">:$implicit)> {
  let rule = "Expand";
}

def Aten_MovedimIntOp : Aten_View<"movedim.int",
    (ins Tensor:$self, Int:$source, Int:$destination)> { let facts = []; let rule = "Movedim"; }

def Aten_PermuteOp : Aten_View<"permute", (ins Tensor:$self, Ints:$dims)> { let rule = "Permute"; }
def Aten_RealOp : Aten_View<"real", (ins Tensor:$self)> { let facts = []; let rule = "RealValued"; }

def Aten_ReshapeOp : Aten_View<"reshape", (ins Tensor:$self, SymInts:$shape)> {
  let facts = ["Recomputable"];
  let rule = "View";
}

def Aten_ResolveConjOp : Aten_View<"resolve_conj", (ins Tensor:$self)> {
  let facts = [];
  let rule = "SameType";
}

def Aten_SqueezeOp : Aten_View<"squeeze", (ins Tensor:$self)> { let rule = "Squeeze"; }

def Aten_SqueezeDimOp : Aten_View<"squeeze.dim", (ins Tensor:$self, Int:$dim)> {
  let rule = "Squeeze";
}

def Aten_SqueezeDimsOp : Aten_View<"squeeze.dims", (ins Tensor:$self, Ints:$dim)> {
  let rule = "Squeeze";
}

def Aten_TOp : Aten_View<"t", (ins Tensor:$self)> { let rule = "T"; }

def Aten_TransposeIntOp : Aten_View<"transpose.int", (ins Tensor:$self, Int:$dim0, Int:$dim1)> {
  let facts = [];
  let rule = "Transpose";
}

def Aten_UnsqueezeOp : Aten_View<"unsqueeze", (ins Tensor:$self, Int:$dim)> {
  let rule = "Unsqueeze";
}

def Aten_ViewOp : Aten_View<"view", (ins Tensor:$self, SymInts:$size)> { let rule = "View"; }

def Aten_ViewDtypeOp : Aten_View<"view.dtype", (ins Tensor:$self, Dtype:$dtype)> {
  let rule = "ViewDtype";
}

def Aten_ViewAsComplexOp : Aten_View<"view_as_complex", (ins Tensor:$self)> {
  let facts = [];
  let rule = "ViewAsComplex";
}

def Aten_ViewAsRealOp : Aten_View<"view_as_real", (ins Tensor:$self)> {
  let facts = [];
  let rule = "ViewAsReal";
}

#endif // TITAN_DIALECT_ATEN_IR_ATENVIEWOPS_TD
