#include "titan/Conversion/AtenToLinalg/AtenToLinalg.h"
#include "titan/Dialect/OpTable.h"
#include "titan/Dialect/Registration.h"
#include "titan/Execution/EnginePaths.h"
#include "titan/Tools/TitanOpt/TitanOpt.h"
#include "titan/Transforms/Passes.h"

#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::titan::registerTitanDialects(registry);
  mlir::registerTransformsPasses();
  mlir::titan::registerTitanPasses();
  return mlir::titan::titanOptMain(
      argc, argv, registry, [&](llvm::raw_ostream &stream, bool markdown) {
        mlir::MLIRContext context(registry);
        mlir::titan::printOpTable(context, stream, markdown,
                                  mlir::titan::isLoweredToLinalg,
                                  [](mlir::Operation *op) {
                                    return mlir::titan::stringifyEnginePath(
                                        mlir::titan::getEnginePath(op));
                                  });
      });
}
