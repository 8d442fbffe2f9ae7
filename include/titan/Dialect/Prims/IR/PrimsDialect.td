#ifndef TITAN_DIALECT_PRIMS_IR_PRIMSDIALECT_TD
#define TITAN_DIALECT_PRIMS_IR_PRIMSDIALECT_TD

include "mlir/IR/OpBase.td"

def Prims_Dialect : Dialect {
  let name = "prims";
  let cppNamespace = "::mlir::titan::prims";
  let summary = "The small operators that PyTorch decomposes others into";
  let description = [{
    Named and stored as the ops of the aten dialect are. Among them are those that
    only Inductor makes: `prims.inductor_random` and its seeds.
  }];
  let extraClassDeclaration = [{ void registerOps(); }];
}

#endif // TITAN_DIALECT_PRIMS_IR_PRIMSDIALECT_TD
