#include "titan/Import/Annotation.h"

#include "titan/Interfaces/PythonNames.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::titan;

Type titan::getSymbolType(MLIRContext *context, StringRef expression) {
  Builder builder(context);
  StringRef text = expression.trim();
  for (StringRef relation : {"<", ">", "==", "!=", "Eq(", "Ne(", "And(", "Or(",
                             "Not(", " & ", " | "})
    if (text.contains(relation))
      return builder.getI1Type();
  if (text == "True" || text == "False" || text.starts_with("~"))
    return builder.getI1Type();
  // Symbols of floats begin with zf or zuf; quotients and decimals are floats.
  for (StringRef mark : {"zf", "zuf", "ToFloat", "TrueDiv"})
    if (text.contains(mark))
      return builder.getF64Type();
  for (size_t dot = text.find('.'); dot != StringRef::npos;
       dot = text.find('.', dot + 1))
    if (dot && llvm::isDigit(text[dot - 1]))
      return builder.getF64Type();
  return builder.getIndexType();
}

// Splits `a, b*(c + d), e` at its top-level commas, up to the closing bracket.
static bool consumeList(StringRef &text, SmallVectorImpl<StringRef> &elements) {
  if (!text.consume_front("["))
    return false;
  unsigned depth = 0;
  size_t start = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '(' || c == '[') {
      ++depth;
    } else if (depth && (c == ')' || c == ']')) {
      --depth;
    } else if (!depth && (c == ',' || c == ']')) {
      StringRef element = text.slice(start, i).trim();
      if (!element.empty())
        elements.push_back(element);
      else if (c == ',' || !elements.empty())
        return false;
      start = i + 1;
      if (c == ']') {
        text = text.drop_front(i + 1);
        return true;
      }
    }
  }
  return false;
}

static int64_t getDimension(StringRef text) {
  int64_t value;
  return text.getAsInteger(10, value) ? ShapedType::kDynamic : value;
}

static std::optional<FxAnnotation>
fail(FxAnnotationError &error, const char *position, const Twine &message) {
  error = {position, message.str()};
  return std::nullopt;
}

// `DTensor(f32[4][1]cuda:0, S(0))`: the annotation inside, and the text around
// it.
static StringRef unwrap(StringRef text, std::string &wrapper) {
  size_t open = text.find('(');
  StringRef name = text.take_front(open);
  bool isName = open != StringRef::npos && text.ends_with(")") &&
                llvm::all_of(name, [](char c) {
                  return llvm::isAlnum(c) || c == '_' || c == '.';
                });
  if (!isName || name == "Sym")
    return text;
  StringRef inside = text.slice(open + 1, text.size() - 1);
  unsigned depth = 0;
  size_t end = 0;
  for (; end < inside.size() && (depth || inside[end] != ','); ++end) {
    depth += inside[end] == '[' || inside[end] == '(';
    depth -= depth && (inside[end] == ']' || inside[end] == ')');
  }
  wrapper = (name + "(@" + inside.drop_front(end) + ")").str();
  return inside.take_front(end);
}

std::optional<FxAnnotation> titan::parseAnnotation(MLIRContext *context,
                                                   StringRef text,
                                                   FxAnnotationError &error) {
  FxAnnotation result;
  text = text.trim();
  if (text.starts_with("Sym(") && text.ends_with(")")) {
    result.kind = FxAnnotation::Kind::Symbol;
    result.expression = text.slice(4, text.size() - 1);
    result.type = getSymbolType(context, result.expression);
    return result;
  }
  StringRef core = unwrap(text, result.wrapper);
  size_t open = core.find('[');
  if (open == StringRef::npos)
    return result;
  StringRef dtype = core.take_front(open);
  Type element = getTypeOfAbbreviation(context, dtype);
  if (!element) {
    // `List[torch.Tensor]` is a Python type; `f7[2]` is a dtype gone wrong.
    if (dtype.contains('.') || (!dtype.empty() && llvm::isUpper(dtype.front())))
      return result;
    return fail(error, text.begin(),
                "expected a dtype, found '" + dtype.take_front(24) + "'");
  }
  StringRef rest = core.drop_front(open);
  if (!consumeList(rest, result.shape))
    return fail(error, core.begin() + open, "expected a list of dimensions");
  result.hasStrides = rest.starts_with("[");
  const char *strides = rest.begin();
  if (result.hasStrides && !consumeList(rest, result.strides))
    return fail(error, strides, "expected a list of strides");
  if (result.hasStrides && result.strides.size() != result.shape.size())
    return fail(error, strides,
                "expected " + Twine(result.shape.size()) + " strides, found " +
                    Twine(result.strides.size()));
  result.device = rest.trim();
  bool isDevice = llvm::all_of(result.device, [](char c) {
    return llvm::isAlnum(c) || c == ':' || c == '_';
  });
  if (!isDevice)
    return fail(error, rest.begin(),
                "expected a device, found '" + result.device.take_front(24) +
                    "'");
  SmallVector<int64_t> shape = llvm::map_to_vector(result.shape, getDimension);
  for (auto [dimension, written] : llvm::zip(shape, result.shape))
    if (!ShapedType::isDynamic(dimension) && dimension < 0)
      return fail(error, written.begin(),
                  "expected a dimension of at least 0, "
                  "found " +
                      written);
  result.kind = FxAnnotation::Kind::Tensor;
  result.type = RankedTensorType::get(shape, element);
  return result;
}

SmallVector<int64_t> titan::getContiguousStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * std::max<int64_t>(shape[i], 1);
  return strides;
}

static ArrayAttr getEntries(MLIRContext *context, ArrayRef<StringRef> texts) {
  Builder builder(context);
  return builder.getArrayAttr(
      llvm::map_to_vector(texts, [&](StringRef text) -> Attribute {
        int64_t value = getDimension(text);
        if (ShapedType::isDynamic(value))
          return builder.getStringAttr(text);
        return builder.getI64IntegerAttr(value);
      }));
}

LayoutAttr titan::getLayout(const FxAnnotation &annotation,
                            StringRef moduleDevice, MLIRContext *context) {
  auto text = [&](StringRef value) {
    return value.empty() ? StringAttr() : StringAttr::get(context, value);
  };
  StringAttr wrapper = text(annotation.wrapper);
  if (annotation.kind == FxAnnotation::Kind::Symbol)
    return LayoutAttr::get(context, {}, {}, {}, text(annotation.expression),
                           wrapper);
  if (annotation.kind != FxAnnotation::Kind::Tensor)
    return {};
  auto type = cast<RankedTensorType>(annotation.type);
  ArrayAttr shape, strides;
  if (!type.hasStaticShape())
    shape = getEntries(context, annotation.shape);
  if (annotation.hasStrides) {
    SmallVector<int64_t> given =
        llvm::map_to_vector(annotation.strides, getDimension);
    if (shape || given != getContiguousStrides(type.getShape()))
      strides = getEntries(context, annotation.strides);
  }
  StringAttr device;
  if (annotation.device != moduleDevice)
    device = text(annotation.device);
  if (!shape && !strides && !device && !wrapper)
    return {};
  return LayoutAttr::get(context, shape, strides, device, {}, wrapper);
}
