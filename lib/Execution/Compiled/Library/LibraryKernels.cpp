#include "LibraryKernels.h"

using namespace mlir;
using namespace mlir::titan;

void titan::addInFront(KernelTable &table, StringRef name,
                       PartialKernel kernel) {
  const Kernel *known = table.find(name);
  Kernel next = known ? *known : Kernel();
  table.addFaster(name, [kernel = std::move(kernel), next](Call &call) {
    if (std::optional<LogicalResult> result = kernel(call))
      return *result;
    return next ? next(call) : call.fail("no kernel knows these types");
  });
}

void titan::addLibraryKernels(KernelTable &table) {
  addLibraryAttention(table);
  addLibraryConvolutions(table);
  addLibraryIndexing(table);
  addLibraryPooling(table);
  addLibraryProducts(table);
}
