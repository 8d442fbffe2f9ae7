#include "titan/Execution/Safetensors.h"

#include <catch2/catch.hpp>

using namespace mlir::titan;

// A file with \p header and \p data.
static std::string makeFile(const std::string &header,
                            const std::string &data) {
  std::string file(8, '\0');
  for (int byte = 0; byte < 8; ++byte)
    file[byte] = static_cast<char>(header.size() >> (8 * byte));
  return file + header + data;
}

static std::string getError(const std::string &file) {
  llvm::Expected<TensorMap> tensors = parseSafetensors(file);
  return tensors ? "" : llvm::toString(tensors.takeError());
}

TEST_CASE("tensors of every type survive a file", "[safetensors]") {
  TensorMap tensors;
  for (DType dtype :
       {DType::Bool, DType::U8, DType::I8, DType::I16, DType::U16, DType::I32,
        DType::U32, DType::I64, DType::U64, DType::F8E4M3, DType::F8E5M2,
        DType::F16, DType::BF16, DType::F32, DType::F64})
    tensors.emplace(getName(dtype).str(),
                    Tensor::make(dtype, {3}, std::vector<double>{0, 1, 3}));
  tensors.emplace("empty", Tensor(DType::F32, {0, 4}));
  tensors.emplace("scalar", Tensor::scalar(DType::I64, int64_t(-5)));
  llvm::Expected<TensorMap> read = parseSafetensors(formatSafetensors(tensors));
  REQUIRE(bool(read));
  REQUIRE(read->size() == tensors.size());
  for (const auto &[name, tensor] : tensors) {
    INFO(name);
    CHECK(read->at(name).getDType() == tensor.getDType());
    CHECK(read->at(name).getShape() == tensor.getShape());
    CHECK(read->at(name).getBytes() == tensor.getBytes());
  }
}

TEST_CASE("a strided tensor is written in logical order", "[safetensors]") {
  Tensor x = Tensor::make(DType::I64, {2, 2}, std::vector<int64_t>{1, 2, 3, 4});
  llvm::Expected<TensorMap> read =
      parseSafetensors(formatSafetensors({{"x", x.transpose(0, 1)}}));
  REQUIRE(bool(read));
  CHECK(read->at("x").getValues<int64_t>() == std::vector<int64_t>{1, 3, 2, 4});
}

TEST_CASE("complex numbers have their parts in a last dimension",
          "[safetensors]") {
  Tensor x = Tensor::make(DType::C64, {2},
                          std::vector<std::complex<double>>{{1, 2}, {3, 4}});
  llvm::Expected<TensorMap> read =
      parseSafetensors(formatSafetensors({{"x", x}}));
  REQUIRE(bool(read));
  CHECK(read->at("x").getShape() == llvm::ArrayRef<int64_t>{2, 2});
  CHECK(toComplex(read->at("x")).getBytes() == x.getBytes());
}

TEST_CASE("data at any offset is read, metadata is not", "[safetensors]") {
  std::string data = "\x7f" + std::string("\x02\x00\x01\x00", 4);
  llvm::Expected<TensorMap> read = parseSafetensors(makeFile(
      R"({"__metadata__":{"a":"b"},"x":{"dtype":"I16","shape":[2],"data_offsets":[1,5]}})",
      data));
  REQUIRE(bool(read));
  REQUIRE(read->size() == 1);
  CHECK(read->at("x").getValues<int64_t>() == std::vector<int64_t>{2, 1});
}

TEST_CASE("a malformed file is an error that says what is wrong",
          "[safetensors]") {
  using Catch::Contains;
  CHECK_THAT(getError("abc"), Contains("expected 8 bytes"));
  CHECK_THAT(getError(std::string(8, '\xff')), Contains("header's length"));
  CHECK_THAT(getError(makeFile("{", "")), Contains("no JSON"));
  CHECK_THAT(getError(makeFile("[]", "")), Contains("an object"));
  CHECK_THAT(getError(makeFile(R"({"x":{"dtype":"F32"}})", "")),
             Contains("'x'") && Contains("data_offsets"));
  CHECK_THAT(
      getError(makeFile(
          R"({"x":{"dtype":"F33","shape":[],"data_offsets":[0,4]}})", "abcd")),
      Contains("unknown dtype 'F33'"));
  CHECK_THAT(
      getError(makeFile(
          R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", "abcd")),
      Contains("expected 8 bytes for F32[2], found 4"));
  CHECK_THAT(
      getError(makeFile(
          R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", "abcd")),
      Contains("outside"));
  // Sizes whose product does not fit 64 bits.
  CHECK_THAT(
      getError(makeFile(
          R"({"x":{"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0]}})",
          "")),
      Contains("sizes that the file can hold"));
  CHECK_THAT(
      getError(makeFile(
          R"({"x":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}})", "a")),
      Contains("sizes that the file can hold"));
}
