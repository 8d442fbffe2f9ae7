// The questions passes, analyses and the importer ask an op. No pass and no
// analysis knows an op by its name (docs/Architecture.md, "Interfaces").

#ifndef TITAN_INTERFACES_TORCHOPINTERFACES_TD
#define TITAN_INTERFACES_TORCHOPINTERFACES_TD

include "mlir/IR/Interfaces.td"

def TorchOpInterface : OpInterface<"TorchOpInterface"> {
  let cppNamespace = "::mlir::titan";
  let description = [{
    An op that mirrors one overload of a PyTorch operator and stores the
    schema's parameters as `ParameterKind` says.
  }];
  let methods = [
    StaticInterfaceMethod<"The schema's parameters, in order.",
      "::llvm::ArrayRef<::mlir::titan::SchemaParameter>", "getSchema">,
    InterfaceMethod<[{
        Start and length of the operands that belong to the ODS operand group
        `group` (the n-th parameter that has operands).
      }], "std::pair<unsigned, unsigned>", "getOperandGroup", (ins "unsigned":$group)>,
  ];
}

def RecomputeOpInterface : OpInterface<"RecomputeOpInterface"> {
  let cppNamespace = "::mlir::titan";
  let description = [{
    Says what running the op a second time would mean. With the size of its
    results this is all that the partitioner asks of an op.
  }];
  let methods = [
    InterfaceMethod<"The class of work this op does.",
      "::mlir::titan::WorkClass", "getWorkClass">,
    InterfaceMethod<"What else is known of it, as a set of bits.",
      "::mlir::titan::OpFact", "getFacts">,
  ];
}

def CostOpInterface : OpInterface<"CostOpInterface"> {
  let cppNamespace = "::mlir::titan";
  let description = [{
    Which formula counts the op's floating point operations; `Analysis/CostModel`
    evaluates it on the op's types.
  }];
  let methods = [
    InterfaceMethod<"The formula for this op.",
      "::mlir::titan::FlopFormula", "getFlopFormula">,
  ];
}

def AliasOpInterface : OpInterface<"AliasOpInterface"> {
  let cppNamespace = "::mlir::titan";
  let description = [{
    Which operand's storage a result shares.
  }];
  let methods = [
    InterfaceMethod<[{
        The number of the operand whose storage result `result` shares, or none
        if the result has storage of its own.
      }], "std::optional<unsigned>", "getAliasedOperand", (ins "unsigned":$result)>,
  ];
}

def CollectiveOpInterface : OpInterface<"CollectiveOpInterface"> {
  let cppNamespace = "::mlir::titan";
  let description = [{
    An op by which the ranks of a process group exchange data, or a wait for one.
  }];
  let methods = [
    InterfaceMethod<"What is exchanged.",
      "::mlir::titan::CollectiveKind", "getCollectiveKind">,
    InterfaceMethod<"The name of the process group; empty for a wait.",
      "::llvm::StringRef", "getGroup">,
    InterfaceMethod<"The number of ranks where the schema has it, else none.",
      "std::optional<int64_t>", "getGroupSizeIfKnown">,
  ];
}

#endif // TITAN_INTERFACES_TORCHOPINTERFACES_TD
