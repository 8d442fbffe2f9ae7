#include "Listings.h"

#include "titan/Transforms/JointPasses.h"

#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::titan;

void mlir::titan::printPassList(raw_ostream &output) {
  output << "Joint passes, by the names that '--joint-passes' takes; the name "
            "of the MLIR pass beside:\n";
  for (const JointPassEntry &entry : getJointPasses()) {
    output << "  " << llvm::left_justify(entry.name, 32) << entry.argument
           << "\n";
    if (const PassInfo *pass = PassInfo::lookup(entry.argument))
      output << "      " << pass->getPassDescription() << "\n";
  }
  output << "\nMLIR passes, each an option of its own:\n";
  output.flush();
  mlir::printRegisteredPasses();
}
