// The header of an .npy file is a dictionary as Python prints it, with three
// keys in any order. What is read here is that much of Python, and no more.
#include "titan/Execution/Npy.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::titan;

static constexpr StringLiteral kMagic = "\x93NUMPY";
// NumPy itself stops here.
static constexpr size_t kMaxRank = 64;

// Without the byte order, which elements of one byte do not have.
static constexpr std::pair<StringLiteral, DType> kTypes[] = {
    {"b1", DType::Bool}, {"u1", DType::U8},    {"i1", DType::I8},
    {"i2", DType::I16},  {"u2", DType::U16},   {"i4", DType::I32},
    {"u4", DType::U32},  {"i8", DType::I64},   {"u8", DType::U64},
    {"f2", DType::F16},  {"f4", DType::F32},   {"f8", DType::F64},
    {"c8", DType::C64},  {"c16", DType::C128},
};

static llvm::Error makeError(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

namespace {

/// What a header says.
struct Header {
  std::optional<std::string> type;
  std::optional<bool> isFortran;
  std::optional<Shape> shape;
};

/// Reads `{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }`.
class HeaderParser {
public:
  explicit HeaderParser(StringRef text) : rest(text) {}
  llvm::Expected<Header> parse();

private:
  bool consume(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }
  std::optional<std::string> parseString();
  std::optional<bool> parseBool();
  std::optional<Shape> parseShape();
  llvm::Error parseEntry(Header &header);

  StringRef rest;
};

} // namespace

std::optional<std::string> HeaderParser::parseString() {
  rest = rest.ltrim();
  if (rest.empty() || (rest.front() != '\'' && rest.front() != '"'))
    return std::nullopt;
  size_t end = rest.find(rest.front(), 1);
  if (end == StringRef::npos)
    return std::nullopt;
  std::string text = rest.slice(1, end).str();
  rest = rest.drop_front(end + 1);
  return text;
}

std::optional<bool> HeaderParser::parseBool() {
  if (consume("True"))
    return true;
  if (consume("False"))
    return false;
  return std::nullopt;
}

std::optional<Shape> HeaderParser::parseShape() {
  Shape shape;
  if (!consume("("))
    return std::nullopt;
  while (!consume(")")) {
    int64_t size = 0;
    rest = rest.ltrim();
    if (rest.consumeInteger(10, size) || size < 0 || shape.size() == kMaxRank)
      return std::nullopt;
    shape.push_back(size);
    // Only a comma or the end may follow.
    if (!consume(",") && !rest.ltrim().starts_with(")"))
      return std::nullopt;
  }
  return shape;
}

llvm::Error HeaderParser::parseEntry(Header &header) {
  std::optional<std::string> key = parseString();
  if (!key || !consume(":"))
    return makeError("expected a dictionary as the header");
  if (*key == "descr") {
    header.type = parseString();
    if (!header.type)
      return makeError("expected one type of number, found records; save an "
                       "array for each field");
  } else if (*key == "fortran_order") {
    header.isFortran = parseBool();
  } else if (*key == "shape") {
    header.shape = parseShape();
    if (!header.shape)
      return makeError("expected a shape of at most " + Twine(kMaxRank) +
                       " sizes");
  } else {
    return makeError("unknown key '" + *key + "' in the header");
  }
  return llvm::Error::success();
}

llvm::Expected<Header> HeaderParser::parse() {
  Header header;
  if (!consume("{"))
    return makeError("expected a dictionary as the header");
  while (!consume("}")) {
    if (llvm::Error error = parseEntry(header))
      return error;
    if (!consume(",") && !rest.ltrim().starts_with("}"))
      return makeError("expected a dictionary as the header");
  }
  if (!header.type || !header.isFortran || !header.shape)
    return makeError("expected 'descr', 'fortran_order' and 'shape' in the "
                     "header");
  return header;
}

// The element type that `<f4` names.
static llvm::Expected<DType> parseType(StringRef text) {
  StringRef name = text;
  bool isBigEndian = name.consume_front(">");
  if (!isBigEndian && !name.consume_front("<") && !name.consume_front("|"))
    name.consume_front("=");
  if (name.starts_with("O"))
    return makeError("'" + text + "' are pickled objects, which are not read");
  const auto *known = llvm::find_if(
      kTypes, [&](const auto &pair) { return pair.first == name; });
  if (known == std::end(kTypes))
    return makeError("unknown type '" + text +
                     "'; use a safetensors file for bf16 and f8");
  if (isBigEndian && getByteSize(known->second) > 1)
    return makeError("expected little endian numbers, found '" + text +
                     "'; convert with .astype('<" + name + "')");
  return known->second;
}

// The text of the header, and the data behind it.
static llvm::Expected<std::pair<StringRef, StringRef>> divide(StringRef data) {
  StringRef rest = data;
  if (!rest.consume_front(kMagic) || rest.size() < 2)
    return makeError("no .npy file: its first bytes are not those of one");
  unsigned version = static_cast<unsigned char>(rest[0]);
  if (version < 1 || version > 3)
    return makeError("expected version 1, 2 or 3 of the format, found " +
                     Twine(version));
  rest = rest.drop_front(2);
  size_t lengthBytes = version == 1 ? 2 : 4;
  if (rest.size() < lengthBytes)
    return makeError("the file ends in its header");
  uint64_t length = version == 1 ? llvm::support::endian::read16le(rest.data())
                                 : llvm::support::endian::read32le(rest.data());
  rest = rest.drop_front(lengthBytes);
  if (length > rest.size())
    return makeError("the header's length is " + Twine(length) +
                     " bytes, the file has " + Twine(data.size()));
  return std::pair(rest.take_front(length), rest.drop_front(length));
}

// The bytes that a tensor takes; none if no file could hold them.
static std::optional<int64_t> countBytes(ArrayRef<int64_t> shape, DType dtype) {
  // Strides multiply the sizes beside a zero, too.
  int64_t extent = getByteSize(dtype);
  bool isEmpty = false;
  for (int64_t size : shape) {
    if (llvm::MulOverflow(extent, std::max<int64_t>(size, 1), extent))
      return std::nullopt;
    isEmpty |= size == 0;
  }
  return isEmpty ? 0 : extent;
}

llvm::Expected<Tensor> titan::parseNpy(StringRef data) {
  auto parts = divide(data);
  if (!parts)
    return parts.takeError();
  llvm::Expected<Header> header = HeaderParser(parts->first).parse();
  if (!header)
    return header.takeError();
  llvm::Expected<DType> dtype = parseType(*header->type);
  if (!dtype)
    return dtype.takeError();
  StringRef elements = parts->second;
  Shape shape = *header->shape;
  std::optional<int64_t> bytes = countBytes(shape, *dtype);
  if (!bytes || *bytes != static_cast<int64_t>(elements.size()))
    return makeError("expected " +
                     (bytes ? std::to_string(*bytes) : "more than 2^63") +
                     " bytes for " + getName(*dtype) + formatShape(shape) +
                     ", found " + Twine(elements.size()));
  ArrayRef<char> content(elements.data(), elements.size());
  if (!*header->isFortran) {
    Tensor tensor = Tensor::makeUninitialized(*dtype, shape);
    tensor.setBytes(content);
    return tensor;
  }
  // The same bytes are the reversed shape in C order.
  Shape reversed(shape.rbegin(), shape.rend()), dims;
  for (size_t dim = shape.size(); dim-- > 0;)
    dims.push_back(static_cast<int64_t>(dim));
  Tensor tensor = Tensor::makeUninitialized(*dtype, reversed);
  tensor.setBytes(content);
  return tensor.permute(dims).contiguous();
}

llvm::Expected<std::string> titan::formatNpy(const Tensor &tensor) {
  const auto *known = llvm::find_if(kTypes, [&](const auto &pair) {
    return pair.second == tensor.getDType();
  });
  if (known == std::end(kTypes))
    return makeError("an .npy file cannot hold " + getName(tensor.getDType()) +
                     "; use a safetensors file");
  std::string header;
  llvm::raw_string_ostream stream(header);
  stream << "{'descr': '" << (getByteSize(tensor.getDType()) > 1 ? '<' : '|')
         << known->first << "', 'fortran_order': False, 'shape': (";
  for (int64_t size : tensor.getShape())
    stream << size << ", ";
  stream << "), }";
  // Data begins at a multiple of 64, behind a new line.
  constexpr size_t kAlignment = 64, kLengthBytes = 2, kVersionBytes = 2;
  size_t before = kMagic.size() + kVersionBytes + kLengthBytes;
  size_t end = llvm::alignTo(before + header.size() + 1, kAlignment);
  header.append(end - before - header.size() - 1, ' ');
  header += '\n';
  char length[kLengthBytes];
  llvm::support::endian::write16le(length,
                                   static_cast<uint16_t>(header.size()));
  std::string file = kMagic.str();
  file += '\1';
  file += '\0';
  file.append(length, kLengthBytes);
  file += header;
  std::vector<char> bytes = tensor.getBytes();
  file.append(bytes.begin(), bytes.end());
  return file;
}
