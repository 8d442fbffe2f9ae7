#include "titan/Execution/Npy.h"

#include <catch2/catch.hpp>

using namespace mlir::titan;

// A file of \p version with \p header and \p data.
static std::string makeFile(int version, const std::string &header,
                            const std::string &data) {
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  for (int byte = 0; byte < (version == 1 ? 2 : 4); ++byte)
    file += static_cast<char>(header.size() >> (8 * byte));
  return file + header + data;
}

static std::string getError(const std::string &file) {
  llvm::Expected<Tensor> tensor = parseNpy(file);
  return tensor ? "" : llvm::toString(tensor.takeError());
}

static const std::string kBytes = {0, 1, 2, 3, 4, 5};

TEST_CASE("every version of the format is read", "[npy]") {
  for (int version : {1, 2, 3}) {
    INFO(version);
    llvm::Expected<Tensor> tensor = parseNpy(makeFile(
        version, "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }",
        kBytes));
    REQUIRE(bool(tensor));
    CHECK(tensor->getDType() == DType::U8);
    CHECK(tensor->getShape() == llvm::ArrayRef<int64_t>({2, 3}));
    CHECK(tensor->getValues<int64_t>() ==
          std::vector<int64_t>{0, 1, 2, 3, 4, 5});
  }
  CHECK(getError(makeFile(4, "{}", "")) ==
        "expected version 1, 2 or 3 of the format, found 4");
}

TEST_CASE("keys stand in any order, with any quotes and spaces", "[npy]") {
  llvm::Expected<Tensor> tensor = parseNpy(makeFile(
      1, "{ \"shape\":(6,),\"fortran_order\" : False, 'descr':'|i1'}   \n",
      kBytes));
  REQUIRE(bool(tensor));
  CHECK(tensor->getShape() == llvm::ArrayRef<int64_t>({6}));
}

// Columns first in the file: column 0 is (0, 1), column 1 is (2, 3).
TEST_CASE("Fortran order is turned into C order", "[npy]") {
  llvm::Expected<Tensor> tensor = parseNpy(makeFile(
      1, "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", kBytes));
  REQUIRE(bool(tensor));
  CHECK(tensor->isContiguous());
  CHECK(tensor->getShape() == llvm::ArrayRef<int64_t>({2, 3}));
  CHECK(tensor->getValues<int64_t>() == std::vector<int64_t>{0, 2, 4, 1, 3, 5});
}

TEST_CASE("tensors of every type survive an .npy file", "[npy]") {
  for (DType dtype :
       {DType::Bool, DType::U8, DType::I8, DType::I16, DType::U16, DType::I32,
        DType::U32, DType::I64, DType::U64, DType::F16, DType::F32, DType::F64,
        DType::C64, DType::C128}) {
    INFO(getName(dtype).str());
    Tensor tensor = Tensor::make(dtype, {1, 3}, std::vector<double>{0, 1, 3});
    llvm::Expected<std::string> file = formatNpy(tensor);
    REQUIRE(bool(file));
    // The data is aligned for those who map the file.
    CHECK((file->size() - tensor.getNumBytes()) % 64 == 0);
    llvm::Expected<Tensor> read = parseNpy(*file);
    REQUIRE(bool(read));
    CHECK(read->getDType() == dtype);
    CHECK(read->getShape() == tensor.getShape());
    CHECK(read->getBytes() == tensor.getBytes());
  }
  for (Tensor tensor : {Tensor(DType::F32, {0, 4}), Tensor(DType::F32, {})}) {
    llvm::Expected<std::string> file = formatNpy(tensor);
    REQUIRE(bool(file));
    llvm::Expected<Tensor> read = parseNpy(*file);
    REQUIRE(bool(read));
    CHECK(read->getShape() == tensor.getShape());
  }
  llvm::Expected<std::string> refused = formatNpy(Tensor(DType::BF16, {2}));
  REQUIRE(!refused);
  CHECK(llvm::toString(refused.takeError()) ==
        "an .npy file cannot hold bf16; use a safetensors file");
}

TEST_CASE("a header that lies costs no memory", "[npy]") {
  auto header = [](const std::string &shape) {
    return "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + "}";
  };
  CHECK(getError(makeFile(1, header("(1000000000000,)"), kBytes)) ==
        "expected 4000000000000 bytes for f32[1000000000000], found 6");
  CHECK(getError(makeFile(1, header("(4294967296, 4294967296)"), "")) ==
        "expected more than 2^63 bytes for f32[4294967296, 4294967296], "
        "found 0");
  // Strides would overflow although nothing is there.
  CHECK(getError(makeFile(1, header("(0, 4294967296, 4294967296)"), "")) ==
        "expected more than 2^63 bytes for f32[0, 4294967296, 4294967296], "
        "found 0");
  CHECK(getError(makeFile(1, header("(-1,)"), "")) ==
        "expected a shape of at most 64 sizes");
  CHECK(getError(makeFile(1, header("(99999999999999999999,)"), "")) ==
        "expected a shape of at most 64 sizes");
  std::string file = makeFile(2, header("(1,)"), "");
  file[8] = '\xff';
  file[11] = '\x7f';
  CHECK(getError(file).find("the header's length is") == 0);
}

TEST_CASE("what is not read is said", "[npy]") {
  auto error = [](const std::string &descr) {
    return getError(makeFile(
        1, "{'descr': " + descr + ", 'fortran_order': False, 'shape': ()}",
        "1234"));
  };
  CHECK(error("'>f4'") == "expected little endian numbers, found '>f4'; "
                          "convert with .astype('<f4')");
  CHECK(error("'|O'") == "'|O' are pickled objects, which are not read");
  CHECK(error("[('a', '<f4')]") ==
        "expected one type of number, found records; save an array for each "
        "field");
  CHECK(error("'<V2'") ==
        "unknown type '<V2'; use a safetensors file for bf16 and f8");
  CHECK(getError("") == "no .npy file: its first bytes are not those of one");
  CHECK(getError("\x93NUMPY\x01") ==
        "no .npy file: its first bytes are not those of one");
  CHECK(getError(makeFile(1, "print('hello')", "")) ==
        "expected a dictionary as the header");
  CHECK(getError(makeFile(1, "{'descr': '<f4'}", "")) ==
        "expected 'descr', 'fortran_order' and 'shape' in the header");
}

// No prefix of a file is one, and none is a crash.
TEST_CASE("a file that is cut off is refused", "[npy]") {
  llvm::Expected<std::string> file =
      formatNpy(Tensor::make(DType::F32, {2}, std::vector<double>{1, 2}));
  REQUIRE(bool(file));
  for (size_t length = 0; length < file->size(); ++length)
    CHECK(!getError(file->substr(0, length)).empty());
}
