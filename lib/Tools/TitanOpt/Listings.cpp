#include "Listings.h"

#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

void mlir::titan::printPassList(raw_ostream &output) {
  mlir::printRegisteredPasses();
}
