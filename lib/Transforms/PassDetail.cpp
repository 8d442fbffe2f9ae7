#include "PassDetail.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::titan;

SmallVector<FunctionOpInterface> titan::getJointFunctions(ModuleOp module) {
  SmallVector<FunctionOpInterface> functions;
  for (auto function : module.getOps<FunctionOpInterface>())
    if ((function->hasAttr(kJointAttr) || function->hasAttr(kGraphKindAttr)) &&
        !function.isExternal())
      functions.push_back(function);
  return functions;
}

namespace {
/// For passes that no driver listens to.
class StderrObserver : public PassObserver {
public:
  void info(StringRef message) override { llvm::errs() << message << '\n'; }
  void warning(StringRef message) override {
    llvm::errs() << "warning: " << message << '\n';
  }
};
} // namespace

PassObserver &titan::getObserver(PassObserver *observer) {
  // Holds no state: one serves all.
  static StderrObserver toStderr;
  return observer ? *observer : toStderr;
}
