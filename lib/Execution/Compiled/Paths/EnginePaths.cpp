#include "titan/Execution/EnginePaths.h"

#include "titan/Codegen/Loops/KernelGroups.h"
#include "titan/Conversion/AtenToLinalg/AtenToLinalg.h"
#include "titan/Execution/Kernel.h"
#include "titan/Interfaces/OpNames.h"

using namespace mlir;
using namespace mlir::titan;

// One line for each call of addInFront under Library/; a unit test holds the
// two against each other.
static constexpr StringLiteral kLibraryOps[] = {
    "aten._scaled_dot_product_flash_attention_for_cpu",
    "aten._scaled_dot_product_flash_attention_for_cpu_backward",
    "aten.addmm",
    "aten.baddbmm",
    "aten.bmm",
    "aten.convolution",
    "aten.convolution_backward",
    "aten.embedding",
    "aten.embedding_dense_backward",
    "aten.linear",
    "aten.max_pool2d_with_indices",
    "aten.max_pool2d_with_indices_backward",
    "aten.mm",
};

ArrayRef<StringLiteral> titan::getLibraryOps() { return kLibraryOps; }

StringRef titan::stringifyEnginePath(EnginePath path) {
  switch (path) {
  case EnginePath::None:
    return "";
  case EnginePath::Compiled:
    return "compiled";
  case EnginePath::Library:
    return "library";
  case EnginePath::Reference:
    return "reference";
  }
  llvm_unreachable("unknown path");
}

EnginePath titan::getEnginePath(Operation *op) {
  static const KernelTable kernels;
  std::string name = getOpName(op);
  if (llvm::is_contained(kLibraryOps, name))
    return EnginePath::Library;
  if (isLoweredToLinalg(name) && !isProduct(op))
    return EnginePath::Compiled;
  return kernels.has(name) ? EnginePath::Reference : EnginePath::None;
}
