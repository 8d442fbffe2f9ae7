#include "Tables.h"

#include "titan/Analysis/PeakMemory.h"
#include "titan/Dialect/Titan/IR/Annotations.h"
#include "titan/Report/CollectReport.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::titan;

// `model.py:3, model.py:5-9`: neighbouring lines of a file are one range.
static std::string formatPlaces(func::FuncOp kernel) {
  llvm::SmallSetVector<std::pair<StringRef, unsigned>, 16> places;
  for (Operation &op : kernel.front().without_terminator())
    op.getLoc()->walk([&](Location inner) {
      auto file = dyn_cast<FileLineColLoc>(inner);
      if (!file)
        return WalkResult::advance();
      places.insert({file.getFilename().getValue(), file.getLine()});
      return WalkResult::interrupt();
    });
  SmallVector<std::pair<StringRef, unsigned>> sorted(places.begin(),
                                                     places.end());
  llvm::sort(sorted);
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
    end = begin + 1;
    while (end < sorted.size() && sorted[end].first == sorted[begin].first &&
           sorted[end].second == sorted[end - 1].second + 1)
      ++end;
    stream << (begin ? ", " : "") << sorted[begin].first << ":"
           << sorted[begin].second;
    if (end > begin + 1)
      stream << "-" << sorted[end - 1].second;
  }
  return text;
}

static void printRate(double amount, double seconds, raw_ostream &stream) {
  // Nothing takes less time than the clock can tell.
  constexpr double kLeast = 1e-9, kGiga = 1e9;
  if (amount == 0)
    stream << "        -";
  else
    stream << llvm::format(" %8.3f",
                           amount / std::max(seconds, kLeast) / kGiga);
}

static void printRow(StringRef name, const OpProfile &entry, double total,
                     raw_ostream &stream) {
  stream << llvm::format("%9.2f %5.1f %7lld %9.2f", entry.seconds * 1e3,
                         100 * entry.seconds / std::max(total, 1e-9),
                         static_cast<long long>(entry.calls),
                         static_cast<double>(entry.bytes) / 1e6);
  printRate(static_cast<double>(entry.bytes), entry.seconds, stream);
  printRate(static_cast<double>(entry.flops), entry.seconds, stream);
  stream << "  " << name << "\n";
  if (countKernelOps(entry.op).empty())
    return;
  constexpr unsigned kIndent = 54;
  stream.indent(kIndent) << describeOp(entry.op) << "\n";
  auto call = cast<func::CallOp>(entry.op);
  std::string places =
      formatPlaces(SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
          call, call.getCalleeAttr()));
  if (!places.empty())
    stream.indent(kIndent) << "at " << places << "\n";
}

void titan::printProfile(const Interpreter &interpreter, raw_ostream &stream) {
  SmallVector<std::pair<StringRef, OpProfile>> entries(
      interpreter.getProfile().begin(), interpreter.getProfile().end());
  llvm::sort(entries, [](const auto &a, const auto &b) {
    return std::pair(-a.second.seconds, a.first) <
           std::pair(-b.second.seconds, b.first);
  });
  double total = 0;
  for (const auto &entry : entries)
    total += entry.second.seconds;
  stream << "       ms     %   calls        MB     GB/s  GFLOP/s  op\n";
  for (const auto &[name, entry] : entries)
    printRow(name, entry, total, stream);
}

// Makes the sizes of the run the hints that the analysis goes by.
static void setHints(ModuleOp module, const llvm::StringMap<int64_t> &symbols) {
  if (symbols.empty())
    return;
  Builder builder(module.getContext());
  NamedAttrList table;
  if (auto known = module->getAttrOfType<DictionaryAttr>(kDynamicAttr))
    table.assign(known.begin(), known.end());
  for (const auto &symbol : symbols)
    table.set(symbol.getKey(), builder.getI64IntegerAttr(symbol.getValue()));
  module->setAttr(kDynamicAttr, table.getDictionary(module.getContext()));
}

void titan::printMemory(const Arena &arena, ArrayRef<func::FuncOp> functions,
                        const llvm::StringMap<int64_t> &symbols,
                        int64_t numRanks, raw_ostream &stream) {
  setHints(functions.front()->getParentOfType<ModuleOp>(), symbols);
  func::FuncOp backward = functions.size() > 1 ? functions[1] : func::FuncOp();
  stream << "peak " << arena.getPeakValueBytes() << " bytes of values";
  if (functions.size() <= 2)
    stream << ", predicted "
           << computePeakMemory(functions.front(), backward).bytes * numRanks;
  stream << ", " << arena.getPeakBlockBytes() << " with scratch\n";
}
