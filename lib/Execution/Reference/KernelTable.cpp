#include "titan/Execution/Kernel.h"

using namespace mlir;
using namespace mlir::titan;

KernelTable::KernelTable() {
  addActivationKernels(*this);
  addArrangeKernels(*this);
  addAttentionKernels(*this);
  addCollectiveKernels(*this);
  addConvolutionKernels(*this);
  addCreationKernels(*this);
  addHigherOrderKernels(*this);
  addIndexKernels(*this);
  addLossKernels(*this);
  addMatmulKernels(*this);
  addNormKernels(*this);
  addPointwiseKernels(*this);
  addPoolingKernels(*this);
  addRandomKernels(*this);
  addRecurrentKernels(*this);
  addReductionKernels(*this);
  addResampleKernels(*this);
  addScanKernels(*this);
  addScatterKernels(*this);
  addSortKernels(*this);
  addSymbolKernels(*this);
  addUnaryKernels(*this);
  addViewKernels(*this);
}

// `aten.add` of `aten.add.Tensor`.
static StringRef getPacket(StringRef name) {
  size_t overload = name.find('.', name.find('.') + 1);
  return name.substr(0, overload);
}

const Kernel *KernelTable::find(StringRef name) const {
  for (StringRef candidate : {name, getPacket(name)}) {
    if (auto it = kernels.find(candidate); it != kernels.end())
      return &it->second;
  }
  StringRef packet = getPacket(name), overload = name.substr(packet.size());
  if (packet.consume_back("_") || packet.consume_back("_copy"))
    return find((packet + overload).str());
  return nullptr;
}

const LockstepKernel *KernelTable::findLockstep(StringRef name) const {
  for (StringRef candidate : {name, getPacket(name)})
    if (auto it = lockstep.find(candidate); it != lockstep.end())
      return &it->second;
  return nullptr;
}

ArrayRef<StringRef> KernelTable::findSchema(StringRef name) const {
  auto it = schemas.find(name);
  return it == schemas.end() ? ArrayRef<StringRef>() : it->second;
}
