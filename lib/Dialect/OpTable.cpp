#include "titan/Dialect/OpTable.h"
#include "titan/Interfaces/OpFactNames.h"
#include "titan/Interfaces/TorchOpInterfaces.h"

#include "mlir/IR/Location.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::titan;

namespace {

/// One line of the table.
struct Row {
  StringRef name;
  std::string parameters;
  std::string work;
  std::string facts;
  std::string shares;
  std::string flops;
  bool isLowered = false;
  StringRef path;
};

} // namespace

static StringRef spellKind(ParameterKind kind) {
  switch (kind) {
  case ParameterKind::Tensor:
    return "Tensor";
  case ParameterKind::TensorOrScalar:
    return "Tensor|Scalar";
  case ParameterKind::OptionalTensor:
    return "Tensor?";
  case ParameterKind::Tensors:
    return "Tensor[]";
  case ParameterKind::OptionalTensors:
    return "Tensor?[]";
  case ParameterKind::SymInt:
    return "SymInt";
  case ParameterKind::SymInts:
    return "SymInt[]";
  case ParameterKind::Scalar:
    return "Scalar";
  case ParameterKind::Int:
    return "int";
  case ParameterKind::Ints:
    return "int[]";
  case ParameterKind::Float:
    return "float";
  case ParameterKind::Floats:
    return "float[]";
  case ParameterKind::Bool:
    return "bool";
  case ParameterKind::Bools:
    return "bool[]";
  case ParameterKind::String:
    return "str";
  case ParameterKind::Scalars:
    return "Scalar[]";
  case ParameterKind::Dtype:
    return "ScalarType";
  case ParameterKind::Layout:
    return "Layout";
  case ParameterKind::Device:
    return "Device";
  case ParameterKind::MemoryFormat:
    return "MemoryFormat";
  case ParameterKind::Generator:
    return "Generator?";
  }
  llvm_unreachable("unknown kind of parameter");
}

static std::string spellParameters(ArrayRef<SchemaParameter> schema) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  bool keywords = false;
  llvm::interleaveComma(schema, stream, [&](const SchemaParameter &parameter) {
    if (parameter.keywordOnly && !std::exchange(keywords, true))
      stream << "*, ";
    stream << spellKind(parameter.kind);
    if (parameter.isNullable && !text.ends_with("?"))
      stream << '?';
    if (parameter.isMutated)
      stream << '!';
    stream << ' ' << parameter.name;
    if (!parameter.defaultText.empty())
      stream << '=' << parameter.defaultText;
  });
  return text;
}

// The names of the parameters that have operands: one operand each, as far as
// an alias can tell.
static std::string spellAlias(Operation *op, ArrayRef<SchemaParameter> schema) {
  auto interface = cast<AliasOpInterface>(op);
  std::optional<unsigned> operand = interface.getAliasedOperand(0);
  if (!operand)
    return {};
  unsigned number = *operand;
  for (const SchemaParameter &parameter : schema)
    if (hasOperands(parameter.kind) && number-- == 0)
      return parameter.name.str();
  return {};
}

// The answers do not depend on operands, so an op without any will do; it is
// asked and destroyed, never verified.
static Row makeRow(RegisteredOperationName name,
                   function_ref<StringRef(Operation *)> getPath) {
  OperationState state(UnknownLoc::get(name.getContext()), name);
  OwningOpRef<Operation *> op(Operation::create(state));
  ArrayRef<SchemaParameter> schema =
      cast<TorchOpInterface>(op.get()).getSchema();
  auto recompute = cast<RecomputeOpInterface>(op.get());
  Row row;
  row.name = name.getStringRef();
  row.parameters = spellParameters(schema);
  row.work = stringifyWorkClass(recompute.getWorkClass()).str();
  row.facts = llvm::join(listFacts(recompute.getFacts()), " ");
  row.shares = spellAlias(op.get(), schema);
  row.flops =
      stringifyFlopFormula(cast<CostOpInterface>(op.get()).getFlopFormula())
          .str();
  row.path = getPath(op.get());
  return row;
}

static size_t countLowered(ArrayRef<Row> rows) {
  return llvm::count_if(rows, [](const Row &row) { return row.isLowered; });
}

static size_t countPath(ArrayRef<Row> rows, StringRef path) {
  return llvm::count_if(rows, [&](const Row &row) { return row.path == path; });
}

// How many ops the compiled engine runs in which way.
static void printPaths(ArrayRef<Row> rows, raw_ostream &stream) {
  stream << "On the cpu engine " << countPath(rows, "compiled")
         << " are compiled, " << countPath(rows, "library")
         << " have library kernels, " << countPath(rows, "reference")
         << " run on reference kernels, " << countPath(rows, "")
         << " do not run.\n";
}

static void printText(ArrayRef<Row> rows, raw_ostream &stream) {
  for (const Row &row : rows) {
    stream << row.name << '(' << row.parameters << ")\n    " << row.work;
    if (!row.facts.empty())
      stream << "; " << row.facts;
    if (!row.shares.empty())
      stream << "; shares storage with " << row.shares;
    stream << "; flops: " << row.flops;
    if (row.isLowered)
      stream << "; lowers to linalg";
    stream << "; cpu: " << (row.path.empty() ? "no kernel" : row.path);
    stream << '\n';
  }
  stream << rows.size() << " ops, " << countLowered(rows)
         << " of them lower to linalg\n";
  printPaths(rows, stream);
}

// A bar would end the cell.
static std::string escapeCell(StringRef text) {
  std::string result;
  for (char c : text) {
    if (c == '|')
      result += '\\';
    result += c;
  }
  return result;
}

static void printMarkdown(ArrayRef<Row> rows, raw_ostream &stream) {
  stream << "# Ops\n\n"
            "Made by `titan-opt --list-ops-markdown`; docs/Dialects.md says "
            "what the columns mean.\n"
         << countLowered(rows) << " of " << rows.size()
         << " ops lower to linalg.\n";
  printPaths(rows, stream);
  StringRef dialect;
  for (const Row &row : rows) {
    auto [space, rest] = row.name.split('.');
    if (space != dialect) {
      dialect = space;
      auto count = llvm::count_if(rows, [&](const Row &other) {
        return other.name.split('.').first == dialect;
      });
      stream
          << "\n## " << dialect << " (" << count << " ops)\n\n"
          << "| op | parameters | work | facts | shares storage with | flops "
             "| linalg | cpu |\n|---|---|---|---|---|---|---|---|\n";
    }
    stream << llvm::formatv(
        "| `{0}` | {1} | {2} | {3} | {4} | {5} | {6} | {7} |\n", row.name,
        escapeCell(row.parameters), row.work, row.facts, row.shares, row.flops,
        row.isLowered ? "yes" : "", row.path);
  }
}

void titan::printOpTable(MLIRContext &context, raw_ostream &stream,
                         bool markdown, function_ref<bool(StringRef)> isLowered,
                         function_ref<StringRef(Operation *)> getPath) {
  context.loadAllAvailableDialects();
  SmallVector<Row> rows;
  for (RegisteredOperationName name : context.getRegisteredOperations())
    if (name.hasInterface<TorchOpInterface>()) {
      rows.push_back(makeRow(name, getPath));
      rows.back().isLowered = isLowered(name.getStringRef());
    }
  llvm::sort(rows, [](const Row &a, const Row &b) { return a.name < b.name; });
  if (markdown)
    printMarkdown(rows, stream);
  else
    printText(rows, stream);
}
