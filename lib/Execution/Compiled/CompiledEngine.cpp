#include "titan/Execution/CompiledEngine.h"
#include "Library/LibraryKernels.h"

#include "titan/Codegen/CPU/KernelCompiler.h"
#include "titan/Codegen/Loops/KernelGroups.h"
#include "titan/Execution/Kernel.h"
#include "titan/Execution/Threads.h"

using namespace mlir;
using namespace mlir::titan;

CompiledEngine::CompiledEngine(Interpreter &interpreter,
                               CompiledEngineOptions options)
    : options(std::move(options)) {
  addLibraryKernels(interpreter.getKernels());
  interpreter.getKernels().add("func.call",
                               [this](Call &call) { return callKernel(call); });
}

CompiledEngine::~CompiledEngine() = default;

func::FuncOp CompiledEngine::getFunction(StringRef name) {
  return program->lookupSymbol<func::FuncOp>(name);
}

LogicalResult CompiledEngine::compile(ModuleOp module,
                                      ArrayRef<StringRef> names) {
  program = module.clone();
  KernelGroupOptions grouping;
  if (options.isolatesOps)
    grouping.maxOps = 1;
  function_ref<bool(Value)> isKept;
  if (options.isKept)
    isKept = options.isKept;
  outlineKernels(*program, names, grouping, isKept);
  OwningOpRef<ModuleOp> functions = cloneKernels(*program);
  FailureOr<llvm::StringMap<KernelLoops>> loops = lowerKernels(*functions);
  if (succeeded(loops) && divideKernels(*program, [&](StringRef name) {
        return loops->contains(name);
      })) {
    functions = cloneKernels(*program);
    loops = lowerKernels(*functions);
  }
  if (failed(loops))
    return emitError(module.getLoc()) << "cannot lower the kernels";
  auto compiled = CompiledKernels::compile(*functions);
  if (!compiled)
    return emitError(module.getLoc())
           << "cannot compile the kernels: " << toString(compiled.takeError());
  code = std::move(*compiled);
  for (const auto &entry : *loops) {
    Kernel &kernel = kernels[entry.getKey()];
    kernel.scratchBytes = entry.getValue().scratchBytes;
    kernel.assertions = entry.getValue().assertions;
    for (const KernelPhase &phase : entry.getValue().phases) {
      kernel.phases.push_back(
          {code->lookup(phase.name), phase.trips, phase.grain});
      if (!kernel.phases.back().function)
        return emitError(module.getLoc())
               << "there is no code for '" << phase.name << "'";
    }
  }
  return success();
}

// A kernel that no code was made for runs op by op.
LogicalResult CompiledEngine::callInterpreted(Call &call) {
  auto op = cast<func::CallOp>(call.getOperation());
  const auto *operands = call.get("operands").getIf<RuntimeValue::List>();
  auto results =
      call.getInterpreter().run(getFunction(op.getCallee()), *operands);
  if (failed(results))
    return call.fail("an op of '" + op.getCallee() + "' failed");
  for (auto [index, value] : llvm::enumerate(*results)) {
    const auto *tensor = value.getIf<Tensor>();
    if (failed(tensor ? call.set(index, *tensor) : call.set(index, value)))
      return failure();
  }
  return success();
}

LogicalResult CompiledEngine::callKernel(Call &call) {
  auto op = cast<func::CallOp>(call.getOperation());
  auto it = kernels.find(op.getCallee());
  if (it == kernels.end())
    return callInterpreted(call);
  const Kernel &kernel = it->second;
  const auto *operands = call.get("operands").getIf<RuntimeValue::List>();
  // Contiguous copies, numbers, and the pointers to both.
  std::vector<Tensor> tensors;
  std::vector<int64_t> numbers(operands->size());
  SmallVector<void *> pointers;
  auto addTensor = [&](Tensor tensor) {
    tensors.push_back(std::move(tensor));
    pointers.push_back(tensors.back().getData());
  };
  for (auto [operand, number] : llvm::zip_equal(*operands, numbers)) {
    if (const auto *tensor = operand.getIf<Tensor>()) {
      addTensor(tensor->contiguous());
      continue;
    }
    if (const auto *integer = operand.getIf<int64_t>())
      number = *integer;
    else if (const auto *real = operand.getIf<double>())
      number = llvm::bit_cast<int64_t>(*real);
    else if (const auto *flag = operand.getIf<bool>())
      number = *flag;
    else
      return call.fail("expected tensors and numbers as operands");
    pointers.push_back(&number);
  }
  size_t firstResult = tensors.size();
  for (Type type : op.getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    addTensor(Tensor::makeUninitialized(*getDType(tensor.getElementType()),
                                        tensor.getShape()));
  }
  for (int64_t bytes : kernel.scratchBytes)
    addTensor(Tensor::makeUninitialized(DType::U8, {bytes}));
  int64_t unmet = -1;
  pointers.push_back(&unmet);
  for (const Phase &phase : kernel.phases)
    parallelFor(phase.trips, phase.grain, [&](int64_t begin, int64_t end) {
      auto start = std::chrono::steady_clock::now();
      phase.function(pointers.data(), begin, end);
      if (options.partObserver)
        options.partObserver(call, start, std::chrono::steady_clock::now());
    });
  if (unmet != -1) {
    const KernelLoops::Assertion &assertion = kernel.assertions[unmet - 1];
    return call.failAt(assertion.loc, assertion.message);
  }
  for (unsigned i = 0; i < op.getNumResults(); ++i)
    if (failed(call.set(i, tensors[firstResult + i])))
      return failure();
  return success();
}
