// The assembly format that all ops which mirror a PyTorch overload share: a
// call with its arguments in the schema's order.
#include "StoredArguments.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallString.h"
#include <limits>

using namespace mlir;
using namespace mlir::titan;

static bool isList(ParameterKind kind) {
  switch (kind) {
  case ParameterKind::Tensors:
  case ParameterKind::OptionalTensors:
  case ParameterKind::SymInts:
  case ParameterKind::Ints:
  case ParameterKind::Floats:
  case ParameterKind::Bools:
  case ParameterKind::Scalars:
    return true;
  default:
    return false;
  }
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {

/// Parses the arguments of one op. Operand groups are kept apart, since the
/// types come only at the end and an absent group needs its zero.
class CallParser {
public:
  CallParser(OpAsmParser &parser, OperationState &result,
             ArrayRef<SchemaParameter> schema)
      : parser(parser), builder(parser.getBuilder()), result(result),
        schema(schema), groups(schema.size()) {}

  ParseResult parseArguments();
  ParseResult parseTypes();

private:
  ParseResult parseArgument(unsigned index);
  ParseResult parseList(unsigned index);
  ParseResult parseListElement(unsigned index);
  ParseResult parseNumber(Attribute &attribute);
  ParseResult parseLiteral(ParameterKind kind, Attribute &attribute);
  void addAttribute(unsigned index, Attribute attribute) {
    result.addAttribute(getAttributeName(schema[index]), attribute);
  }

  OpAsmParser &parser;
  Builder &builder;
  OperationState &result;
  ArrayRef<SchemaParameter> schema;
  SmallVector<SmallVector<OpAsmParser::UnresolvedOperand, 2>> groups;
  // The literal elements of the list that is being parsed.
  SmallVector<int64_t> integers;
  SmallVector<double> floats;
  SmallVector<bool> flags;
  SmallVector<Attribute> numbers;
};

} // namespace

ParseResult CallParser::parseArguments() {
  if (schema.empty())
    return success();
  const auto *firstKeyword = llvm::find_if(
      schema, [](const SchemaParameter &p) { return p.keywordOnly; });
  unsigned numPositional = firstKeyword - schema.begin();
  unsigned next = 0;
  SmallVector<bool> seen(schema.size(), false);
  do {
    SMLoc where = parser.getCurrentLocation();
    // A keyword-only argument says its name.
    const auto *named = std::find_if(
        firstKeyword, schema.end(), [&](const SchemaParameter &parameter) {
          return succeeded(parser.parseOptionalKeyword(parameter.name));
        });
    unsigned index = named - schema.begin();
    if (named != schema.end()) {
      if (parser.parseEqual())
        return failure();
    } else {
      index = next++;
      if (index >= numPositional)
        return parser.emitError(where)
               << "expected at most " << numPositional << " positional argument"
               << (numPositional == 1 ? "" : "s");
    }
    if (std::exchange(seen[index], true))
      return parser.emitError(where)
             << "argument '" << schema[index].name << "' given twice";
    if (succeeded(parser.parseOptionalKeyword("none")))
      continue;
    if (parseArgument(index))
      return failure();
  } while (succeeded(parser.parseOptionalComma()));
  return success();
}

ParseResult CallParser::parseArgument(unsigned index) {
  ParameterKind kind = schema[index].kind;
  if (isList(kind))
    return parseList(index);
  if (hasOperands(kind)) {
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult parsed = parser.parseOptionalOperand(operand);
    if (parsed.has_value()) {
      if (failed(*parsed))
        return failure();
      groups[index].push_back(operand);
      return success();
    }
    if (!hasAttribute(kind))
      return parser.emitError(parser.getCurrentLocation())
             << "expected an SSA value for '" << schema[index].name << "'";
  }
  Attribute attribute;
  if (parseLiteral(kind, attribute))
    return failure();
  addAttribute(index, attribute);
  return success();
}

ParseResult CallParser::parseLiteral(ParameterKind kind, Attribute &attribute) {
  switch (kind) {
  case ParameterKind::String:
  case ParameterKind::Layout:
  case ParameterKind::Device:
  case ParameterKind::MemoryFormat: {
    std::string text;
    if (parser.parseString(&text))
      return failure();
    attribute = builder.getStringAttr(text);
    return success();
  }
  case ParameterKind::Dtype: {
    Type type;
    if (parser.parseType(type))
      return failure();
    attribute = TypeAttr::get(type);
    return success();
  }
  default:
    return parseNumber(attribute);
  }
}

ParseResult CallParser::parseNumber(Attribute &attribute) {
  if (succeeded(parser.parseOptionalKeyword("true"))) {
    attribute = builder.getBoolAttr(true);
    return success();
  }
  if (succeeded(parser.parseOptionalKeyword("false"))) {
    attribute = builder.getBoolAttr(false);
    return success();
  }
  bool negative = succeeded(parser.parseOptionalMinus());
  auto makeFloat = [&](double value) {
    attribute = builder.getF64FloatAttr(negative ? -value : value);
    return success();
  };
  if (succeeded(parser.parseOptionalKeyword("inf")))
    return makeFloat(std::numeric_limits<double>::infinity());
  if (succeeded(parser.parseOptionalKeyword("nan")))
    return makeFloat(std::numeric_limits<double>::quiet_NaN());
  APInt integer;
  SMLoc where = parser.getCurrentLocation();
  OptionalParseResult parsed = parser.parseOptionalDecimalInteger(integer);
  if (parsed.has_value()) {
    if (failed(*parsed))
      return failure();
    integer = integer.zext(integer.getBitWidth() + 1);
    if (negative)
      integer.negate();
    if (integer.getSignificantBits() > 64)
      return parser.emitError(where, "expected an integer of 64 bits");
    attribute = builder.getI64IntegerAttr(integer.getSExtValue());
    return success();
  }
  double value;
  if (parser.parseFloat(value))
    return failure();
  return makeFloat(value);
}

ParseResult CallParser::parseListElement(unsigned index) {
  ParameterKind kind = schema[index].kind;
  if (kind == ParameterKind::OptionalTensors &&
      succeeded(parser.parseOptionalKeyword("none"))) {
    flags.push_back(false);
    return success();
  }
  if (hasOperands(kind)) {
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult parsed = parser.parseOptionalOperand(operand);
    if (parsed.has_value()) {
      if (failed(*parsed))
        return failure();
      groups[index].push_back(operand);
      flags.push_back(true);
      integers.push_back(ShapedType::kDynamic);
      return success();
    }
    if (kind != ParameterKind::SymInts)
      return parser.emitError(parser.getCurrentLocation(),
                              "expected an SSA value");
  }
  SMLoc where = parser.getCurrentLocation();
  Attribute number;
  if (parseNumber(number))
    return failure();
  numbers.push_back(number);
  if (auto flag = dyn_cast<BoolAttr>(number);
      flag && kind == ParameterKind::Bools) {
    flags.push_back(flag.getValue());
    return success();
  }
  if (auto value = dyn_cast<FloatAttr>(number);
      value && kind == ParameterKind::Floats) {
    floats.push_back(value.getValueAsDouble());
    return success();
  }
  auto integer = dyn_cast<IntegerAttr>(number);
  if (integer && integer.getType().isInteger(64) &&
      (kind == ParameterKind::Ints || kind == ParameterKind::SymInts)) {
    integers.push_back(integer.getInt());
    return success();
  }
  if (kind == ParameterKind::Scalars)
    return success();
  return parser.emitError(where) << "unexpected kind of literal in the list '"
                                 << schema[index].name << "'";
}

ParseResult CallParser::parseList(unsigned index) {
  integers.clear();
  floats.clear();
  flags.clear();
  numbers.clear();
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                     [&] { return parseListElement(index); }))
    return failure();
  switch (schema[index].kind) {
  case ParameterKind::OptionalTensors:
  case ParameterKind::Bools:
    addAttribute(index, builder.getDenseBoolArrayAttr(flags));
    break;
  case ParameterKind::SymInts:
  case ParameterKind::Ints:
    addAttribute(index, builder.getDenseI64ArrayAttr(integers));
    break;
  case ParameterKind::Floats:
    addAttribute(index, builder.getDenseF64ArrayAttr(floats));
    break;
  case ParameterKind::Scalars:
    addAttribute(index, builder.getArrayAttr(numbers));
    break;
  default:
    break;
  }
  return success();
}

ParseResult CallParser::parseTypes() {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<int32_t> segments;
  unsigned variableGroups = 0;
  for (auto [parameter, group] : llvm::zip(schema, groups)) {
    if (!hasOperands(parameter.kind))
      continue;
    llvm::append_range(operands, group);
    segments.push_back(group.size());
    variableGroups += parameter.kind != ParameterKind::Tensor;
  }
  FunctionType type;
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type) ||
      parser.resolveOperands(operands, type.getInputs(), where,
                             result.operands))
    return failure();
  result.addTypes(type.getResults());
  if (variableGroups > 1)
    result.addAttribute("operandSegmentSizes",
                        builder.getDenseI32ArrayAttr(segments));
  return success();
}

ParseResult titan::parseTorchOp(OpAsmParser &parser, OperationState &result,
                                ArrayRef<SchemaParameter> schema) {
  CallParser call(parser, result, schema);
  if (call.parseArguments())
    return failure();
  return call.parseTypes();
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

// MLIR falls back to bits in hexadecimal where six digits do not do, which
// reads back as an integer. So: as many digits as it takes.
static void printFiniteFloat(OpAsmPrinter &printer, const APFloat &value) {
  for (unsigned digits : {6, 9, 12, 15, 16, 17}) {
    SmallString<32> text;
    value.toString(text, digits, /*FormatMaxPadding=*/0,
                   /*TruncateZero=*/false);
    if (digits == 17 ||
        APFloat(value.getSemantics(), text).bitwiseIsEqual(value)) {
      printer << text;
      return;
    }
  }
}

static void printNumber(OpAsmPrinter &printer, Attribute attribute) {
  if (auto integer = dyn_cast<IntegerAttr>(attribute);
      integer && integer.getType().isSignlessInteger(64)) {
    printer << integer.getInt();
    return;
  }
  auto number = dyn_cast<FloatAttr>(attribute);
  if (!number)
    printer.printAttributeWithoutType(attribute);
  else if (number.getValue().isNaN())
    printer << "nan";
  else if (number.getValue().isInfinity())
    printer << (number.getValue().isNegative() ? "-inf" : "inf");
  else
    printFiniteFloat(printer, number.getValue());
}

static void printFloat(OpAsmPrinter &printer, MLIRContext *context,
                       double value) {
  printNumber(printer, FloatAttr::get(Float64Type::get(context), value));
}

static void printArgument(OpAsmPrinter &printer, MLIRContext *context,
                          ParameterKind kind, const OpArgument &argument) {
  const auto &[operands, attribute] = argument;
  auto printList = [&](auto &&range, auto &&each) {
    printer << '[';
    llvm::interleaveComma(range, printer, each);
    printer << ']';
  };
  switch (kind) {
  case ParameterKind::Tensors:
    return printList(operands, [&](Value value) { printer << value; });
  case ParameterKind::OptionalTensors: {
    auto operand = operands.begin();
    return printList(cast<DenseBoolArrayAttr>(attribute).asArrayRef(),
                     [&](bool present) {
                       if (present)
                         printer << *operand++;
                       else
                         printer << "none";
                     });
  }
  case ParameterKind::SymInts: {
    auto operand = operands.begin();
    return printList(cast<DenseI64ArrayAttr>(attribute).asArrayRef(),
                     [&](int64_t value) {
                       if (ShapedType::isDynamic(value))
                         printer << *operand++;
                       else
                         printer << value;
                     });
  }
  case ParameterKind::Ints:
    return printList(cast<DenseI64ArrayAttr>(attribute).asArrayRef(),
                     [&](int64_t value) { printer << value; });
  case ParameterKind::Bools:
    return printList(
        cast<DenseBoolArrayAttr>(attribute).asArrayRef(),
        [&](bool value) { printer << (value ? "true" : "false"); });
  case ParameterKind::Floats:
    return printList(
        cast<DenseF64ArrayAttr>(attribute).asArrayRef(),
        [&](double value) { printFloat(printer, context, value); });
  case ParameterKind::Scalars:
    return printList(cast<ArrayAttr>(attribute),
                     [&](Attribute value) { printNumber(printer, value); });
  default:
    if (!operands.empty())
      printer << operands.front();
    else
      printNumber(printer, attribute);
  }
}

void titan::printTorchOp(OpAsmPrinter &printer, Operation *op,
                         ArrayRef<SchemaParameter> schema) {
  SmallVector<OpArgument, 8> arguments = getStoredArguments(op, schema);
  // Positional arguments up to the last one that is given or has no default; a
  // gap is written `none`.
  unsigned last = 0;
  for (auto [index, parameter] : llvm::enumerate(schema))
    if (!parameter.keywordOnly &&
        (arguments[index].isPresent() || parameter.defaultText.empty()))
      last = index + 1;
  bool first = true;
  for (auto [index, parameter] : llvm::enumerate(schema)) {
    bool present = arguments[index].isPresent();
    if (parameter.keywordOnly ? !present : index >= last)
      continue;
    printer << (first ? " " : ", ");
    first = false;
    if (parameter.keywordOnly)
      printer << parameter.name << " = ";
    if (present)
      printArgument(printer, op->getContext(), parameter.kind,
                    arguments[index]);
    else
      printer << (parameter.kind == ParameterKind::Tensors ? "[]" : "none");
  }
  if (first && !schema.empty())
    printer << " none";
  // Every inherent attribute has been printed as an argument; they stand in the
  // op's properties, not in its dictionary.
  printer.printOptionalAttrDict(op->getRawDictionaryAttrs().getValue());
  printer << " : ";
  printer.printFunctionalType(op);
}
