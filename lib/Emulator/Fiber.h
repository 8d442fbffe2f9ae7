// Threads of execution that the emulator switches between by itself.
#ifndef TITAN_LIB_EMULATOR_FIBER_H
#define TITAN_LIB_EMULATOR_FIBER_H

#include <cstddef>
#include <cstdint>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace mlir::titan::emulator {

/// A place to continue at. On x86-64 the switch saves the registers that a
/// callee keeps and nothing else, where swapcontext calls the kernel for the
/// signal mask; elsewhere it is swapcontext.
class Fiber {
public:
  /// Makes the fiber start at `entry(argument)` on a stack, which must end
  /// 16-byte aligned. `entry` must not return.
  void start(void *stack, size_t size, void (*entry)(void *), void *argument);
  /// Continues at `to`; returns when something continues at this fiber.
  void switchTo(Fiber &to);

private:
#if defined(__x86_64__)
  void *stackPointer = nullptr;
#else
  ucontext_t context;
#endif
};

} // namespace mlir::titan::emulator

#endif // TITAN_LIB_EMULATOR_FIBER_H
