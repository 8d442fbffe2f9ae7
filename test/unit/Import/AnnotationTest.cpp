#include "titan/Import/Annotation.h"
#include "titan/Import/Comment.h"
#include "titan/Import/Literal.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include <catch2/catch.hpp>
#include <limits>

using namespace mlir;
using namespace mlir::titan;

namespace {

struct TitanContext : MLIRContext {
  TitanContext() { loadDialect<TitanDialect>(); }
};

} // namespace

static std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static std::string print(Attribute attribute) {
  std::string text;
  if (attribute)
    llvm::raw_string_ostream(text) << attribute;
  return text;
}

static FxAnnotation parse(MLIRContext &context, StringRef text) {
  FxAnnotationError error;
  std::optional<FxAnnotation> annotation =
      parseAnnotation(&context, text, error);
  REQUIRE(annotation);
  return *annotation;
}

static std::string layout(MLIRContext &context, StringRef text) {
  return print(getLayout(parse(context, text), "cuda:0", &context));
}

TEST_CASE("an annotation is a type and a layout", "[import]") {
  TitanContext context;
  CHECK(print(parse(context, "f32[4, 8]").type) == "tensor<4x8xf32>");
  CHECK(print(parse(context, "b8[][]cuda:0").type) == "tensor<i1>");
  CHECK(print(parse(context, "c64[2, s0][s0, 1]cpu").type) ==
        "tensor<2x?xcomplex<f32>>");
  CHECK(parse(context, "torch.Tensor").kind == FxAnnotation::Kind::Other);
  CHECK(parse(context, "List[torch.Tensor]").kind == FxAnnotation::Kind::Other);
}

TEST_CASE("a layout says only what the type cannot", "[import]") {
  TitanContext context;
  CHECK(layout(context, "f32[4, 8][8, 1]cuda:0") == "");
  CHECK(layout(context, "f32[4, 8]") == "");
  CHECK(layout(context, "f32[][]cuda:0") == "");
  CHECK(layout(context, "f32[0, 3][3, 1]cuda:0") == "");
  CHECK(layout(context, "f32[4, 8][1, 4]cuda:0") ==
        "#titan.layout<strides = [1, 4]>");
  CHECK(layout(context, "f32[4][1]cpu") == "#titan.layout<device = \"cpu\">");
  CHECK(layout(context, "f32[s0*(s1 + 1), 4][4, 1]cuda:0") ==
        "#titan.layout<shape = [\"s0*(s1 + 1)\", 4], strides = [4, 1]>");
  CHECK(layout(context, "DTensor(f32[4][1]cuda:0, [S(0), R])") ==
        "#titan.layout<wrapper = \"DTensor(@, [S(0), R])\">");
  CHECK(layout(context, "Sym(s0 + 1)") == "#titan.layout<value = \"s0 + 1\">");
}

TEST_CASE("a symbol's type follows from its expression", "[import]") {
  TitanContext context;
  CHECK(print(getSymbolType(&context, "s0 + 1")) == "index");
  CHECK(print(getSymbolType(&context, "u0 >= 0")) == "i1");
  CHECK(print(getSymbolType(&context, "Eq(s0, 2)")) == "i1");
  CHECK(print(getSymbolType(&context, "0.5*s0")) == "f64");
  CHECK(print(getSymbolType(&context, "zf3")) == "f64");
}

TEST_CASE("an error names the place in the annotation", "[import]") {
  TitanContext context;
  StringRef text = "f32[2][1]cu:%";
  FxAnnotationError error;
  CHECK_FALSE(parseAnnotation(&context, text, error));
  CHECK(error.position == text.begin() + 9);
  CHECK(error.message == "expected a device, found 'cu:%'");
}

TEST_CASE("a comment's parts are found in any order of time", "[import]") {
  TitanContext context;
  FxComment tagged = parseComment(
      &context, " Annotation: {'module_fqn': 'a.b', 'n': (1, '}')} "
                "ac_graph_id: 4 - MUST_SAVE File: /x y.py:7 in <lambda>, "
                "code: a, code: b");
  CHECK(tagged.policy == Policy::MustSave);
  CHECK(tagged.acGraphId == 4);
  CHECK(tagged.module.getValue() == "a.b");
  CHECK(print(tagged.custom) == "{n = #titan.python<\"(1, '}')\">}");
  CHECK_FALSE(tagged.isBackward);
  FxComment id = parseComment(&context, " # ac_graph_id: 9 No stacktrace found "
                                        "for following nodes");
  CHECK(id.acGraphId == 9);
  CHECK_FALSE(id.policy);
  CHECK_FALSE(id.location);
  CHECK(parseComment(&context, " autograd_backward: True # File: a.py:1 in f")
            .isBackward);
  CHECK_FALSE(parseComment(&context, " Annotation: {'a").custom);
}

TEST_CASE("floats are written as Python writes them", "[import]") {
  CHECK(getFloatText(1.0) == "1.0");
  CHECK(getFloatText(0.1) == "0.1");
  CHECK(getFloatText(-0.0) == "-0.0");
  CHECK(getFloatText(1e-5) == "1e-05");
  CHECK(getFloatText(0.0001) == "0.0001");
  CHECK(getFloatText(1e16) == "1e+16");
  CHECK(getFloatText(123456789012345.0) == "123456789012345.0");
  CHECK(getFloatText(-3.4028234663852886e+38) == "-3.4028234663852886e+38");
  CHECK(getFloatText(std::numeric_limits<double>::infinity()) == "inf");
}

TEST_CASE("strings are quoted as Python quotes them", "[import]") {
  CHECK(quotePython("a") == "'a'");
  CHECK(quotePython("it's") == "\"it's\"");
  CHECK(quotePython("both ' and \"") == "'both \\' and \"'");
  CHECK(quotePython("\n\x01") == "'\\n\\x01'");
  CHECK(unescapePython("a\\'b\\n\\x41\\d") == "a'b\nA\\d");
}
