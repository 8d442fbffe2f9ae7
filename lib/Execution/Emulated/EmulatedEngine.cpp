#include "titan/Execution/EmulatedEngine.h"

#include "titan/Emulator/Emulator.h"
#include "titan/Execution/Kernel.h"
#include "titan/Execution/Threads.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::titan;

EmulatedEngine::EmulatedEngine(Interpreter &interpreter) {
  interpreter.getKernels().add("func.call",
                               [this](Call &call) { return callGroup(call); });
}

EmulatedEngine::~EmulatedEngine() = default;

LogicalResult EmulatedEngine::compile(ModuleOp module,
                                      ArrayRef<StringRef> names,
                                      const DeviceTarget &target,
                                      StringRef libdevice) {
  program = buildDeviceProgram(module, names);
  for (StringRef name : names)
    for (Operation *op : titan::getUnlowered(getFunction(name), program))
      ++unlowered[op->getName().getStringRef()];
  if (program.groups.empty())
    return success();
  llvm::Expected<DeviceCode> code =
      compileDeviceKernels(*program.kernels, target, libdevice);
  if (!code)
    return emitError(module.getLoc())
           << "cannot compile the kernels: " << toString(code.takeError());
  auto loaded = emulator::Emulator::create(
      llvm::MemoryBufferRef(code->bitcode, "kernels"));
  if (!loaded)
    return emitError(module.getLoc())
           << "cannot load the kernels: " << toString(loaded.takeError());
  emulator = std::move(*loaded);
  return success();
}

// A group that there are no kernels for runs op by op.
LogicalResult EmulatedEngine::callInterpreted(Call &call) {
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

namespace {
/// The buffers of one call of a group, known to the emulator while it runs.
class Buffers {
public:
  explicit Buffers(emulator::Emulator &emulator) : emulator(emulator) {}
  ~Buffers() {
    for (const Tensor &tensor : tensors)
      emulator.unregisterBuffer(tensor.getData());
  }
  Buffers(const Buffers &) = delete;
  Buffers &operator=(const Buffers &) = delete;

  void addInput(const Tensor &tensor) {
    Tensor own = tensor.contiguous();
    // A view may begin anywhere, and overlap another one.
    constexpr uintptr_t kVectorBytes = 16;
    auto address = reinterpret_cast<uintptr_t>(own.getData());
    bool isShared = llvm::any_of(tensors, [&](const Tensor &other) {
      return other.getStorageId() == own.getStorageId() &&
             (other.getData() != own.getData() ||
              other.getNumBytes() != own.getNumBytes());
    });
    add(isShared || address % kVectorBytes != 0 ? own.clone() : own,
        emulator::Access::Read, /*isUninitialised=*/false);
  }
  void addNumber(int64_t number) {
    numbers.push_back(std::make_unique<int64_t>(number));
    arguments.push_back(numbers.back().get());
  }
  Tensor addOutput(DType dtype, ArrayRef<int64_t> shape) {
    Tensor tensor = Tensor::makeUninitialized(dtype, shape);
    add(tensor, emulator::Access::ReadWrite, /*isUninitialised=*/true);
    return tensor;
  }
  void addWritable(const Tensor &tensor) {
    add(tensor, emulator::Access::ReadWrite, /*isUninitialised=*/false);
  }
  /// The address of the value of a kernel's parameter.
  const void *getArgument(unsigned buffer) const { return arguments[buffer]; }

private:
  void add(Tensor tensor, emulator::Access access, bool isUninitialised) {
    emulator.registerBuffer(tensor.getData(), tensor.getNumBytes(), access,
                            isUninitialised);
    pointers.push_back(std::make_unique<void *>(tensor.getData()));
    arguments.push_back(pointers.back().get());
    tensors.push_back(std::move(tensor));
  }

  emulator::Emulator &emulator;
  std::vector<Tensor> tensors;
  std::vector<std::unique_ptr<void *>> pointers;
  std::vector<std::unique_ptr<int64_t>> numbers;
  std::vector<const void *> arguments;
};
} // namespace

static LogicalResult addOperand(Call &call, Buffers &buffers,
                                const RuntimeValue &operand) {
  if (const auto *tensor = operand.getIf<Tensor>())
    buffers.addInput(*tensor);
  else if (const auto *integer = operand.getIf<int64_t>())
    buffers.addNumber(*integer);
  else if (const auto *real = operand.getIf<double>())
    buffers.addNumber(llvm::bit_cast<int64_t>(*real));
  else if (const auto *flag = operand.getIf<bool>())
    buffers.addNumber(*flag);
  else
    return call.fail("expected tensors and numbers as operands");
  return success();
}

LogicalResult EmulatedEngine::callGroup(Call &call) {
  auto op = cast<func::CallOp>(call.getOperation());
  auto it = program.groups.find(op.getCallee());
  if (it == program.groups.end())
    return callInterpreted(call);
  const DeviceGroup &group = it->second;
  Buffers buffers(*emulator);
  const auto *operands = call.get("operands").getIf<RuntimeValue::List>();
  for (const RuntimeValue &operand : *operands)
    if (failed(addOperand(call, buffers, operand)))
      return failure();
  std::vector<Tensor> results;
  for (Type type : op.getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    results.push_back(buffers.addOutput(*getDType(tensor.getElementType()),
                                        tensor.getShape()));
  }
  for (int64_t bytes : group.scratchBytes)
    buffers.addOutput(DType::U8, {bytes});
  Tensor unmet(DType::I64, {});
  buffers.addWritable(unmet);
  emulator::LaunchOptions options;
  options.workers = getNumThreads();
  for (const DeviceLaunch &launch : group.launches) {
    emulator::Launch own;
    own.grid.x = launch.grid;
    own.block.x = launch.block;
    for (unsigned buffer : launch.parameters)
      own.arguments.push_back(buffers.getArgument(buffer));
    auto done = emulator->launch(launch.kernel, own, options);
    if (!done)
      return call.fail(toString(done.takeError()));
  }
  if (auto number = unmet.getItem<int64_t>()) {
    const DeviceGroup::Assertion &assertion = group.assertions[number - 1];
    return call.failAt(assertion.loc, assertion.message);
  }
  for (auto [index, tensor] : llvm::enumerate(results))
    if (failed(call.set(index, tensor)))
      return failure();
  return success();
}
