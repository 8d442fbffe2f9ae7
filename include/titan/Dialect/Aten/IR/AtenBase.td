#ifndef TITAN_DIALECT_ATEN_IR_ATENBASE_TD
#define TITAN_DIALECT_ATEN_IR_ATENBASE_TD

include "titan/Interfaces/TorchOpBase.td"
include "titan/Dialect/Aten/IR/AtenDialect.td"

class Aten_Op<string mnemonic, dag params, dag outputs, list<Trait> traits = []>
    : Torch_Op<Aten_Dialect, mnemonic, params, outputs, traits>;

#endif // TITAN_DIALECT_ATEN_IR_ATENBASE_TD
