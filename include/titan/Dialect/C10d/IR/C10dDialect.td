#ifndef TITAN_DIALECT_C10D_IR_C10DDIALECT_TD
#define TITAN_DIALECT_C10D_IR_C10DDIALECT_TD

include "mlir/IR/OpBase.td"

def C10d_Dialect : Dialect {
  let name = "c10d";
  let cppNamespace = "::mlir::titan::c10d";
  let summary = "Collectives between the ranks of a process group";
  let description = [{
    PyTorch's `_c10d_functional`: a collective returns at once, and its value may
    be read after `c10d.wait_tensor`. The group is named by a string; its size is
    an attribute where the schema has it. No collective may be merged with an
    equal one, dropped or moved over another behind the partitioner's back: the
    ranks match them up by their order.
  }];
  let extraClassDeclaration = [{ void registerOps(); }];
}

#endif // TITAN_DIALECT_C10D_IR_C10DDIALECT_TD
