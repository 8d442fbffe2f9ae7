// Replaces every call of a device operation: special registers become loads,
// arithmetic becomes LLVM's own, and the rest becomes a call into the emulator
// over registers in memory.
#include "ModuleCode.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace mlir::titan::emulator;
using namespace llvm;

/// The offset in `SpecialRegisters` of a special register of 32 bits, or -1.
static int64_t getRegisterOffset(StringRef name) {
  using R = SpecialRegisters;
  // Without clusters a block is a cluster of its own.
  return StringSwitch<int64_t>(name)
      .Case("tid.x", offsetof(R, tid))
      .Case("tid.y", offsetof(R, tid) + 4)
      .Case("tid.z", offsetof(R, tid) + 8)
      .Case("ntid.x", offsetof(R, ntid))
      .Case("ntid.y", offsetof(R, ntid) + 4)
      .Case("ntid.z", offsetof(R, ntid) + 8)
      .Cases({"ctaid.x", "clusterid.x"}, offsetof(R, ctaid))
      .Cases({"ctaid.y", "clusterid.y"}, offsetof(R, ctaid) + 4)
      .Cases({"ctaid.z", "clusterid.z"}, offsetof(R, ctaid) + 8)
      .Cases({"nctaid.x", "nclusterid.x"}, offsetof(R, nctaid))
      .Cases({"nctaid.y", "nclusterid.y"}, offsetof(R, nctaid) + 4)
      .Cases({"nctaid.z", "nclusterid.z"}, offsetof(R, nctaid) + 8)
      .Cases({"cluster.ctaid.x", "cluster.ctaid.y", "cluster.ctaid.z",
              "cluster.ctarank", "smid"},
             offsetof(R, zero))
      .Cases({"cluster.nctaid.x", "cluster.nctaid.y", "cluster.nctaid.z",
              "cluster.nctarank", "nsmid"},
             offsetof(R, one))
      .Case("laneid", offsetof(R, lane))
      .Case("warpid", offsetof(R, warp))
      .Case("nwarpid", offsetof(R, warps))
      .Case("warpsize", offsetof(R, warpSize))
      .Case("lanemask.eq", offsetof(R, lanesEqual))
      .Case("lanemask.lt", offsetof(R, lanesLess))
      .Case("lanemask.le", offsetof(R, lanesLessEqual))
      .Case("lanemask.gt", offsetof(R, lanesGreater))
      .Case("lanemask.ge", offsetof(R, lanesGreaterEqual))
      .Cases({"total.smem.size", "total_smem_size"}, offsetof(R, sharedBytes))
      .Cases({"dynamic.smem.size", "dynamic_smem_size"},
             offsetof(R, dynamicSharedBytes))
      .Default(-1);
}

/// A value as a register.
static Value *toSlot(IRBuilder<> &builder, Value *value) {
  Type *type = value->getType();
  if (type->isPointerTy())
    return builder.CreatePtrToInt(value, builder.getInt64Ty());
  if (!type->isIntegerTy())
    value = builder.CreateBitCast(
        value, builder.getIntNTy(unsigned(type->getPrimitiveSizeInBits())));
  return builder.CreateZExtOrTrunc(value, builder.getInt64Ty());
}

/// A register as a value of a type.
static Value *fromSlot(IRBuilder<> &builder, Value *slot, Type *type) {
  if (type->isPointerTy())
    return builder.CreateIntToPtr(slot, type);
  unsigned bits = unsigned(type->getPrimitiveSizeInBits());
  Value *integer = builder.CreateTrunc(slot, builder.getIntNTy(bits));
  return builder.CreateBitCast(integer, type);
}

namespace {

/// Lowers the calls of one module.
class Lowering {
public:
  Lowering(Module &module, ModuleCode &code,
           std::vector<std::string> &unsupported)
      : module(module), code(code), unsupported(unsupported) {}
  void run();

private:
  void lowerCall(CallInst &call);
  void lowerInlineAssembly(CallInst &call, const InlineAsm &assembly);
  void lowerOperation(CallInst &call, StringRef name, Form form);
  void resolveAccumulators(CallInst &call);
  void replaceByResult(IRBuilder<> &builder, CallInst &call, Value *slots);
  Value *makeSlots(Function &function, unsigned count);
  Value *getSlot(IRBuilder<> &builder, Value *slots, unsigned index) {
    return builder.CreateConstGEP1_32(builder.getInt64Ty(), slots, index);
  }
  void report(const Twine &name) {
    if (refused.insert(name.str()).second)
      unsupported.push_back(name.str());
  }

  Module &module;
  ModuleCode &code;
  std::vector<std::string> &unsupported;
  StringSet<> refused;
  StringMap<unsigned> operationNumbers, programNumbers;
};

} // namespace

Value *Lowering::makeSlots(Function &function, unsigned count) {
  IRBuilder<> builder(&function.getEntryBlock(),
                      function.getEntryBlock().begin());
  return builder.CreateAlloca(
      ArrayType::get(builder.getInt64Ty(), std::max(1u, count)));
}

static unsigned countResults(Type *type) {
  if (type->isVoidTy())
    return 0;
  if (auto *structure = dyn_cast<StructType>(type))
    return structure->getNumElements();
  return 1;
}

void Lowering::replaceByResult(IRBuilder<> &builder, CallInst &call,
                               Value *slots) {
  Type *type = call.getType();
  auto load = [&](unsigned index, Type *element) {
    return fromSlot(builder,
                    builder.CreateLoad(builder.getInt64Ty(),
                                       getSlot(builder, slots, index)),
                    element);
  };
  if (auto *structure = dyn_cast<StructType>(type)) {
    Value *result = PoisonValue::get(type);
    for (unsigned i = 0; i < structure->getNumElements(); ++i)
      result = builder.CreateInsertValue(
          result, load(i, structure->getElementType(i)), i);
    call.replaceAllUsesWith(result);
  } else if (!type->isVoidTy()) {
    call.replaceAllUsesWith(load(0, type));
  }
  call.eraseFromParent();
}

/// An accumulator of a wgmma stands for a value that is there only once the
/// operation was waited for. Phis and the like pass it on; whatever else reads
/// it asks the emulator for the value, which faults if it is not there yet.
void Lowering::resolveAccumulators(CallInst &call) {
  SetVector<Value *> carriers;
  carriers.insert(&call);
  FunctionCallee resolve = module.getOrInsertFunction(
      "titanEmulatorResolve", Type::getInt32Ty(module.getContext()),
      Type::getInt32Ty(module.getContext()),
      Type::getInt32Ty(module.getContext()));
  for (size_t i = 0; i < carriers.size(); ++i)
    for (Use &use : make_early_inc_range(carriers[i]->uses())) {
      auto *user = cast<Instruction>(use.getUser());
      if (isa<PHINode, ExtractValueInst, InsertValueInst, SelectInst,
              FreezeInst>(user)) {
        carriers.insert(user);
        continue;
      }
      auto *other = dyn_cast<CallInst>(user);
      if (other && other->isInlineAsm() &&
          StringRef(cast<InlineAsm>(other->getCalledOperand())->getAsmString())
              .contains("wgmma.mma_async"))
        continue;
      if (other &&
          other->getCalledFunction() == dyn_cast<Function>(resolve.getCallee()))
        continue;
      Type *type = use->getType();
      if (!type->isFloatTy() && !type->isIntegerTy(32) && !type->isVectorTy())
        continue;
      IRBuilder<> builder(user);
      Value *bits = builder.CreateBitCast(use.get(), builder.getInt32Ty());
      Value *value = builder.CreateCall(
          resolve, {bits, builder.getInt32(
                              addSite(code, *user, user->getOpcodeName()))});
      use.set(builder.CreateBitCast(value, type));
    }
}

void Lowering::lowerInlineAssembly(CallInst &call, const InlineAsm &assembly) {
  std::string text(assembly.getAsmString());
  // Per operand: its result, and the argument that it starts as.
  struct Operand {
    int result = -1, argument = -1;
  };
  SmallVector<Operand> operands;
  int nextResult = 0, nextArgument = 0;
  for (const InlineAsm::ConstraintInfo &constraint :
       assembly.ParseConstraints()) {
    if (constraint.Type == InlineAsm::isClobber)
      continue;
    Operand operand;
    if (constraint.Type == InlineAsm::isOutput) {
      operand.result = nextResult++;
    } else {
      operand.argument = nextArgument++;
      if (constraint.hasMatchingInput() || !constraint.Codes.empty()) {
        unsigned tied;
        if (!StringRef(constraint.Codes.front()).getAsInteger(10, tied) &&
            tied < operands.size())
          operands[tied].argument = operand.argument;
      }
    }
    operands.push_back(operand);
  }
  auto [entry, isNew] =
      programNumbers.try_emplace(text, unsigned(code.programs.size()));
  if (isNew) {
    auto program = parsePtx(text, unsigned(operands.size()), code.operations);
    if (!program) {
      report("inline PTX: " + toString(program.takeError()));
      programNumbers.erase(entry);
      return;
    }
    code.programs.push_back(std::move(*program));
  }
  if (StringRef(text).contains("wgmma.mma_async"))
    resolveAccumulators(call);

  StringRef shown = StringRef(text).trim("{}\n\t ;");
  for (StringRef rest = shown; rest.starts_with(".reg") ||
                               rest.starts_with("setp") ||
                               rest.starts_with("@");)
    shown = rest =
        rest.split(rest.starts_with("@") ? ' ' : ';').second.trim("\n\t ");
  IRBuilder<> builder(&call);
  uint32_t site = addSite(code, call, shown.take_until([](char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == ';';
  }));
  Value *slots = makeSlots(*call.getFunction(), unsigned(operands.size()));
  for (unsigned i = 0; i < operands.size(); ++i)
    if (operands[i].argument >= 0)
      builder.CreateStore(
          toSlot(builder, call.getArgOperand(unsigned(operands[i].argument))),
          getSlot(builder, slots, i));
  FunctionCallee run = module.getOrInsertFunction(
      "titanEmulatorPtx", builder.getVoidTy(), builder.getInt32Ty(),
      builder.getInt32Ty(), slots->getType());
  builder.CreateCall(
      run, {builder.getInt32(entry->second), builder.getInt32(site), slots});
  replaceByResult(builder, call, slots);
}

void Lowering::lowerOperation(CallInst &call, StringRef name, Form form) {
  auto [entry, isNew] = operationNumbers.try_emplace(name, 0);
  if (isNew) {
    auto op = std::make_unique<Op>();
    op->name = name.str();
    if (!decodeOperation(name, form, *op)) {
      report("llvm.nvvm." + name);
      operationNumbers.erase(entry);
      return;
    }
    entry->second = unsigned(code.operations.size());
    code.operations.push_back(std::move(op));
  }
  IRBuilder<> builder(&call);
  uint32_t site = addSite(code, call, name);
  Value *in = makeSlots(*call.getFunction(), call.arg_size());
  Value *out = makeSlots(*call.getFunction(), countResults(call.getType()));
  for (unsigned i = 0; i < call.arg_size(); ++i)
    if (!call.getArgOperand(i)->getType()->isMetadataTy())
      builder.CreateStore(toSlot(builder, call.getArgOperand(i)),
                          getSlot(builder, in, i));
  FunctionCallee run = module.getOrInsertFunction(
      "titanEmulatorOperation", builder.getVoidTy(), builder.getInt32Ty(),
      builder.getInt32Ty(), in->getType(), in->getType());
  builder.CreateCall(
      run, {builder.getInt32(entry->second), builder.getInt32(site), in, out});
  replaceByResult(builder, call, out);
}

void Lowering::lowerCall(CallInst &call) {
  if (auto *assembly = dyn_cast<InlineAsm>(call.getCalledOperand()))
    return lowerInlineAssembly(call, *assembly);
  Function *callee = call.getCalledFunction();
  if (!callee)
    return report("an indirect call");
  StringRef name = callee->getName();
  if (!callee->isDeclaration() || name.starts_with("titanEmulator"))
    return;
  if (name == "llvm.trap" || name == "llvm.debugtrap" || name == "vprintf" ||
      name == "__assertfail")
    return lowerOperation(call, name, Form::Intrinsic);
  if (!name.consume_front("llvm.nvvm.")) {
    if (!callee->isIntrinsic())
      report(name);
    return;
  }
  if (name.starts_with("read.ptx.sreg.")) {
    int64_t offset = getRegisterOffset(name.drop_front(14));
    if (offset >= 0) {
      IRBuilder<> builder(&call);
      Value *address = builder.CreateConstGEP1_64(
          builder.getInt8Ty(), getRegisters(*call.getFunction()), offset);
      call.replaceAllUsesWith(builder.CreateLoad(call.getType(), address));
      call.eraseFromParent();
      return;
    }
  }
  if (lowerToInstructions(call))
    return;
  lowerOperation(call, name, Form::Intrinsic);
}

void Lowering::run() {
  for (Function &function : module) {
    SmallVector<CallInst *> calls;
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallInst>(&instruction))
        calls.push_back(call);
    for (CallInst *call : calls)
      lowerCall(*call);
  }
}

void mlir::titan::emulator::lowerOperations(
    Module &module, ModuleCode &code, std::vector<std::string> &unsupported) {
  Lowering(module, code, unsupported).run();
}
