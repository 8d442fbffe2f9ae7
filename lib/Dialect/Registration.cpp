#include "titan/Dialect/Registration.h"
#include "titan/Dialect/Aten/IR/AtenDialect.h"
#include "titan/Dialect/C10d/IR/C10dDialect.h"
#include "titan/Dialect/Prims/IR/PrimsDialect.h"
#include "titan/Dialect/Titan/IR/Titan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

void mlir::titan::registerTitanDialects(DialectRegistry &registry) {
  registry.insert<func::FuncDialect, TitanDialect, aten::AtenDialect,
                  prims::PrimsDialect, c10d::C10dDialect>();
}
