#include "titan/Execution/Safetensors.h"

#include "titan/Execution/TensorFiles.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::titan;

static constexpr std::pair<StringLiteral, DType> kDTypes[] = {
    {"BOOL", DType::Bool},      {"U8", DType::U8},          {"I8", DType::I8},
    {"I16", DType::I16},        {"U16", DType::U16},        {"I32", DType::I32},
    {"U32", DType::U32},        {"I64", DType::I64},        {"U64", DType::U64},
    {"F8_E4M3", DType::F8E4M3}, {"F8_E5M2", DType::F8E5M2}, {"F16", DType::F16},
    {"BF16", DType::BF16},      {"F32", DType::F32},        {"F64", DType::F64},
};

static llvm::Error makeError(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

// The elements that an array of sizes asks for, or none if it is no such array
// or they are more than the file could hold.
static std::optional<int64_t> readShape(const llvm::json::Array &array,
                                        int64_t limit, Shape &shape) {
  int64_t count = 1;
  for (const llvm::json::Value &value : array) {
    std::optional<int64_t> size = value.getAsInteger();
    if (!size || *size < 0 || (*size != 0 && count > limit / *size))
      return std::nullopt;
    shape.push_back(*size);
    count *= *size;
  }
  return count;
}

static llvm::Expected<Tensor>
readTensor(StringRef name, const llvm::json::Value &value, StringRef data) {
  auto error = [&](const Twine &what) {
    return makeError("tensor '" + name + "': " + what);
  };
  const llvm::json::Object *entry = value.getAsObject();
  if (!entry)
    return error("expected an object in the header");
  std::optional<StringRef> dtypeName = entry->getString("dtype");
  const llvm::json::Array *shapeArray = entry->getArray("shape");
  const llvm::json::Array *offsets = entry->getArray("data_offsets");
  if (!dtypeName || !shapeArray || !offsets || offsets->size() != 2)
    return error("expected 'dtype', 'shape' and two 'data_offsets'");
  const auto *known = llvm::find_if(
      kDTypes, [&](const auto &pair) { return pair.first == *dtypeName; });
  if (known == std::end(kDTypes))
    return error("unknown dtype '" + *dtypeName + "'");
  int64_t available = data.size();
  std::optional<int64_t> begin = (*offsets)[0].getAsInteger();
  std::optional<int64_t> end = (*offsets)[1].getAsInteger();
  if (!begin || !end || *begin < 0 || *begin > *end || *end > available)
    return error("data offsets lie outside of the file's " + Twine(available) +
                 " bytes of data");
  Shape shape;
  std::optional<int64_t> count = readShape(*shapeArray, available, shape);
  // A shape with a zero may have factors of any size beside it.
  if (!count)
    return error("expected a shape of sizes that the file can hold");
  if (*count * getByteSize(known->second) != *end - *begin)
    return error("expected " + Twine(*count * getByteSize(known->second)) +
                 " bytes for " + *dtypeName + formatShape(shape) + ", found " +
                 Twine(*end - *begin));
  Tensor tensor(known->second, shape);
  tensor.setBytes(ArrayRef(data.data() + *begin, *end - *begin));
  return tensor;
}

llvm::Expected<TensorMap> titan::parseSafetensors(StringRef data) {
  if (data.size() < 8)
    return makeError("no safetensors file: expected 8 bytes of header length, "
                     "found " +
                     Twine(data.size()));
  uint64_t length = llvm::support::endian::read64le(data.data());
  if (length > data.size() - 8)
    return makeError("no safetensors file: the header's length is " +
                     Twine(length) + " bytes, the file has " +
                     Twine(data.size()));
  llvm::Expected<llvm::json::Value> header =
      llvm::json::parse(data.substr(8, length));
  if (!header)
    return makeError("the header is no JSON: " +
                     llvm::toString(header.takeError()));
  const llvm::json::Object *object = header->getAsObject();
  if (!object)
    return makeError("expected an object as the header");
  TensorMap tensors;
  for (const auto &[key, value] : *object) {
    StringRef name = key;
    if (name == "__metadata__")
      continue;
    llvm::Expected<Tensor> tensor =
        readTensor(name, value, data.substr(8 + length));
    if (!tensor)
      return tensor.takeError();
    tensors.emplace(name.str(), *tensor);
  }
  return tensors;
}

std::string titan::formatSafetensors(const TensorMap &tensors) {
  std::string header, data;
  llvm::raw_string_ostream headerStream(header);
  llvm::json::OStream json(headerStream);
  json.object([&] {
    for (const auto &[name, tensor] : tensors) {
      Tensor parts =
          isComplex(tensor.getDType()) ? fromComplex(tensor) : tensor;
      const auto *known = llvm::find_if(kDTypes, [&](const auto &pair) {
        return pair.second == parts.getDType();
      });
      size_t begin = data.size();
      std::vector<char> bytes = parts.getBytes();
      data.append(bytes.begin(), bytes.end());
      json.attributeObject(name, [&] {
        json.attribute("dtype", known->first);
        json.attributeArray("shape", [&] {
          for (int64_t size : parts.getShape())
            json.value(size);
        });
        json.attributeArray("data_offsets", [&] {
          json.value(static_cast<int64_t>(begin));
          json.value(static_cast<int64_t>(data.size()));
        });
      });
    }
  });
  headerStream.flush();
  // Spaces keep the data aligned, as the format's own writer does.
  header.append((8 - header.size() % 8) % 8, ' ');
  char length[8];
  llvm::support::endian::write64le(length, header.size());
  return std::string(length, 8) + header + data;
}

llvm::Expected<TensorMap> titan::readSafetensors(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(
      path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (std::error_code code = buffer.getError())
    return makeError("cannot read '" + path + "': " + code.message());
  llvm::Expected<TensorMap> tensors = parseSafetensors((*buffer)->getBuffer());
  if (!tensors)
    return makeError("'" + path + "': " + llvm::toString(tensors.takeError()));
  return tensors;
}

llvm::Error titan::writeSafetensors(StringRef path, const TensorMap &tensors) {
  return writeWholeFile(path, formatSafetensors(tensors));
}

Tensor titan::toComplex(const Tensor &parts) {
  ArrayRef<int64_t> shape = parts.getShape().drop_back();
  std::vector<double> values = parts.getValues<double>();
  std::vector<std::complex<double>> numbers(values.size() / 2);
  for (auto [index, number] : llvm::enumerate(numbers))
    number = {values[2 * index], values[2 * index + 1]};
  return Tensor::make(parts.getDType() == DType::F64 ? DType::C128 : DType::C64,
                      shape, numbers);
}

Tensor titan::fromComplex(const Tensor &tensor) {
  Shape shape(tensor.getShape());
  shape.push_back(2);
  std::vector<double> values;
  for (std::complex<double> number : tensor.getValues<std::complex<double>>()) {
    values.push_back(number.real());
    values.push_back(number.imag());
  }
  return Tensor::make(tensor.getDType() == DType::C128 ? DType::F64
                                                       : DType::F32,
                      shape, values);
}
