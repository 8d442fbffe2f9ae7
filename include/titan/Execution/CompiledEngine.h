// The engine that compiles: ops that work element by element or fold dimensions
// become machine code in groups, the others run on kernels of their own.
#ifndef TITAN_EXECUTION_COMPILEDENGINE_H
#define TITAN_EXECUTION_COMPILEDENGINE_H

#include "titan/Codegen/CPU/KernelCompiler.h"
#include "titan/Execution/Interpreter.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::titan {

/// What somebody wants to see of a compiled program. None of it changes a bit
/// of what is computed.
struct CompiledEngineOptions {
  using Time = OpEvent::Time;
  /// Values that become results of their kernel although nothing else reads
  /// them, by the function that is compiled.
  std::function<bool(Value)> isKept;
  /// A kernel for every op: every value is in memory.
  bool isolatesOps = false;
  /// Is told of every part of a kernel that a thread has done, in that thread.
  std::function<void(Call &, Time start, Time end)> partObserver;
};

/// Compiled functions of a module, run op by op, where a call of a kernel is
/// one op. Borrows the interpreter, whose kernels it replaces by faster ones.
class CompiledEngine {
public:
  explicit CompiledEngine(Interpreter &interpreter,
                          CompiledEngineOptions options = {});
  ~CompiledEngine();

  /// Groups and compiles what the functions called \p names in \p module hold.
  /// The module is not changed. Errors stand where they arise.
  LogicalResult compile(ModuleOp module, ArrayRef<StringRef> names);

  /// The compiled form of the function called \p name.
  func::FuncOp getFunction(StringRef name);

private:
  /// A phase of a kernel, ready to be called.
  struct Phase {
    void (*function)(void **, int64_t, int64_t) = nullptr;
    int64_t trips = 0;
    int64_t grain = 1;
  };
  struct Kernel {
    std::vector<Phase> phases;
    std::vector<int64_t> scratchBytes;
    std::vector<KernelLoops::Assertion> assertions;
  };

  LogicalResult callKernel(class Call &call);
  LogicalResult callInterpreted(class Call &call);

  CompiledEngineOptions options;
  OwningOpRef<ModuleOp> program;
  std::unique_ptr<CompiledKernels> code;
  llvm::StringMap<Kernel> kernels;
};

} // namespace mlir::titan

#endif // TITAN_EXECUTION_COMPILEDENGINE_H
