#include "titan/Dialect/Registration.h"
#include "titan/Tools/TitanRun/TitanRun.h"

int main(int argc, char **argv) {
  mlir::titan::RunOptions options;
  if (std::optional<int> code =
          mlir::titan::parseRunOptions(argc, argv, options))
    return *code;
  mlir::DialectRegistry registry;
  mlir::titan::registerTitanDialects(registry);
  return mlir::titan::runGraph(options, registry);
}
