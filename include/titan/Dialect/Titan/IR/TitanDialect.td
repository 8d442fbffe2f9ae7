#ifndef TITAN_DIALECT_TITAN_IR_TITANDIALECT_TD
#define TITAN_DIALECT_TITAN_IR_TITANDIALECT_TD

include "mlir/IR/OpBase.td"

def Titan_Dialect : Dialect {
  let name = "titan";
  let cppNamespace = "::mlir::titan";
  let summary = "What a training graph carries besides its ops";
  let description = [{
    Policies, phases, roles, names and layouts as discardable attributes; the
    escape op `titan.torch_op` for every op that no dialect models; symbolic
    arithmetic. docs/Dialects.md lists where each attribute stands.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
    void registerOps();
  }];
}

#endif // TITAN_DIALECT_TITAN_IR_TITANDIALECT_TD
