// Every registered op that mirrors a PyTorch overload, with every kind of
// argument in every form, as text and as bytecode. What an op computes does not
// matter here, so nothing is verified.
#include "titan/Dialect/Registration.h"
#include "titan/Interfaces/TorchOpInterfaces.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"
#include <catch2/catch.hpp>
#include <limits>

using namespace mlir;
using namespace mlir::titan;

namespace {

/// The arguments of one op, as OperationState wants them.
struct Call {
  SmallVector<Value> operands;
  SmallVector<int32_t> segments;
  NamedAttrList attributes;
  bool hasSegments = false;
};

/// Makes arguments. `variant` chooses among the forms of each kind, so that the
/// variants of an op go through all forms of its parameters, in changing
/// combinations.
class CallMaker {
public:
  explicit CallMaker(MLIRContext *context) : builder(context) {
    source = UnrealizedConversionCastOp::create(
        builder, UnknownLoc::get(context),
        TypeRange{RankedTensorType::get({2, ShapedType::kDynamic},
                                        builder.getBF16Type()),
                  builder.getIndexType(), builder.getF64Type(),
                  builder.getI1Type()},
        ValueRange());
  }
  ~CallMaker() { source->destroy(); }
  UnrealizedConversionCastOp getSource() { return source; }

  Call make(ArrayRef<SchemaParameter> schema, unsigned variant) {
    Call call;
    unsigned variableGroups = 0;
    for (auto [index, parameter] : llvm::enumerate(schema)) {
      size_t before = call.operands.size();
      if (std::optional<Attribute> attribute =
              addArgument(call, parameter, variant + index))
        call.attributes.append(parameter.attributeName, *attribute);
      if (hasOperands(parameter.kind)) {
        call.segments.push_back(call.operands.size() - before);
        variableGroups += parameter.kind != ParameterKind::Tensor;
      }
    }
    call.hasSegments = variableGroups > 1;
    return call;
  }

private:
  Value tensor() { return source.getResult(0); }
  Value symbol() { return source.getResult(1); }

  template <typename T>
  static T pick(ArrayRef<T> forms, unsigned variant) {
    return forms[variant % forms.size()];
  }

  Attribute number(unsigned variant) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    SmallVector<Attribute> forms = {
        builder.getI64IntegerAttr(-1),
        builder.getF64FloatAttr(-0.0),
        builder.getF64FloatAttr(kInfinity),
        builder.getF64FloatAttr(std::numeric_limits<double>::quiet_NaN()),
        builder.getBoolAttr(true),
        builder.getF64FloatAttr(1e-45),
        builder.getI64IntegerAttr(std::numeric_limits<int64_t>::max()),
        builder.getF64FloatAttr(-kInfinity),
        // Six digits do not tell it from its neighbours.
        builder.getF64FloatAttr(16777217.0),
        builder.getF64FloatAttr(0.1),
        builder.getF64FloatAttr(std::numeric_limits<double>::denorm_min()),
        builder.getF64FloatAttr(std::numeric_limits<double>::max()),
        builder.getBoolAttr(false),
        builder.getI64IntegerAttr(std::numeric_limits<int64_t>::min()),
    };
    return pick<Attribute>(forms, variant);
  }

  std::optional<Attribute>
  addArgument(Call &call, const SchemaParameter &parameter, unsigned variant) {
    // Every fourth argument that may be absent is.
    if (variant % 4 == 3 &&
        (!parameter.defaultText.empty() || parameter.isNullable))
      return std::nullopt;
    switch (parameter.kind) {
    case ParameterKind::Tensor:
      call.operands.push_back(tensor());
      return std::nullopt;
    case ParameterKind::TensorOrScalar:
      if (variant % 2)
        return number(variant / 2);
      call.operands.push_back(tensor());
      return std::nullopt;
    case ParameterKind::OptionalTensor:
    case ParameterKind::Generator:
      if (variant % 2)
        call.operands.push_back(tensor());
      return std::nullopt;
    case ParameterKind::Tensors:
      call.operands.append(variant % 3, tensor());
      return std::nullopt;
    case ParameterKind::OptionalTensors: {
      SmallVector<bool> present =
          pick<SmallVector<bool>>({{true, false, true}, {false}, {}}, variant);
      call.operands.append(llvm::count(present, true), tensor());
      return builder.getDenseBoolArrayAttr(present);
    }
    case ParameterKind::SymInt:
      if (variant % 2)
        return builder.getI64IntegerAttr(pick<int64_t>(
            {0, -1, std::numeric_limits<int64_t>::max()}, variant / 2));
      call.operands.push_back(symbol());
      return std::nullopt;
    case ParameterKind::SymInts: {
      constexpr int64_t kSymbol = ShapedType::kDynamic;
      SmallVector<int64_t> list = pick<SmallVector<int64_t>>(
          {{kSymbol, 4, kSymbol}, {}, {-1}, {2, 3}, {kSymbol}}, variant);
      call.operands.append(llvm::count(list, kSymbol), symbol());
      return builder.getDenseI64ArrayAttr(list);
    }
    case ParameterKind::Scalar:
      if (variant % 2)
        return number(variant / 2);
      call.operands.push_back(source.getResult(1 + variant / 2 % 3));
      return std::nullopt;
    case ParameterKind::Int:
      return builder.getI64IntegerAttr(
          pick<int64_t>({1, -2, std::numeric_limits<int64_t>::min(),
                         std::numeric_limits<int64_t>::max()},
                        variant));
    case ParameterKind::Ints:
      return builder.getDenseI64ArrayAttr(
          pick<SmallVector<int64_t>>({{}, {0}, {-1, 7}}, variant));
    case ParameterKind::Float:
      return number(variant);
    case ParameterKind::Floats:
      return builder.getDenseF64ArrayAttr(pick<SmallVector<double>>(
          {{},
           {1e-45, -0.0},
           {std::numeric_limits<double>::infinity(), 16777217.0}},
          variant));
    case ParameterKind::Bool:
      return builder.getBoolAttr(variant % 2);
    case ParameterKind::Bools:
      return builder.getDenseBoolArrayAttr(
          pick<SmallVector<bool>>({{true, false}, {}, {false}}, variant));
    case ParameterKind::String:
      return builder.getStringAttr(pick<StringRef>(
          {"sum", "", "a \"quoted\" \\ word\n", "grün"}, variant));
    case ParameterKind::Scalars:
      return builder.getArrayAttr({number(variant), number(variant + 1)});
    case ParameterKind::Dtype: {
      MLIRContext *context = builder.getContext();
      SmallVector<Type> types = {
          builder.getBF16Type(), builder.getI1Type(),
          Float8E4M3FNType::get(context),
          ComplexType::get(builder.getF32Type()),
          IntegerType::get(context, 8, IntegerType::Unsigned)};
      return TypeAttr::get(pick<Type>(types, variant));
    }
    case ParameterKind::Layout:
      return builder.getStringAttr("strided");
    case ParameterKind::Device:
      return builder.getStringAttr(pick<StringRef>({"cpu", "cuda:0"}, variant));
    case ParameterKind::MemoryFormat:
      return builder.getStringAttr("contiguous_format");
    }
    llvm_unreachable("unknown kind of parameter");
  }

  OpBuilder builder;
  UnrealizedConversionCastOp source;
};

} // namespace

// Enough that each parameter meets every form, whatever its place.
static constexpr unsigned kVariants = 28;

static OwningOpRef<ModuleOp> makeModule(MLIRContext &context,
                                        RegisteredOperationName name) {
  Location loc = UnknownLoc::get(&context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  OpBuilder builder(&context);
  builder.setInsertionPointToEnd(module->getBody());
  CallMaker maker(&context);
  Operation *source = builder.clone(*maker.getSource());
  IRMapping mapping;
  mapping.map(maker.getSource().getResults(), source->getResults());
  ArrayRef<SchemaParameter> schema =
      name.getInterface<TorchOpInterface>()->getSchema();
  for (unsigned variant = 0; variant < kVariants; ++variant) {
    Call call = maker.make(schema, variant);
    OperationState state(loc, name);
    for (Value operand : call.operands)
      state.addOperands(mapping.lookup(operand));
    state.addTypes(RankedTensorType::get({2}, builder.getF32Type()));
    state.addAttributes(call.attributes);
    if (call.hasSegments)
      state.addAttribute("operandSegmentSizes",
                         builder.getDenseI32ArrayAttr(call.segments));
    state.addAttribute("titan.module", builder.getStringAttr("layers.0"));
    builder.create(state);
  }
  return module;
}

static bool isEqual(Operation *a, Operation *b) {
  return OperationEquivalence::isEquivalentTo(
      a, b, OperationEquivalence::ignoreValueEquivalence, nullptr,
      OperationEquivalence::IgnoreLocations);
}

TEST_CASE("every op reads back as it was, as text and as bytecode",
          "[dialects]") {
  DialectRegistry registry;
  registerTitanDialects(registry);
  MLIRContext context(registry);
  context.disableMultithreading();
  context.loadAllAvailableDialects();
  ParserConfig config(&context, /*verifyAfterParse=*/false);

  unsigned count = 0;
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    if (!name.hasInterface<TorchOpInterface>())
      continue;
    ++count;
    INFO(name.getStringRef().str());
    OwningOpRef<ModuleOp> module = makeModule(context, name);

    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream, OpPrintingFlags().assumeVerified());
    INFO(text);
    OwningOpRef<ModuleOp> read = parseSourceString<ModuleOp>(text, config);
    REQUIRE(read);
    CHECK(isEqual(*module, *read));
    std::string again;
    llvm::raw_string_ostream stream2(again);
    read->print(stream2, OpPrintingFlags().assumeVerified());
    CHECK(again == text);

    std::string bytes;
    llvm::raw_string_ostream byteStream(bytes);
    REQUIRE(succeeded(writeBytecodeToFile(*module, byteStream)));
    OwningOpRef<ModuleOp> loaded = parseSourceString<ModuleOp>(bytes, config);
    REQUIRE(loaded);
    CHECK(isEqual(*module, *loaded));
  }
  // The registry is not empty: the ops that the corpora carry are there.
  CHECK(count >= 460);
}
