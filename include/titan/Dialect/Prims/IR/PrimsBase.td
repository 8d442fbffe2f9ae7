#ifndef TITAN_DIALECT_PRIMS_IR_PRIMSBASE_TD
#define TITAN_DIALECT_PRIMS_IR_PRIMSBASE_TD

include "titan/Interfaces/TorchOpBase.td"
include "titan/Dialect/Prims/IR/PrimsDialect.td"

class Prims_Op<string mnemonic, dag params, dag outputs = (outs Result:$result)>
    : Torch_Op<Prims_Dialect, mnemonic, params, outputs>;

#endif // TITAN_DIALECT_PRIMS_IR_PRIMSBASE_TD
