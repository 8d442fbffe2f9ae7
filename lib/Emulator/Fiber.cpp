// The context switch. The fibers of a block run on one operating system thread,
// so that thread-local variables stay right across a switch.
#include "Fiber.h"
#include <cstring>

using namespace mlir::titan::emulator;

#if defined(__x86_64__)

extern "C" void titanEmulatorSwitch(void **save, void *load);
extern "C" void titanEmulatorEnter();

// The System V ABI keeps rbx, rbp, r12 to r15 over a call; the switch is a call
// whose return address is part of the saved state. A new fiber returns into
// titanEmulatorEnter, which moves the two prepared registers to where a
// function's argument and target belong.
asm(R"(
.text
.globl titanEmulatorSwitch
.type titanEmulatorSwitch, @function
titanEmulatorSwitch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  retq
.size titanEmulatorSwitch, .-titanEmulatorSwitch
.globl titanEmulatorEnter
.type titanEmulatorEnter, @function
titanEmulatorEnter:
  movq %r12, %rdi
  callq *%r13
  ud2
.size titanEmulatorEnter, .-titanEmulatorEnter
)");

void Fiber::start(void *stack, size_t size, void (*entry)(void *),
                  void *argument) {
  // From low to high: r15 r14 r13 r12 rbx rbp, the return address, padding
  // that leaves the stack aligned at the call.
  auto **top = reinterpret_cast<void **>(static_cast<char *>(stack) + size) - 9;
  std::memset(top, 0, 9 * sizeof(void *));
  top[2] = reinterpret_cast<void *>(entry);
  top[3] = argument;
  top[6] = reinterpret_cast<void *>(titanEmulatorEnter);
  stackPointer = top;
}

void Fiber::switchTo(Fiber &to) {
  titanEmulatorSwitch(&stackPointer, to.stackPointer);
}

#else

static void enter(unsigned entryLow, unsigned entryHigh, unsigned argumentLow,
                  unsigned argumentHigh) {
  auto join = [](unsigned low, unsigned high) {
    return uint64_t(low) | uint64_t(high) << 32;
  };
  auto entry = reinterpret_cast<void (*)(void *)>(join(entryLow, entryHigh));
  entry(reinterpret_cast<void *>(join(argumentLow, argumentHigh)));
}

void Fiber::start(void *stack, size_t size, void (*entry)(void *),
                  void *argument) {
  getcontext(&context);
  context.uc_stack.ss_sp = stack;
  context.uc_stack.ss_size = size;
  context.uc_link = nullptr;
  auto e = reinterpret_cast<uint64_t>(entry);
  auto a = reinterpret_cast<uint64_t>(argument);
  makecontext(&context, reinterpret_cast<void (*)()>(enter), 4, unsigned(e),
              unsigned(e >> 32), unsigned(a), unsigned(a >> 32));
}

void Fiber::switchTo(Fiber &to) { swapcontext(&context, &to.context); }

#endif
