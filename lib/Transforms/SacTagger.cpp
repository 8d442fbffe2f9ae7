// The rules of selective activation checkpointing as torchtitan has them: those
// of its first `apply_sac` (experiments/compiler_toolkit) and, by option, those
// of today's memory policies (experiments/graph_trainer).
#include "SacTagger.h"

#include "BackwardOps.h"
#include "FsdpGathers.h"
#include "titan/Interfaces/OpNames.h"

using namespace mlir;
using namespace mlir::titan;

static bool hasFact(Operation *op, OpFact fact) {
  auto recompute = dyn_cast<RecomputeOpInterface>(op);
  return recompute && contains(recompute.getFacts(), fact);
}

static bool isSymbolicInteger(Operation *op) {
  return op->getNumResults() == 1 && op->getResult(0).getType().isIndex();
}

// torchtitan leaves the head of the model and the loss alone, by the start of
// the path's text: `loss_fn` counts, too.
static bool isHeadOrLoss(Operation *op) {
  StringRef path = getModulePath(op);
  return path.starts_with("lm_head") || path.starts_with("loss");
}

// A result that the source graph reads has a name there; without names every
// result counts.
static bool isRead(OpResult result) {
  return !result.getOwner()->hasAttr(kNamesAttr) ||
         !getSourceName(result).empty();
}

static int64_t getRegion(Operation *op, SacRegion region) {
  if (region == SacRegion::Global)
    return 0;
  if (auto custom = op->getAttrOfType<DictionaryAttr>(kCustomAttr))
    if (auto id = custom.getAs<IntegerAttr>("ac_region_id"))
      return id.getInt();
  return getLayer(getModulePath(op)) + 1;
}

// The `ones_like` of the loss with which a step graph's backward begins.
static Operation *
findGradientSeed(FunctionOpInterface joint,
                 const llvm::DenseSet<Operation *> &backward) {
  for (Operation &op : joint.getFunctionBody().front()) {
    if (!backward.contains(&op))
      continue;
    auto recompute = dyn_cast<RecomputeOpInterface>(&op);
    bool isMade = recompute && recompute.getWorkClass() == WorkClass::Creation;
    return isMade ? &op : nullptr;
  }
  return nullptr;
}

SacTagger::SacTagger(FunctionOpInterface joint,
                     const ApplySacPassOptions &options)
    : joint(joint), options(options),
      inheritsGetitem(llvm::is_contained(options.inherit, "getitem")),
      inheritsWait(llvm::is_contained(options.inherit, "wait")),
      products(
          getCountedProducts(options.mmAlternate == MmAlternate::PerLayer)) {
  if (!options.forwardOnly && !options.boundarySave)
    return;
  backward = getBackwardOps(joint);
  // To torchtitan the backward is what the autograd engine runs. The seed of
  // the gradient was made before and is tagged like the forward.
  if (Operation *seed = findGradientSeed(joint, backward))
    backward.erase(seed);
}

LogicalResult SacTagger::run() {
  if (failed(findStop()) || failed(readSaveOps()) || failed(readSelectors()) ||
      failed(readGatheredParams()))
    return failure();
  readForcedShapes();
  for (Operation &op : joint.getFunctionBody().front().without_terminator()) {
    if (mayTag(&op))
      tag(&op);
    if (&op == stop)
      break;
  }
  if (options.boundarySave)
    saveBoundaries();
  count();
  return success();
}

//===----------------------------------------------------------------------===//
// Reading the options
//===----------------------------------------------------------------------===//

// An output that is an argument, or an element of a tuple (a getitem, which the
// walk passes over), never ends the walk.
LogicalResult SacTagger::findStop() {
  if (options.stop == SacStop::None)
    return success();
  Operation *terminator = joint.getFunctionBody().front().getTerminator();
  if (terminator->getNumOperands() == 0)
    return emitError(terminator->getLoc())
           << "expected the joint function to return a value, to stop at the "
              "first, found none; run apply_sac{stop=none}";
  Operation *op = terminator->getOperand(0).getDefiningOp();
  if (op && (!isTuple(op) || inheritsGetitem))
    stop = op;
  return success();
}

LogicalResult SacTagger::readSaveOps() {
  if (options.saveOps.empty())
    for (StringRef name : getSaveSetNames(options.saveSet))
      saved.insert(name);
  for (StringRef name : options.saveOps) {
    if (llvm::Error error = checkOpName(name, joint.getContext()))
      return emitError(joint.getLoc()) << llvm::toString(std::move(error));
    saved.insert(name);
  }
  return success();
}

LogicalResult SacTagger::readSelectors() {
  for (StringRef text : options.saveSelectors) {
    llvm::Expected<std::vector<SaveSelector>> parsed =
        parseSaveSelectors(text, joint.getContext());
    if (!parsed)
      return emitError(joint.getLoc()) << llvm::toString(parsed.takeError());
    llvm::append_range(selectors, *parsed);
  }
  return success();
}

LogicalResult SacTagger::readGatheredParams() {
  if (!options.saveGatheredParams)
    return success();
  FailureOr<SmallVector<Operation *>> params = findGatheredParams(joint);
  if (failed(params))
    return failure();
  gatheredParams.insert(params->begin(), params->end());
  return success();
}

// The shape [in, out] of a product's second factor; a linear layer's weight is
// stored the other way round.
std::optional<SmallVector<int64_t>> SacTagger::getWeightShape(Operation *op) {
  if (!products.contains(op) || op->getNumOperands() < 2)
    return std::nullopt;
  auto type = dyn_cast<RankedTensorType>(op->getOperand(1).getType());
  if (!type)
    return std::nullopt;
  SmallVector<int64_t> shape = llvm::to_vector(type.getShape());
  if (!isMatrixProduct(op))
    std::reverse(shape.begin(), shape.end());
  return shape;
}

// Eager checkpointing finds the modules by a part of their path and then forces
// every product with a weight of such a shape, in whatever module.
void SacTagger::readForcedShapes() {
  for (StringRef part : options.forceShapes) {
    bool isFound = false;
    for (Operation &op : joint.getFunctionBody().front()) {
      if (!getModulePath(&op).contains(part) ||
          getLayer(getModulePath(&op)) < 0)
        continue;
      // A backward product has its layer's path, and other shapes.
      if (getPhase(&op) == Phase::Backward || backward.contains(&op))
        continue;
      if (auto shape = getWeightShape(&op)) {
        forcedShapes.insert(*shape);
        isFound = true;
      }
    }
    if (!isFound)
      emitWarning(joint.getLoc())
          << "no matrix product in a layer's module that contains '" << part
          << "': force-shapes has no effect";
  }
}

//===----------------------------------------------------------------------===//
// Choosing
//===----------------------------------------------------------------------===//

bool SacTagger::mayTag(Operation *op) const {
  return !options.forwardOnly || (!backward.contains(op) && !isHeadOrLoss(op));
}

void SacTagger::enterLayer(Operation *op) {
  int64_t own = getLayer(getModulePath(op));
  if (own == kNoLayer || own == layer)
    return;
  layer = own;
  counter = 0;
}

// Whether the turn of a product decides, and if it may be saved.
std::optional<bool> SacTagger::takeTurn(Operation *op) {
  if (options.mmAlternate == MmAlternate::PerLayer)
    enterLayer(op);
  if (!products.contains(op))
    return std::nullopt;
  ++counts.productsFound;
  if (auto shape = getWeightShape(op); shape && forcedShapes.contains(*shape))
    return false;
  if (options.mmAlternate == MmAlternate::Off)
    return std::nullopt;
  bool isOdd = ++counter % 2;
  // The first apply_sac let the turn of a product win over the save set.
  if (options.mmAlternate == MmAlternate::Global || !isOdd)
    return isOdd;
  return std::nullopt;
}

bool SacTagger::isSelected(Operation *op) const {
  return llvm::any_of(selectors, [&](const SaveSelector &selector) {
    return getOpName(op) == selector.opName &&
           matchesModulePattern(getModulePath(op), selector.modulePattern);
  });
}

bool SacTagger::isSaved(Operation *op) {
  if (gatheredParams.contains(op) ||
      (options.saveSymbols && isSymbolicInteger(op)))
    return true;
  if (std::optional<bool> turn = takeTurn(op))
    return *turn;
  return saved.contains(op) ||
         (options.saveRandom && hasFact(op, OpFact::Seeded)) || isSelected(op);
}

Policy SacTagger::choose(Operation *op) {
  if (isSaved(op)) {
    counts.productsSaved += products.contains(op);
    return Policy::MustSave;
  }
  return options.recompute == SacRecompute::Must ? Policy::MustRecompute
                                                 : Policy::PreferRecompute;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

void SacTagger::tag(Operation *op) {
  if (inheritsWait && hasFact(op, OpFact::Wait) && !gatheredParams.contains(op))
    tagAsOperand(op);
  else
    write(op, choose(op));
  if (inheritsGetitem && isTuple(op))
    tagResults(op);
}

// Without a tag to take, the wait keeps what it has.
void SacTagger::tagAsOperand(Operation *wait) {
  auto source = wait->getNumOperands() ? dyn_cast<OpResult>(wait->getOperand(0))
                                       : OpResult();
  if (!source)
    return;
  Operation *producer = source.getOwner();
  bool isElement = isTuple(producer);
  std::optional<Policy> policy =
      isElement ? getResultPolicy(source) : getPolicy(producer);
  std::optional<int64_t> region =
      isElement ? getResultAcGraphId(source) : getAcGraphId(producer);
  if (policy && wait->getNumResults())
    setPolicy(wait, *policy);
  if (region)
    setAcGraphId(wait, *region);
}

void SacTagger::tagResults(Operation *op) {
  for (OpResult result : op->getResults())
    if (isRead(result))
      setResultTag(result, getPolicy(op), getAcGraphId(op));
}

void SacTagger::write(Operation *op, Policy policy) {
  // An op without results can hold no policy: nothing of it could be saved. Its
  // region alone says that the walk came by.
  if (op->getNumResults())
    setPolicy(op, policy);
  if (options.region != SacRegion::None)
    setAcGraphId(op, getRegion(op, options.region));
}
