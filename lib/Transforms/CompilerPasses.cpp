#include "CompilerPasses.h"

#include "titan/Interfaces/DidYouMean.h"
#include "titan/Transforms/JointPasses.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::titan;

static constexpr llvm::StringLiteral kCompilerPasses[] = {
    "autobucketing_reordering", "transformer_block_bucketing",
    "regional_inductor", "cudagraph", "full_inductor_compilation"};

llvm::ArrayRef<llvm::StringLiteral> titan::getCompilerPasses() {
  return kCompilerPasses;
}

std::string titan::formatNames(llvm::ArrayRef<StringRef> names) {
  if (names.empty())
    return "[]";
  return "['" + llvm::join(names, "', '") + "']";
}

static llvm::Error checkTogether(llvm::ArrayRef<std::string> names,
                                 bool hasDecomposition) {
  auto has = [&](StringRef name) { return llvm::is_contained(names, name); };
  if (has("cudagraph") && names.back() != "cudagraph")
    return llvm::createStringError("cudagraph has to be the last pass to "
                                   "apply");
  if (has("autobucketing_reordering") && has("transformer_block_bucketing"))
    return llvm::createStringError(
        "Cannot apply autobucketing_reordering and transformer_block_bucketing "
        "at the same time!");
  if (has("full_inductor_compilation") && !hasDecomposition)
    return llvm::createStringError(
        "full_inductor_compilation pass requires inductor_decomposition to be "
        "specified in joint_passes. Please add --compile.joint_passes "
        "inductor_decomposition");
  return llvm::Error::success();
}

llvm::Error titan::checkCompilerPasses(llvm::ArrayRef<std::string> names,
                                       bool hasDecomposition) {
  if (llvm::Error error = checkTogether(names, hasDecomposition))
    return error;
  auto known = llvm::to_vector_of<StringRef>(getCompilerPasses());
  for (StringRef name : names)
    if (!llvm::is_contained(known, name))
      return llvm::createStringError(
          "Unknown compiler pass: " + name + ". Available compiler passes: " +
          formatNames(known) + didYouMean(name, known));
  if (!names.empty())
    return llvm::createStringError("compiler pass '" + names.front() +
                                   "' is not supported yet; leave --passes "
                                   "out");
  return llvm::Error::success();
}
