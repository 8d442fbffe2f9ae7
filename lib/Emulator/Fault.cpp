// Names and text of the faults.
#include "titan/Emulator/Fault.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::titan::emulator;

char KernelFault::ID = 0;

llvm::StringRef mlir::titan::emulator::getFaultName(Fault fault) {
  switch (fault) {
  case Fault::Unsupported:
    return "unsupported operation";
  case Fault::BadLaunch:
    return "bad launch";
  case Fault::OutOfBounds:
    return "out of bounds";
  case Fault::ReadOnly:
    return "write to a read-only buffer";
  case Fault::Misaligned:
    return "misaligned access";
  case Fault::SharedOutOfBounds:
    return "shared memory out of bounds";
  case Fault::Uninitialised:
    return "uninitialised read";
  case Fault::Race:
    return "data race";
  case Fault::PendingCopy:
    return "pending copy";
  case Fault::Deadlock:
    return "deadlock";
  case Fault::BarrierDivergence:
    return "barrier divergence";
  case Fault::WarpDivergence:
    return "warp divergence";
  case Fault::Mbarrier:
    return "mbarrier misuse";
  case Fault::PendingAccumulator:
    return "pending accumulator";
  case Fault::MissingFence:
    return "missing wgmma fence";
  case Fault::MissingProxyFence:
    return "missing proxy fence";
  case Fault::BadDescriptor:
    return "bad descriptor";
  case Fault::Registers:
    return "register limit";
  case Fault::UnwaitedCopy:
    return "copy never waited for";
  case Fault::Trap:
    return "trap";
  case Fault::Endless:
    return "endless loop";
  }
  return "fault";
}

void KernelFault::log(llvm::raw_ostream &os) const {
  os << getFaultName(fault) << ": " << text;
}

std::error_code KernelFault::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}
