#include "titan/Interfaces/OpFactNames.h"

#include "llvm/Support/ErrorHandling.h"

using namespace mlir::titan;
using llvm::StringRef;

StringRef mlir::titan::stringifyWorkClass(WorkClass work) {
  switch (work) {
  case WorkClass::View:
    return "view";
  case WorkClass::Pointwise:
    return "pointwise";
  case WorkClass::Reduction:
    return "reduction";
  case WorkClass::Creation:
    return "creation";
  case WorkClass::Movement:
    return "movement";
  case WorkClass::ComputeHeavy:
    return "compute-heavy";
  case WorkClass::Random:
    return "random";
  case WorkClass::Collective:
    return "collective";
  case WorkClass::Effectful:
    return "effectful";
  case WorkClass::Symbolic:
    return "symbolic";
  case WorkClass::Unknown:
    return "unknown";
  }
  llvm_unreachable("unknown class of work");
}

StringRef mlir::titan::stringifyFlopFormula(FlopFormula formula) {
  switch (formula) {
  case FlopFormula::Elements:
    return "elements";
  case FlopFormula::None:
    return "none";
  case FlopFormula::Matmul:
    return "matmul";
  case FlopFormula::Convolution:
    return "convolution";
  case FlopFormula::ConvolutionBackward:
    return "convolution-backward";
  case FlopFormula::Attention:
    return "attention";
  case FlopFormula::AttentionBackward:
    return "attention-backward";
  case FlopFormula::GroupedMatmul:
    return "grouped-matmul";
  case FlopFormula::Unknown:
    return "unknown";
  }
  llvm_unreachable("unknown flop formula");
}

llvm::SmallVector<StringRef> mlir::titan::listFacts(OpFact facts) {
  static constexpr std::pair<OpFact, llvm::StringLiteral> kNames[] = {
      {OpFact::Recomputable, "recomputable"},
      {OpFact::CutView, "cut-view"},
      {OpFact::ComputeIntensive, "compute-intensive"},
      {OpFact::Seeded, "seeded"},
      {OpFact::Mutable, "mutable"},
      {OpFact::Impure, "impure"},
      {OpFact::Pointwise, "pointwise"},
      {OpFact::Wait, "wait"},
      {OpFact::Assertion, "assertion"},
  };
  llvm::SmallVector<StringRef> names;
  for (const auto &[fact, name] : kNames)
    if (contains(facts, fact))
      names.push_back(name);
  return names;
}
