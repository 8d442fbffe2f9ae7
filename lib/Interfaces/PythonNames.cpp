#include "titan/Interfaces/PythonNames.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::titan;

namespace {

/// A dtype of PyTorch: its abbreviation, its name, and how to make and know its
/// element type.
struct DtypeEntry {
  llvm::StringLiteral abbreviation;
  llvm::StringLiteral name;
  Type (*get)(MLIRContext *);
};

} // namespace

template <typename T>
static Type getFloat(MLIRContext *context) {
  return T::get(context);
}

template <unsigned width>
static Type getInteger(MLIRContext *context) {
  return IntegerType::get(context, width);
}

template <unsigned width>
static Type getUnsigned(MLIRContext *context) {
  return IntegerType::get(context, width, IntegerType::Unsigned);
}

template <typename T>
static Type getComplex(MLIRContext *context) {
  return ComplexType::get(T::get(context));
}

// Two four-bit numbers share each element, which takes one byte.
static Type getPackedFloat4(MLIRContext *context) {
  return VectorType::get({2}, Float4E2M1FNType::get(context));
}

static constexpr DtypeEntry kDtypes[] = {
    {"f32", "float32", getFloat<Float32Type>},
    {"bf16", "bfloat16", getFloat<BFloat16Type>},
    {"i64", "int64", getInteger<64>},
    {"b8", "bool", getInteger<1>},
    {"f16", "float16", getFloat<Float16Type>},
    {"f64", "float64", getFloat<Float64Type>},
    {"i32", "int32", getInteger<32>},
    {"i16", "int16", getInteger<16>},
    {"i8", "int8", getInteger<8>},
    {"u8", "uint8", getUnsigned<8>},
    {"u16", "uint16", getUnsigned<16>},
    {"u32", "uint32", getUnsigned<32>},
    {"u64", "uint64", getUnsigned<64>},
    {"c32", "complex32", getComplex<Float16Type>},
    {"c64", "complex64", getComplex<Float32Type>},
    {"c128", "complex128", getComplex<Float64Type>},
    {"bc32", "bcomplex32", getComplex<BFloat16Type>},
    {"f8e4m3fn", "float8_e4m3fn", getFloat<Float8E4M3FNType>},
    {"f8e5m2", "float8_e5m2", getFloat<Float8E5M2Type>},
    {"f8e4m3fnuz", "float8_e4m3fnuz", getFloat<Float8E4M3FNUZType>},
    {"f8e5m2fnuz", "float8_e5m2fnuz", getFloat<Float8E5M2FNUZType>},
    {"f8e8m0fnu", "float8_e8m0fnu", getFloat<Float8E8M0FNUType>},
    {"f4e2m1fnx2", "float4_e2m1fn_x2", getPackedFloat4},
};

Type titan::getTypeOfAbbreviation(MLIRContext *context,
                                  StringRef abbreviation) {
  for (const DtypeEntry &entry : kDtypes)
    if (entry.abbreviation == abbreviation)
      return entry.get(context);
  return {};
}

Type titan::getTypeOfDtype(MLIRContext *context, StringRef name) {
  for (const DtypeEntry &entry : kDtypes)
    if (entry.name == name)
      return entry.get(context);
  return {};
}

static const DtypeEntry *findEntry(Type type) {
  for (const DtypeEntry &entry : kDtypes)
    if (entry.get(type.getContext()) == type)
      return &entry;
  return nullptr;
}

StringRef titan::getAbbreviation(Type type) {
  const DtypeEntry *entry = findEntry(type);
  return entry ? StringRef(entry->abbreviation) : StringRef();
}

StringRef titan::getDtypeName(Type type) {
  const DtypeEntry *entry = findEntry(type);
  return entry ? StringRef(entry->name) : StringRef();
}

// The text between the quotes at the start of `text`, which moves past it.
static std::optional<StringRef> consumeQuoted(StringRef &text) {
  if (text.empty() || (text.front() != '\'' && text.front() != '"'))
    return std::nullopt;
  size_t end = text.find(text.front(), 1);
  if (end == StringRef::npos)
    return std::nullopt;
  StringRef inside = text.slice(1, end);
  text = text.drop_front(end + 1).ltrim();
  return inside;
}

std::optional<std::string> titan::parsePythonDevice(StringRef expression) {
  StringRef text = expression.trim();
  text.consume_front("torch.");
  if (!text.consume_front("device(") || !text.consume_back(")"))
    return std::nullopt;
  text = text.trim();
  text.consume_front("type=");
  std::optional<StringRef> type = consumeQuoted(text);
  if (!type || type->empty())
    return std::nullopt;
  if (text.empty())
    return type->str();
  if (!text.consume_front(","))
    return std::nullopt;
  text = text.ltrim();
  text.consume_front("index=");
  unsigned index;
  if (text.trim().getAsInteger(10, index))
    return std::nullopt;
  return (*type + ":" + Twine(index)).str();
}

std::string titan::getPythonDevice(StringRef device) {
  auto [type, index] = device.split(':');
  if (index.empty())
    return ("device(type='" + type + "')").str();
  return ("device(type='" + type + "', index=" + index + ")").str();
}
