#include "titan/Interfaces/CallBuilder.h"

#include "titan/Dialect/Aten/IR/AtenDialect.h"
#include "titan/Dialect/Titan/IR/Titan.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <catch2/catch.hpp>

using namespace mlir;
using namespace mlir::titan;

namespace {

/// A module to build calls in, with a tensor and a symbolic size to call on.
struct CallFixture {
  CallFixture() : builder(&context), calls(&context) {
    context.loadDialect<TitanDialect, aten::AtenDialect>();
    module = ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToEnd(module->getBody());
    type = RankedTensorType::get({2, 4}, builder.getF32Type());
    x = make(type);
    size = make(builder.getIndexType());
  }

  Value make(Type result) {
    OperationState state(builder.getUnknownLoc(), TorchOp::getOperationName());
    state.addAttribute("name", builder.getStringAttr("lab.make"));
    state.addTypes(result);
    return builder.create(state)->getResult(0);
  }

  std::string call(StringRef name, ArrayRef<NamedCallArgument> arguments,
                   TypeRange results) {
    std::string reason;
    Operation *op = calls.create(builder, builder.getUnknownLoc(), name,
                                 arguments, results, &reason);
    if (!op)
      return reason;
    REQUIRE(succeeded(module->verify()));
    std::string text;
    llvm::raw_string_ostream(text) << op->getName();
    for (NamedAttribute attribute : op->getAttrs())
      llvm::raw_string_ostream(text) << " " << attribute.getName().getValue()
                                     << "=" << attribute.getValue();
    return text + " operands=" + std::to_string(op->getNumOperands());
  }

  MLIRContext context;
  OpBuilder builder;
  CallBuilder calls;
  OwningOpRef<ModuleOp> module;
  Type type;
  Value x, size;
};

} // namespace

TEST_CASE_METHOD(CallFixture, "arguments find their place by the schema",
                 "[calls]") {
  CHECK(call("aten.add.Tensor", {{"", x}, {"", x}}, type) ==
        "aten.add.Tensor operandSegmentSizes=array<i32: 1, 1, 0> operands=2");
  CHECK(call("aten.add.Tensor",
             {{"", x}, {"", Attribute(builder.getI64IntegerAttr(3))}}, type) ==
        "aten.add.Tensor operandSegmentSizes=array<i32: 1, 0, 0> "
        "static_other=3 : i64 operands=1");
}

TEST_CASE_METHOD(CallFixture, "symbolic sizes stand among static ones",
                 "[calls]") {
  CallArgument sizes[] = {size, Attribute(builder.getI64IntegerAttr(4))};
  Type result =
      RankedTensorType::get({ShapedType::kDynamic, 4}, builder.getF32Type());
  CHECK(call("aten.view", {{"", x}, {"", ArrayRef(sizes)}}, result) ==
        "aten.view static_size=array<i64: -9223372036854775808, 4> "
        "operands=2");
}

TEST_CASE_METHOD(CallFixture, "what does not fit is not guessed", "[calls]") {
  CHECK(call("aten.nothing", {}, type) == "no op 'aten.nothing'");
  CHECK(call("aten.mm", {{"", x}}, type) == "no argument for 'mat2'");
  CHECK(call("aten.mm", {{"", x}, {"", x}, {"", x}}, type) ==
        "more positional arguments than the schema has");
  CHECK(call("aten.mm", {{"", x}, {"mat3", x}}, type) == "no parameter 'mat3'");
  CHECK(call("aten.mm", {{"", x}, {"self", x}}, type) ==
        "argument 'self' given twice");
  CHECK(call("aten.mm", {{"", x}, {"", CallArgument()}}, type) ==
        "the argument for 'mat2' is of a kind that the op cannot hold");
  CHECK(call("aten.mm", {{"", x}, {"", x}}, {type, type}) ==
        "expected 1 results, found 2");
}
