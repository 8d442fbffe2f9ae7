#include "Lowering.h"

#include "titan/Conversion/AtenToLinalg/AtenToLinalg.h"
#include "titan/Interfaces/OpNames.h"

#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace mlir::titan;

Lowering::Lowering(Operation *op, OpBuilder &builder)
    : op(op), b(op->getLoc(), builder), view(op) {}

RankedTensorType Lowering::resultType(unsigned index) const {
  return cast<RankedTensorType>(op->getResult(index).getType());
}

Operand Lowering::operand(StringRef name) const {
  std::optional<unsigned> index = view.find(name);
  if (!index)
    return {};
  if (Value value = view.getOperand(*index))
    return value;
  if (Attribute literal = view.getAttribute(*index))
    return literal;
  return {};
}

TypedValue<RankedTensorType> Lowering::tensor(StringRef name) const {
  Value value = view.getValue(name);
  return dyn_cast_or_null<TypedValue<RankedTensorType>>(value);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> Lowering::sizesOf(Value value) {
  return tensor::getMixedSizes(b, b.getLoc(), value);
}

Value Lowering::empty(ArrayRef<OpFoldResult> sizes, Type elementType) {
  return tensor::EmptyOp::create(b, sizes, elementType);
}

Value Lowering::filled(ArrayRef<OpFoldResult> sizes, Value value) {
  Value target = empty(sizes, value.getType());
  return linalg::FillOp::create(b, value, target).getResult(0);
}

static bool isOne(OpFoldResult size) { return isConstantIntValue(size, 1); }

SmallVector<OpFoldResult> Lowering::broadcastSizes(ArrayRef<Operand> operands) {
  SmallVector<OpFoldResult> sizes;
  for (Operand operand : operands) {
    auto value = dyn_cast<Value>(operand);
    if (!value || !isa<RankedTensorType>(value.getType()))
      continue;
    SmallVector<OpFoldResult> own = sizesOf(value);
    if (own.size() > sizes.size())
      sizes.insert(sizes.begin(), own.size() - sizes.size(), b.getIndexAttr(1));
    for (unsigned i = 0; i < own.size(); ++i) {
      OpFoldResult &size = sizes[sizes.size() - own.size() + i];
      // A size that is not known agrees with those that are.
      if (isOne(size) || (isa<Value>(size) && !isOne(own[i])))
        size = own[i];
    }
  }
  return sizes;
}

// How the elements of \p type are read in a loop nest over \p sizes.
static AffineMap getBroadcastMap(RankedTensorType type,
                                 ArrayRef<OpFoldResult> sizes,
                                 MLIRContext *context) {
  unsigned rank = sizes.size();
  SmallVector<AffineExpr> places;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    unsigned loop = rank - type.getRank() + i;
    places.push_back(type.getDimSize(i) == 1 && !isOne(sizes[loop])
                         ? getAffineConstantExpr(0, context)
                         : getAffineDimExpr(loop, context));
  }
  return AffineMap::get(rank, 0, places, context);
}

Value Lowering::map(ArrayRef<Operand> operands, Type computeType,
                    Type elementType,
                    function_ref<Value(Formula &, ValueRange)> body,
                    Type literalType) {
  SmallVector<OpFoldResult> sizes = broadcastSizes(operands);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (Operand operand : operands) {
    auto value = dyn_cast<Value>(operand);
    if (!value || !isa<RankedTensorType>(value.getType()))
      continue;
    inputs.push_back(value);
    maps.push_back(getBroadcastMap(cast<RankedTensorType>(value.getType()),
                                   sizes, b.getContext()));
  }
  maps.push_back(b.getMultiDimIdentityMap(sizes.size()));
  SmallVector<utils::IteratorType> iterators(sizes.size(),
                                             utils::IteratorType::parallel);
  Value target = empty(sizes, elementType);
  auto generic = linalg::GenericOp::create(
      b, TypeRange(target.getType()), inputs, ValueRange(target), maps,
      iterators, [&](OpBuilder &nested, Location loc, ValueRange elements) {
        ImplicitLocOpBuilder inner(loc, nested);
        SmallVector<Value> numbers;
        unsigned next = 0;
        for (Operand operand : operands) {
          Value number;
          if (auto attribute = dyn_cast<Attribute>(operand)) {
            number = makeLiteral(inner, attribute,
                                 literalType ? literalType : computeType);
          } else {
            auto value = cast<Value>(operand);
            number = isa<RankedTensorType>(value.getType()) ? elements[next++]
                                                            : value;
          }
          numbers.push_back(convertNumber(inner, number, computeType));
        }
        Formula formula(inner, computeType);
        Value result = body(formula, numbers);
        linalg::YieldOp::create(inner,
                                convertNumber(inner, result, elementType));
      });
  return generic.getResult(0);
}

Value Lowering::castElements(Value value, Type elementType) {
  auto type = mlir::cast<RankedTensorType>(value.getType());
  if (type.getElementType() == elementType)
    return value;
  // The body converts: from the one type straight to the other.
  return map({value}, type.getElementType(), elementType,
             [](Formula &, ValueRange in) { return in[0]; });
}

Value Lowering::reshape(Value value, RankedTensorType type) {
  auto from = mlir::cast<RankedTensorType>(value.getType());
  type = type.clone(from.getElementType());
  if (from == type)
    return value;
  if (auto groups = getReassociationIndicesForReshape(from, type)) {
    if (from.getRank() > type.getRank())
      return tensor::CollapseShapeOp::create(b, type, value, *groups);
    if (from.getRank() < type.getRank() && type.hasStaticShape())
      return tensor::ExpandShapeOp::create(b, type, value, *groups);
  }
  if (!from.hasStaticShape() || !type.hasStaticShape())
    return {};
  auto flat =
      RankedTensorType::get({from.getNumElements()}, from.getElementType());
  auto all = [](RankedTensorType of) {
    SmallVector<ReassociationIndices> groups;
    if (of.getRank() > 0)
      groups.push_back(llvm::to_vector<2>(llvm::seq<int64_t>(of.getRank())));
    return groups;
  };
  if (from.getRank() > 1)
    value = tensor::CollapseShapeOp::create(b, flat, value, all(from));
  else if (from.getRank() == 0)
    value = tensor::ExpandShapeOp::create(b, flat, value,
                                          ArrayRef<ReassociationIndices>());
  if (type.getRank() == 1)
    return value;
  if (type.getRank() == 0)
    return tensor::CollapseShapeOp::create(b, type, value,
                                           ArrayRef<ReassociationIndices>());
  return tensor::ExpandShapeOp::create(b, type, value, all(type));
}

//===----------------------------------------------------------------------===//
// The table and its pattern
//===----------------------------------------------------------------------===//

LoweringTable::LoweringTable() {
  addActivationLowerings(*this);
  addArrangeLowerings(*this);
  addBatchNormLowerings(*this);
  addCastLowerings(*this);
  addConvolutionLowerings(*this);
  addCreationLowerings(*this);
  addIndexLowerings(*this);
  addLossLowerings(*this);
  addMatmulLowerings(*this);
  addMomentLowerings(*this);
  addMovementLowerings(*this);
  addNormLowerings(*this);
  addPointwiseLowerings(*this);
  addReductionLowerings(*this);
  addReshapeLowerings(*this);
  addSoftmaxLowerings(*this);
  addUnaryLowerings(*this);
}

// `aten.add` of `aten.add.Tensor`.
static StringRef getPacket(StringRef name) {
  return name.substr(0, name.find('.', name.find('.') + 1));
}

const LoweringTable::Entry *LoweringTable::find(StringRef name) const {
  for (StringRef candidate : {name, getPacket(name)})
    if (auto it = entries.find(candidate); it != entries.end())
      return &it->second;
  return nullptr;
}

static const LoweringTable &getTable() {
  static const LoweringTable table;
  return table;
}

// Signless integers and IEEE-like floats of at least 16 bits.
static bool isSupportedElement(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless();
  return isa<Float64Type, Float32Type, Float16Type, BFloat16Type>(type);
}

static bool isSupported(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return isSupportedElement(tensor.getElementType());
  return isSymbolicNumberType(type);
}

static const LoweringTable::Entry *findLowering(Operation *op) {
  if (!isa<TorchOpInterface>(op) || op->getNumResults() == 0 ||
      !llvm::all_of(op->getOperandTypes(), isSupported) ||
      !llvm::all_of(op->getResultTypes(), [](Type type) {
        return isa<RankedTensorType>(type) && isSupported(type);
      }))
    return nullptr;
  const LoweringTable::Entry *entry = getTable().find(getOpName(op));
  if (!entry || (entry->supports && !entry->supports(op)))
    return nullptr;
  return entry;
}

bool titan::isLoweredToLinalg(StringRef name) {
  return getTable().find(name) != nullptr;
}

bool titan::hasLinalgLowering(Operation *op) {
  return findLowering(op) != nullptr;
}

namespace {
struct LowerTorchOp : public RewritePattern {
  explicit LowerTorchOp(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    const LoweringTable::Entry *entry = findLowering(op);
    if (!entry)
      return failure();
    Lowering lowering(op, rewriter);
    FailureOr<SmallVector<Value>> values = entry->lower(lowering);
    if (failed(values))
      return failure();
    for (auto [value, result] : llvm::zip_equal(*values, op->getResults()))
      if (value.getType() != result.getType())
        value = tensor::CastOp::create(rewriter, op->getLoc(), result.getType(),
                                       value);
    rewriter.replaceOp(op, *values);
    return success();
  }
};
} // namespace

void titan::populateAtenToLinalgPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerTorchOp>(patterns.getContext());
}
