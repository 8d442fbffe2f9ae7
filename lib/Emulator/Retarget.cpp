// Makes a module for NVPTX one for the host: drops what only the device means,
// places shared memory, replaces device operations, and gives each kernel an
// entry that takes its parameters as cuLaunchKernel does.
#include "ModuleCode.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"

using namespace mlir::titan::emulator;
using namespace llvm;

/// The function that compiled code asks for the running thread's registers.
static constexpr const char *kRegistersName = "titanEmulatorRegisters";

Instruction *mlir::titan::emulator::getRegisters(Function &function) {
  for (Instruction &instruction : function.getEntryBlock())
    if (auto *call = dyn_cast<CallInst>(&instruction))
      if (call->getCalledFunction() &&
          call->getCalledFunction()->getName() == kRegistersName)
        return call;
  Module &module = *function.getParent();
  auto *pointer = PointerType::get(module.getContext(), 0);
  FunctionCallee callee = module.getOrInsertFunction(
      kRegistersName, FunctionType::get(pointer, false));
  auto *declaration = cast<Function>(callee.getCallee());
  declaration->setDoesNotThrow();
  declaration->setDoesNotAccessMemory();
  IRBuilder<> builder(&function.getEntryBlock(),
                      function.getEntryBlock().begin());
  return builder.CreateCall(callee);
}

uint32_t mlir::titan::emulator::addSite(ModuleCode &code,
                                        const Instruction &instruction,
                                        StringRef what) {
  std::string text = ("'" + what + "'").str();
  if (const DebugLoc &location = instruction.getDebugLoc()) {
    auto *scope = cast<DIScope>(location.getScope());
    text += (" (" + scope->getFilename() + ":" + Twine(location.getLine()) +
             ":" + Twine(location.getCol()) + ")")
                .str();
  } else {
    unsigned number = 0;
    for (const llvm::Instruction &other :
         instructions(*instruction.getFunction())) {
      if (&other == &instruction)
        break;
      ++number;
    }
    text += (" (instruction " + Twine(number) + " of '" +
             instruction.getFunction()->getName() + "')")
                .str();
  }
  code.sites.push_back(std::move(text));
  return uint32_t(code.sites.size() - 1);
}

/// ptxas lays shared variables out in the module's order, each at its
/// alignment, and gives one of zero length a byte of its own; `.extern` arrays
/// all begin where the static ones end.
void mlir::titan::emulator::placeSharedMemory(Module &module,
                                              ModuleCode &code) {
  constexpr uint64_t kDynamicAlignment = 1024;
  SmallVector<GlobalVariable *> shared, dynamic;
  DenseMap<GlobalVariable *, uint64_t> offset;
  uint64_t end = 0;
  const DataLayout &layout = module.getDataLayout();
  for (GlobalVariable &variable : module.globals()) {
    if (variable.getAddressSpace() != 3)
      continue;
    shared.push_back(&variable);
    if (variable.isDeclaration()) {
      dynamic.push_back(&variable);
      continue;
    }
    Type *type = variable.getValueType();
    uint64_t alignment =
        layout.getValueOrABITypeAlignment(variable.getAlign(), type).value();
    end = alignTo(end, alignment);
    offset[&variable] = end;
    end += std::max<uint64_t>(1, layout.getTypeAllocSize(type));
  }
  end = dynamic.empty() ? end : alignTo(end, kDynamicAlignment);
  for (GlobalVariable *variable : dynamic)
    offset[variable] = end;
  code.staticSharedBytes = end;

  for (GlobalVariable *variable : shared) {
    convertUsersOfConstantsToInstructions({variable});
    for (User *user : make_early_inc_range(variable->users())) {
      auto *instruction = dyn_cast<Instruction>(user);
      if (!instruction)
        continue;
      Instruction *registers = getRegisters(*instruction->getFunction());
      IRBuilder<> builder(registers->getNextNode());
      Value *base = builder.CreateLoad(
          PointerType::get(module.getContext(), 3),
          builder.CreateConstGEP1_64(builder.getInt8Ty(), registers,
                                     offsetof(SpecialRegisters, shared)));
      instruction->replaceUsesOfWith(
          variable, builder.CreateConstGEP1_64(builder.getInt8Ty(), base,
                                               offset[variable]));
    }
  }
  for (GlobalVariable *variable : shared) {
    variable->replaceAllUsesWith(PoisonValue::get(variable->getType()));
    variable->eraseFromParent();
  }
}

/// Reads up to three numbers of an attribute like "nvvm.reqntid"="128,1,1".
static void readExtents(const Function &function, StringRef name,
                        uint32_t (&values)[3]) {
  if (!function.hasFnAttribute(name))
    return;
  SmallVector<StringRef> parts;
  function.getFnAttribute(name).getValueAsString().split(parts, ',');
  for (uint32_t &value : values)
    value = 1;
  for (size_t i = 0; i < std::min<size_t>(3, parts.size()); ++i)
    (void)parts[i].trim().getAsInteger(10, values[i]);
}

/// Removes what the device's attributes promise and the emulator breaks: its
/// operations touch memory of which the host's optimiser must not know.
static void relax(AttributeList attributes, auto &&set, LLVMContext &context,
                  unsigned numArguments) {
  AttributeMask mask;
  for (Attribute::AttrKind kind :
       {Attribute::ReadNone, Attribute::ReadOnly, Attribute::WriteOnly,
        Attribute::NoAlias, Attribute::ByVal})
    mask.addAttribute(kind);
  for (unsigned i = 0; i < numArguments; ++i)
    attributes = attributes.removeParamAttributes(context, i, mask);
  AttributeMask ofFunction;
  ofFunction.addAttribute("target-cpu");
  ofFunction.addAttribute("target-features");
  ofFunction.addAttribute(Attribute::Memory);
  ofFunction.addAttribute(Attribute::NoSync);
  set(attributes.removeFnAttributes(context, ofFunction));
}

static bool flushesDenormals(const Function &function) {
  auto is = [&](StringRef name, StringRef prefix) {
    return function.hasFnAttribute(name) &&
           function.getFnAttribute(name).getValueAsString().starts_with(prefix);
  };
  return is("nvptx-f32ftz", "true") ||
         is("denormal-fp-math-f32", "preserve-sign");
}

/// Makes the entry of a kernel: loads each parameter from its address, or hands
/// the address of one passed in place on.
static void addEntry(Function &function, ModuleCode &code,
                     const DenseMap<unsigned, Type *> &inPlace) {
  Module &module = *function.getParent();
  LLVMContext &context = module.getContext();
  Kernel &kernel = code.kernels[function.getName()];
  kernel.numArguments = unsigned(function.arg_size());
  kernel.flushDenormals = flushesDenormals(function);
  readExtents(function, "nvvm.reqntid", kernel.requiredThreads);
  uint32_t most[3] = {0, 0, 0};
  readExtents(function, "nvvm.maxntid", most);
  kernel.maxThreads = most[0] * most[1] * most[2];
  auto *pointer = PointerType::get(context, 0);
  auto *entry = Function::Create(
      FunctionType::get(Type::getVoidTy(context), {pointer}, false),
      GlobalValue::ExternalLinkage,
      "titan_kernel_" + Twine(code.kernelNames.size()), module);
  code.kernelNames.push_back(function.getName().str());
  IRBuilder<> builder(BasicBlock::Create(context, "", entry));
  SmallVector<Value *> arguments;
  for (Argument &argument : function.args()) {
    Value *address = builder.CreateLoad(
        pointer, builder.CreateConstGEP1_32(pointer, entry->getArg(0),
                                            argument.getArgNo()));
    if (Type *type = inPlace.lookup(argument.getArgNo())) {
      kernel.inPlace.emplace_back(
          argument.getArgNo(), module.getDataLayout().getTypeAllocSize(type));
      arguments.push_back(
          builder.CreateAddrSpaceCast(address, argument.getType()));
    } else {
      arguments.push_back(
          builder.CreateAlignedLoad(argument.getType(), address, Align(1)));
    }
  }
  builder.CreateCall(&function, arguments);
  builder.CreateRetVoid();
  function.setLinkage(GlobalValue::InternalLinkage);
}

/// Whether what a kernel computes can depend on the order of its blocks.
static bool isOrderSensitive(const Function &function) {
  for (const Instruction &instruction : instructions(function)) {
    if (auto *rmw = dyn_cast<AtomicRMWInst>(&instruction))
      if (rmw->getPointerAddressSpace() != 3 &&
          (rmw->isFloatingPointOperation() || !rmw->use_empty()))
        return true;
    if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
      if (exchange->getPointerAddressSpace() != 3)
        return true;
    // What is printed comes in the order of the blocks.
    if (auto *call = dyn_cast<CallInst>(&instruction))
      if (call->getCalledFunction() &&
          call->getCalledFunction()->getName() == "vprintf")
        return true;
    if (auto *call = dyn_cast<CallInst>(&instruction))
      if (call->isInlineAsm() &&
          StringRef(cast<InlineAsm>(call->getCalledOperand())->getAsmString())
              .contains(".global.add"))
        return true;
  }
  return false;
}

void mlir::titan::emulator::retarget(Module &module, ModuleCode &code,
                                     std::vector<std::string> &unsupported) {
  bool ordered = false;
  SmallVector<std::pair<Function *, DenseMap<unsigned, Type *>>> kernels;
  LLVMContext &context = module.getContext();
  for (Function &function : module) {
    ordered |= isOrderSensitive(function);
    DenseMap<unsigned, Type *> inPlace;
    for (Argument &argument : function.args())
      if (Type *type = argument.getParamByValType())
        inPlace[argument.getArgNo()] = type;
    bool isKernel = function.getCallingConv() == CallingConv::PTX_Kernel;
    if (isKernel && !function.isDeclaration())
      kernels.emplace_back(&function, inPlace);
    function.setCallingConv(CallingConv::C);
    if (function.isIntrinsic())
      continue;
    relax(
        function.getAttributes(),
        [&](AttributeList list) { function.setAttributes(list); }, context,
        unsigned(function.arg_size()));
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallInst>(&instruction)) {
        call->setTailCallKind(CallInst::TCK_None);
        if (call->getIntrinsicID() == Intrinsic::not_intrinsic &&
            !call->isInlineAsm()) {
          call->setCallingConv(CallingConv::C);
          relax(
              call->getAttributes(),
              [&](AttributeList list) { call->setAttributes(list); }, context,
              call->arg_size());
        }
      }
  }
  placeSharedMemory(module, code);
  lowerOperations(module, code, unsupported);
  if (code.checkAccesses)
    instrument(module, code);
  for (auto &[function, inPlace] : kernels) {
    addEntry(*function, code, inPlace);
    code.kernels[function->getName()].ordered = ordered;
  }
  for (GlobalVariable &variable : module.globals()) {
    if (variable.isDeclaration() || variable.getName().starts_with("llvm."))
      continue;
    variable.setLinkage(GlobalValue::ExternalLinkage);
    if (!variable.hasName())
      variable.setName("titan_variable");
    code.variables.push_back(
        {variable.getName().str(),
         module.getDataLayout().getTypeAllocSize(variable.getValueType()),
         variable.isConstant()});
  }
  for (StringRef name : {"nvvm.annotations", "llvm.used", "nvvmir.version"})
    if (NamedMDNode *node = module.getNamedMetadata(name))
      node->eraseFromParent();
}
