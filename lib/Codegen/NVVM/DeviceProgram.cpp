// Which ops of a function run on the device: fused groups as on the CPU, and
// one group for each op that has a family of kernels of its own.
#include "titan/Codegen/NVVM/DeviceProgram.h"

#include "titan/Codegen/Loops/KernelGroups.h"
#include "titan/Conversion/AtenToLinalg/AtenToLinalg.h"
#include "titan/Interfaces/TorchOpInterfaces.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::titan;

static constexpr StringLiteral kGroupPrefix = "titan_kernel";

static bool isProduct(Operation *op) {
  auto interface = dyn_cast<RecomputeOpInterface>(op);
  return interface && interface.getWorkClass() == WorkClass::ComputeHeavy;
}

// Whether every size is known; tensors without elements are not worth a launch.
static bool hasStaticSizes(Operation *op) {
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return !tensor || (tensor.hasStaticShape() && tensor.getNumElements() != 0);
  };
  return llvm::all_of(op->getOperandTypes(), isStatic) &&
         llvm::all_of(op->getResultTypes(), isStatic);
}

static bool isFusible(Operation *op) {
  return hasStaticSizes(op) && !isProduct(op) && hasLinalgLowering(op);
}

static bool isGroup(func::FuncOp function) {
  return function.getSymName().starts_with(kGroupPrefix) &&
         function.front().getOps<func::CallOp>().empty();
}

static OwningOpRef<ModuleOp> cloneGroups(ModuleOp program) {
  OwningOpRef<ModuleOp> result = ModuleOp::create(program.getLoc());
  for (auto function : program.getOps<func::FuncOp>())
    if (isGroup(function))
      result->push_back(function.clone());
  return result;
}

// Groups that no kernels could be planned for become groups of one op each, so
// that one such op does not take the others of its group along.
static bool divideUnplanned(ModuleOp program,
                            const llvm::StringMap<DeviceGroup> &planned) {
  SmallVector<func::FuncOp> unplanned;
  for (auto function : program.getOps<func::FuncOp>())
    if (isGroup(function) && !planned.contains(function.getSymName()))
      unplanned.push_back(function);
  bool isDivided = false;
  for (func::FuncOp function : unplanned) {
    KernelGroupOptions alone{isFusible, /*maxOps=*/1};
    std::vector<KernelGroup> groups = formKernelGroups(function, alone);
    if (groups.size() < 2)
      continue;
    outlineKernelGroups(function, groups,
                        (function.getSymName() + "_op").str());
    isDivided = true;
  }
  return isDivided;
}

DeviceProgram titan::buildDeviceProgram(ModuleOp module,
                                        ArrayRef<StringRef> names) {
  DeviceProgram program;
  program.module = module.clone();
  for (StringRef name : names) {
    func::FuncOp function = program.getFunction(name);
    KernelGroupOptions grouping{isFusible};
    outlineKernelGroups(function, formKernelGroups(function, grouping),
                        (kGroupPrefix + "_" + name).str());
  }
  program.kernels = cloneGroups(*program.module);
  program.groups = emitDeviceKernels(*program.kernels);
  if (divideUnplanned(*program.module, program.groups)) {
    program.kernels = cloneGroups(*program.module);
    program.groups = emitDeviceKernels(*program.kernels);
  }
  return program;
}

SmallVector<Operation *> titan::getUnlowered(func::FuncOp function,
                                             const DeviceProgram &program) {
  SmallVector<Operation *> ops;
  for (Operation &op : function.front().without_terminator()) {
    if (isViewOp(&op))
      continue;
    auto call = dyn_cast<func::CallOp>(op);
    if (!call) {
      // Sizes are computed by the host.
      if (llvm::any_of(op.getResultTypes(), llvm::IsaPred<RankedTensorType>) ||
          !isMemoryEffectFree(&op))
        ops.push_back(&op);
      continue;
    }
    if (program.groups.contains(call.getCallee()))
      continue;
    auto callee =
        program.module.get().lookupSymbol<func::FuncOp>(call.getCallee());
    llvm::append_range(ops, getUnlowered(callee, program));
  }
  return ops;
}

LogicalResult titan::checkLowered(MutableArrayRef<DeviceProgram> programs,
                                  ArrayRef<StringRef> names) {
  llvm::MapVector<StringRef, SmallVector<Operation *>> missing;
  for (auto [program, name] : llvm::zip_equal(programs, names))
    for (Operation *op : getUnlowered(program.getFunction(name), program))
      missing[op->getName().getStringRef()].push_back(op);
  if (missing.empty())
    return success();
  InFlightDiagnostic error = emitError(missing.front().second.front()->getLoc())
                             << "there are no kernels for";
  StringRef separator = " ";
  for (auto &[name, ops] : missing) {
    error << separator << "'" << name << "' (" << ops.size() << ")";
    separator = ", ";
  }
  error << "; 'titan-run --engine=emulator' runs these on reference kernels";
  for (auto &[name, ops] : missing)
    error.attachNote(ops.front()->getLoc()) << "'" << name << "' first here";
  return failure();
}
