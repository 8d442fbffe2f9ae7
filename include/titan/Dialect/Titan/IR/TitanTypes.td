#ifndef TITAN_DIALECT_TITAN_IR_TITANTYPES_TD
#define TITAN_DIALECT_TITAN_IR_TITANTYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "titan/Dialect/Titan/IR/TitanDialect.td"

def Titan_OpaqueType : TypeDef<Titan_Dialect, "Opaque"> {
  let mnemonic = "opaque";
  let summary = "A value that is neither tensor nor number: a device mesh, a random state, a script object";
  let parameters = (ins StringRefParameter<"what it is, empty if unknown">:$kind);
  let assemblyFormat = "`<` $kind `>`";
}

def Titan_UnknownType : TypeDef<Titan_Dialect, "Unknown"> {
  let mnemonic = "unknown";
  let summary = "An element of a tuple that nothing reads and whose type the text does not give";
}

#endif // TITAN_DIALECT_TITAN_IR_TITANTYPES_TD
