// Inserts a check before every access to memory, a turn for others before a
// load that may be a spin's, and a count of loop iterations.
#include "ModuleCode.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace mlir::titan::emulator;
using namespace llvm;

namespace {

/// Inserts into one module.
class Instrumenter {
public:
  Instrumenter(Module &module, ModuleCode &code) : module(module), code(code) {
    LLVMContext &context = module.getContext();
    Type *none = Type::getVoidTy(context), *i32 = Type::getInt32Ty(context),
         *i64 = Type::getInt64Ty(context);
    access = module.getOrInsertFunction("titanEmulatorAccess", none, i64, i64,
                                        i32, i32, i32);
    spin = module.getOrInsertFunction("titanEmulatorSpin", none, i32);
    endless = module.getOrInsertFunction("titanEmulatorEndless", none, i32);
  }
  void run(Function &function);

private:
  void check(Instruction &instruction, Value *pointer, Value *size,
             uint64_t alignment, uint32_t flags, StringRef what);
  void visit(Instruction &instruction);
  void countIterations(Function &function);

  Module &module;
  ModuleCode &code;
  FunctionCallee access, spin, endless;
};

} // namespace

void Instrumenter::check(Instruction &instruction, Value *pointer, Value *size,
                         uint64_t alignment, uint32_t flags, StringRef what) {
  if (isa<AllocaInst>(getUnderlyingObject(pointer)))
    return;
  IRBuilder<> builder(&instruction);
  builder.CreateCall(
      access, {builder.CreatePtrToInt(pointer, builder.getInt64Ty()),
               builder.CreateZExtOrTrunc(size, builder.getInt64Ty()),
               builder.getInt32(uint32_t(alignment)), builder.getInt32(flags),
               builder.getInt32(addSite(code, instruction, what))});
}

void Instrumenter::visit(Instruction &instruction) {
  const DataLayout &layout = module.getDataLayout();
  auto sizeOf = [&](Type *type) -> Value * {
    return ConstantInt::get(Type::getInt64Ty(module.getContext()),
                            layout.getTypeStoreSize(type));
  };
  auto mayWait = [&](bool waits) {
    if (!waits)
      return;
    IRBuilder<> builder(&instruction);
    builder.CreateCall(
        spin, builder.getInt32(addSite(code, instruction, "a volatile load")));
  };
  if (auto *load = dyn_cast<LoadInst>(&instruction)) {
    bool relaxed = load->isVolatile() || load->isAtomic();
    mayWait(relaxed);
    return check(instruction, load->getPointerOperand(),
                 sizeOf(load->getType()), load->getAlign().value(),
                 relaxed ? kAtomic : kReads, "load");
  }
  if (auto *store = dyn_cast<StoreInst>(&instruction)) {
    // A volatile store is no read, so it is not marked atomic.
    return check(instruction, store->getPointerOperand(),
                 sizeOf(store->getValueOperand()->getType()),
                 store->getAlign().value(), kWrites, "store");
  }
  if (auto *rmw = dyn_cast<AtomicRMWInst>(&instruction))
    return check(instruction, rmw->getPointerOperand(), sizeOf(rmw->getType()),
                 rmw->getAlign().value(), kWrites | kAtomic, "atomicrmw");
  if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
    mayWait(true);
    return check(instruction, exchange->getPointerOperand(),
                 sizeOf(exchange->getCompareOperand()->getType()),
                 exchange->getAlign().value(), kWrites | kAtomic, "cmpxchg");
  }
  if (auto *transfer = dyn_cast<MemTransferInst>(&instruction)) {
    check(instruction, transfer->getRawSource(), transfer->getLength(), 1,
          kReads, "memcpy");
    return check(instruction, transfer->getRawDest(), transfer->getLength(), 1,
                 kWrites, "memcpy");
  }
  if (auto *set = dyn_cast<MemSetInst>(&instruction))
    check(instruction, set->getRawDest(), set->getLength(), 1, kWrites,
          "memset");
}

/// Takes one unit of fuel at each way back to a loop's head.
void Instrumenter::countIterations(Function &function) {
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>> edges;
  FindFunctionBackedges(function, edges);
  if (edges.empty())
    return;
  Instruction *registers = getRegisters(function);
  SetVector<const BasicBlock *> sources;
  for (auto &[from, to] : edges)
    sources.insert(from);
  for (const BasicBlock *source : sources) {
    Instruction *end = const_cast<BasicBlock *>(source)->getTerminator();
    IRBuilder<> builder(end);
    Value *address = builder.CreateConstGEP1_64(
        builder.getInt8Ty(), registers, offsetof(SpecialRegisters, fuel));
    Value *fuel = builder.CreateSub(
        builder.CreateLoad(builder.getInt64Ty(), address), builder.getInt64(1));
    builder.CreateStore(fuel, address);
    Value *empty = builder.CreateICmpEQ(fuel, builder.getInt64(0));
    uint32_t site = addSite(code, *end, "a loop");
    Instruction *then = SplitBlockAndInsertIfThen(
        empty, end, /*Unreachable=*/false,
        MDBuilder(module.getContext()).createUnlikelyBranchWeights());
    IRBuilder<>(then).CreateCall(endless, builder.getInt32(site));
  }
}

void Instrumenter::run(Function &function) {
  SmallVector<Instruction *> accesses;
  for (Instruction &instruction : instructions(function)) {
    auto *load = dyn_cast<LoadInst>(&instruction);
    if (load) {
      // The emulator's own registers are no memory of the kernel's.
      auto *base =
          dyn_cast<CallInst>(getUnderlyingObject(load->getPointerOperand()));
      if (base && base->getCalledFunction() &&
          base->getCalledFunction()->getName().starts_with("titanEmulator"))
        continue;
    }
    accesses.push_back(&instruction);
  }
  for (Instruction *instruction : accesses)
    visit(*instruction);
  countIterations(function);
}

void mlir::titan::emulator::instrument(Module &module, ModuleCode &code) {
  Instrumenter instrumenter(module, code);
  for (Function &function : module)
    if (!function.isDeclaration())
      instrumenter.run(function);
}
