#ifndef TITAN_DIALECT_C10D_IR_C10DBASE_TD
#define TITAN_DIALECT_C10D_IR_C10DBASE_TD

include "titan/Interfaces/TorchOpBase.td"
include "titan/Dialect/C10d/IR/C10dDialect.td"

class C10d_Collective<string mnemonic, dag params, dag outputs = (outs Result:$result)>
    : Torch_Op<C10d_Dialect, mnemonic, params, outputs,
               [DeclareOpInterfaceMethods<CollectiveOpInterface>]> {
  // What is exchanged, an enumerator of `CollectiveKind`.
  string collective = "?";
  let work = "Collective";
  let flops = "None";
  let furtherDefinition = [{
    ::mlir::titan::CollectiveKind $cppClass::getCollectiveKind() {
      return ::mlir::titan::CollectiveKind::}] # collective # [{;
    }
    ::llvm::StringRef $cppClass::getGroup() {
      return ::mlir::titan::CallView(getOperation()).getString("group_name");
    }
    std::optional<int64_t> $cppClass::getGroupSizeIfKnown() {
      return ::mlir::titan::CallView(getOperation()).getInt("group_size");
    }
  }];
}

// Until a wait, the value of a collective is not there; the wait returns the
// same storage.
class C10d_Wait<string mnemonic, dag params, dag outputs = (outs Result:$result)>
    : C10d_Collective<mnemonic, params, outputs> {
  let collective = "Wait";
  let rule = "Wait";
  let facts = ["Impure", "Wait"];
  let aliasOperand = 0;
}

#endif // TITAN_DIALECT_C10D_IR_C10DBASE_TD
