#include "titan/Dialect/Aten/IR/AtenDialect.h"
#include "titan/Dialect/Titan/IR/Titan.h"
#include "titan/Tools/TitanOpt/TitanOpt.h"
#include "titan/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect, mlir::titan::TitanDialect,
                  mlir::titan::aten::AtenDialect>();
  mlir::registerTransformsPasses();
  mlir::titan::registerTitanPasses();
  return mlir::titan::titanOptMain(argc, argv, registry,
                                   [](llvm::raw_ostream &) {});
}
