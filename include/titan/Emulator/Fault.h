// The mistakes that the emulator finds in a kernel.
#ifndef TITAN_EMULATOR_FAULT_H
#define TITAN_EMULATOR_FAULT_H

#include "llvm/Support/Error.h"
#include <string>

namespace mlir::titan::emulator {

/// The kind of a mistake. `getFaultName` spells it.
enum class Fault {
  /// The module does something that is not emulated.
  Unsupported,
  /// The launch does not fit the kernel or the device.
  BadLaunch,
  /// An access outside of every registered buffer.
  OutOfBounds,
  /// A write to a read-only buffer.
  ReadOnly,
  /// An address that is no multiple of what the access needs.
  Misaligned,
  /// An access past the shared memory of the launch.
  SharedOutOfBounds,
  /// A read of memory that nobody wrote.
  Uninitialised,
  /// Two threads touch one location, one writes, and nothing orders them.
  Race,
  /// An access to memory that an asynchronous copy has not finished with.
  PendingCopy,
  /// Every thread waits.
  Deadlock,
  /// A barrier that threads which exited, or took another way, never reach.
  BarrierDivergence,
  /// A warp-wide operation whose lanes disagree.
  WarpDivergence,
  /// An mbarrier used before its initialisation, or over its counts.
  Mbarrier,
  /// A tensor-core accumulator touched before its operation was waited for.
  PendingAccumulator,
  /// A `wgmma` without the `wgmma.fence` that has to stand before it.
  MissingFence,
  /// The async proxy reads what the generic proxy wrote, without a proxy fence.
  MissingProxyFence,
  /// A malformed descriptor or tensor map.
  BadDescriptor,
  /// More registers asked for than the multiprocessor has.
  Registers,
  /// Copies that were still under way when the thread exited.
  UnwaitedCopy,
  /// The kernel's own trap or failed assertion.
  Trap,
  /// A loop that did not end.
  Endless,
};

/// The name of a fault in messages, such as "data race".
llvm::StringRef getFaultName(Fault fault);

/// A kernel's fault as an error: its kind, and a message that names the kernel,
/// the block, the thread and the place in the source.
class KernelFault : public llvm::ErrorInfo<KernelFault> {
public:
  // NOLINTNEXTLINE(readability-identifier-naming): llvm::ErrorInfo asks for it
  static char ID;
  KernelFault(Fault fault, std::string message)
      : fault(fault), text(std::move(message)) {}

  Fault getFault() const { return fault; }
  const std::string &getMessage() const { return text; }
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

private:
  Fault fault;
  std::string text;
};

} // namespace mlir::titan::emulator

#endif // TITAN_EMULATOR_FAULT_H
