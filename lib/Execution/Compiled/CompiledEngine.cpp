#include "titan/Execution/CompiledEngine.h"
#include "Library/LibraryKernels.h"

#include "titan/Codegen/CPU/KernelCompiler.h"
#include "titan/Codegen/CPU/KernelGroups.h"
#include "titan/Conversion/AtenToLinalg/AtenToLinalg.h"
#include "titan/Execution/Kernel.h"
#include "titan/Interfaces/TorchOpInterfaces.h"

using namespace mlir;
using namespace mlir::titan;

static constexpr StringLiteral kKernelPrefix = "titan_kernel";

CompiledEngine::CompiledEngine(Interpreter &interpreter) {
  addLibraryKernels(interpreter.getKernels());
  interpreter.getKernels().add("func.call",
                               [this](Call &call) { return callKernel(call); });
}

CompiledEngine::~CompiledEngine() = default;

func::FuncOp CompiledEngine::getFunction(StringRef name) {
  return program->lookupSymbol<func::FuncOp>(name);
}

// Products and convolutions have kernels of their own, which loops over
// elements do not come near.
static bool isProduct(Operation *op) {
  auto interface = dyn_cast<RecomputeOpInterface>(op);
  return interface && interface.getWorkClass() == WorkClass::ComputeHeavy;
}

// Whether the kernel that \p op becomes can be made before it runs: every size
// is known. Tensors without elements are not worth one.
static bool isFusible(Operation *op) {
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return !tensor || (tensor.hasStaticShape() && tensor.getNumElements() != 0);
  };
  return llvm::all_of(op->getOperandTypes(), isStatic) &&
         llvm::all_of(op->getResultTypes(), isStatic) && !isProduct(op) &&
         hasLinalgLowering(op);
}

LogicalResult CompiledEngine::compile(ModuleOp module,
                                      ArrayRef<StringRef> names) {
  program = module.clone();
  for (StringRef name : names) {
    func::FuncOp function = getFunction(name);
    KernelGroupOptions options{isFusible};
    outlineKernelGroups(function, formKernelGroups(function, options),
                        (kKernelPrefix + "_" + name).str());
  }
  OwningOpRef<ModuleOp> code = ModuleOp::create(module.getLoc());
  for (auto function : program->getOps<func::FuncOp>())
    if (function.getSymName().starts_with(kKernelPrefix)) {
      func::FuncOp clone = function.clone();
      clone.setPublic();
      code->push_back(clone);
    }
  if (failed(lowerKernels(*code)))
    return emitError(module.getLoc()) << "cannot lower the kernels";
  auto compiled = CompiledKernels::compile(*code);
  if (!compiled)
    return emitError(module.getLoc())
           << "cannot compile the kernels: " << toString(compiled.takeError());
  kernels = std::move(*compiled);
  return success();
}

LogicalResult CompiledEngine::callKernel(Call &call) {
  auto op = cast<func::CallOp>(call.getOperation());
  CompiledKernels::Function function = kernels->lookup(op.getCallee());
  if (!function)
    return call.fail("there is no kernel '" + op.getCallee() + "'");
  const auto *operands = call.get("operands").getIf<RuntimeValue::List>();
  // Storage of contiguous copies, numbers, and the pointers to both.
  std::vector<Tensor> tensors;
  std::vector<int64_t> numbers(operands->size());
  std::vector<void *> pointers, arguments;
  size_t count = operands->size() + op.getNumResults();
  tensors.reserve(count);
  pointers.reserve(count);
  auto addTensor = [&](const Tensor &tensor) {
    tensors.push_back(tensor);
    pointers.push_back(tensor.getData());
    arguments.push_back(&pointers.back());
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
    arguments.push_back(&number);
  }
  size_t firstResult = tensors.size();
  for (Type type : op.getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    addTensor(Tensor(*getDType(tensor.getElementType()), tensor.getShape()));
  }
  function(arguments.data());
  for (unsigned i = 0; i < op.getNumResults(); ++i)
    if (failed(call.set(i, tensors[firstResult + i])))
      return failure();
  return success();
}
