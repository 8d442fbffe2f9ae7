#ifndef TITAN_DIALECT_TITAN_IR_TITANATTRS_TD
#define TITAN_DIALECT_TITAN_IR_TITANATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "titan/Dialect/Titan/IR/TitanDialect.td"

class Titan_Attr<string name, string mnemonicName> : AttrDef<Titan_Dialect, name> {
  let mnemonic = mnemonicName;
}

class Titan_EnumAttr<EnumInfo info, string mnemonicName>
    : EnumAttr<Titan_Dialect, info, mnemonicName> {
  let assemblyFormat = "`<` $value `>`";
}

// The integer values are PyTorch's: they stand in dumps.
def Titan_Policy : I32Enum<"Policy",
    "what a checkpoint policy says of a value (torch.utils.checkpoint.CheckpointPolicy)", [
      I32EnumCase<"MustSave", 0, "must_save">,
      I32EnumCase<"PreferSave", 1, "prefer_save">,
      I32EnumCase<"MustRecompute", 2, "must_recompute">,
      I32EnumCase<"PreferRecompute", 3, "prefer_recompute">,
      I32EnumCase<"MustCpuOffload", 4, "must_cpu_offload">,
      I32EnumCase<"PreferCpuOffload", 5, "prefer_cpu_offload">,
    ]> { let cppNamespace = "::mlir::titan"; }
def Titan_PolicyAttr : Titan_EnumAttr<Titan_Policy, "policy">;

def Titan_Phase : I32Enum<"Phase", "the side of the step an op belongs to", [
      I32EnumCase<"Forward", 0, "forward">,
      I32EnumCase<"Backward", 1, "backward">,
      I32EnumCase<"MustBeInForward", 2, "must_be_in_forward">,
      I32EnumCase<"MustBeInBackward", 3, "must_be_in_backward">,
    ]> { let cppNamespace = "::mlir::titan"; }
def Titan_PhaseAttr : Titan_EnumAttr<Titan_Phase, "phase">;

def Titan_Role : I32Enum<"Role", "what an argument or a result is to the step", [
      I32EnumCase<"Param", 0, "param">,
      I32EnumCase<"Buffer", 1, "buffer">,
      I32EnumCase<"Input", 2, "input">,
      I32EnumCase<"Tangent", 3, "tangent">,
      I32EnumCase<"Seed", 4, "seed">,
      I32EnumCase<"Token", 5, "token">,
      I32EnumCase<"Constant", 6, "constant">,
      I32EnumCase<"Output", 7, "output">,
      I32EnumCase<"Mutation", 8, "mutation">,
      I32EnumCase<"Grad", 9, "grad">,
      // Arguments of @backward and results of @forward that the partition made.
      I32EnumCase<"Saved", 10, "saved">,
    ]> { let cppNamespace = "::mlir::titan"; }
def Titan_RoleAttr : Titan_EnumAttr<Titan_Role, "role">;

def Titan_LayoutAttr : Titan_Attr<"Layout", "layout"> {
  let summary = "Shape, strides and device of a value, where its type cannot say them";
  let description = [{
    `shape` holds an i64 or, for a symbolic dimension, a string (`"2*s0"`) an
    entry; `strides` likewise, in elements; either is left out where it follows
    from the type (static shape, contiguous strides). `device` is `"cuda:0"`,
    `"cpu"`, or empty: the module's `titan.device`.
    `value` is the expression of a symbolic number (`"s0 + 1"`), for values that
    are no tensors. `wrapper` is the text of a tensor subclass around the value's
    annotation with `@` in its place (`"DTensor(@, S(0))"`), else empty.
  }];
  let parameters = (ins
    OptionalParameter<"::mlir::ArrayAttr">:$shape,
    OptionalParameter<"::mlir::ArrayAttr">:$strides,
    OptionalParameter<"::mlir::StringAttr">:$device,
    OptionalParameter<"::mlir::StringAttr">:$value,
    OptionalParameter<"::mlir::StringAttr">:$wrapper);
  let assemblyFormat = "`<` struct(params) `>`";
}

//===----------------------------------------------------------------------===//
// Literal arguments of titan.torch_op
//===----------------------------------------------------------------------===//

def Titan_ArgumentAttr : Titan_Attr<"Argument", "arg"> {
  let summary = "The place of an operand among literal arguments";
  let parameters = (ins "unsigned":$index);
  let assemblyFormat = "`<` $index `>`";
}

def Titan_TupleAttr : Titan_Attr<"Tuple", "tuple"> {
  let summary = "A Python tuple among literal arguments (a list is a plain array)";
  let parameters = (ins "::mlir::ArrayAttr":$elements);
  let assemblyFormat = "`<` $elements `>`";
}

def Titan_DictAttr : Titan_Attr<"Dict", "dict"> {
  let summary = "A Python dictionary, in its own order, as pairs of key and value";
  let parameters = (ins "::mlir::ArrayAttr":$entries);
  let assemblyFormat = "`<` $entries `>`";
  let genVerifyDecl = 1;
}

def Titan_NoneAttr : Titan_Attr<"None", "none"> {
  let summary = "Python's None";
}

def Titan_PythonAttr : Titan_Attr<"Python", "python"> {
  let summary = "A Python expression that Titan keeps but does not read";
  let description = [{
    `torch.strided`, `device(type='cuda', index=0)`, `slice(None, 2)`, an enum,
    an operator overload passed as an argument.
  }];
  let parameters = (ins StringRefParameter<"the expression">:$text);
  let assemblyFormat = "`<` $text `>`";
}

#endif // TITAN_DIALECT_TITAN_IR_TITANATTRS_TD
