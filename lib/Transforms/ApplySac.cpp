// The joint pass `apply_sac`: selective activation checkpointing as tags. The
// rules and their history are torchtitan's; docs/Partitioning.md tells what a
// partitioner makes of the tags.
#include "BackwardOps.h"
#include "ModulePaths.h"
#include "PassDetail.h"
#include "SaveSets.h"

#include "llvm/ADT/MapVector.h"
#include <map>

namespace mlir::titan {
#define GEN_PASS_DEF_APPLYSACPASS
#include "titan/Transforms/Passes.h.inc"
} // namespace mlir::titan

using namespace mlir;
using namespace mlir::titan;

namespace {
/// A policy and a region, each perhaps absent.
struct Tag {
  std::optional<Policy> policy;
  std::optional<int64_t> region;
};

/// What one run tagged, for the user.
struct Counts {
  int64_t productsFound = 0;
  int64_t productsSaved = 0;
  int64_t forced = 0;
  std::map<Policy, int64_t> tagged;
};
} // namespace

static bool isWait(Operation *op) {
  auto recompute = dyn_cast<RecomputeOpInterface>(op);
  return recompute && contains(recompute.getFacts(), OpFact::Wait);
}

static bool isRandom(Operation *op) {
  auto recompute = dyn_cast<RecomputeOpInterface>(op);
  return recompute && contains(recompute.getFacts(), OpFact::Seeded);
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

static Tag getTag(Value value) {
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return {};
  Operation *op = result.getOwner();
  if (isTuple(op))
    return {getResultPolicy(result), getResultAcGraphId(result)};
  return {getPolicy(op), getAcGraphId(op)};
}

namespace {
/// One run over one joint function.
class SacTagger {
public:
  SacTagger(FunctionOpInterface joint, const ApplySacPassOptions &options);

  /// Fails with a diagnostic.
  LogicalResult run();
  const Counts &getCounts() const { return counts; }

private:
  LogicalResult findStop();
  bool inherits(SacInherit what) const {
    return llvm::is_contained(options.inherit, what);
  }
  bool isForward(Operation *op) const {
    return !options.forwardOnly || !backward.contains(op);
  }
  Policy choose(Operation *op);
  std::optional<Policy> chooseProduct(Operation *op);
  void enterLayer(Operation *op);
  void tag(Operation *op);
  void tagWait(Operation *op);
  void tagResults(Operation *op);
  void write(Operation *op, Policy policy);

  FunctionOpInterface joint;
  const ApplySacPassOptions &options;
  OpNameSet saved;
  OpNameSet products;
  llvm::DenseSet<Operation *> backward;
  /// The op after which tagging ends, or null.
  Operation *stop = nullptr;
  int64_t layer = kNoLayer;
  int64_t counter = 0;
  Counts counts;
};
} // namespace

SacTagger::SacTagger(FunctionOpInterface joint,
                     const ApplySacPassOptions &options)
    : joint(joint), options(options),
      products(
          getCountedProducts(options.mmAlternate == MmAlternate::PerLayer)) {
  if (options.saveOps.empty())
    for (StringRef name : getSaveSetNames(options.saveSet))
      saved.insert(name);
  for (StringRef name : options.saveOps)
    saved.insert(name);
  if (options.forwardOnly)
    backward = getBackwardOps(joint);
}

// An output that is an argument, or an element of a tuple (a getitem, which the
// walk passes over), never ends the walk.
LogicalResult SacTagger::findStop() {
  if (options.stop == SacStop::None)
    return success();
  Operation *terminator = joint.getFunctionBody().front().getTerminator();
  if (terminator->getNumOperands() == 0)
    return emitError(terminator->getLoc())
           << "expected the joint function to return a value to stop at, found "
              "none; run apply_sac{stop=none}";
  Operation *op = terminator->getOperand(0).getDefiningOp();
  if (op && (!isTuple(op) || inherits(SacInherit::Getitem)))
    stop = op;
  return success();
}

LogicalResult SacTagger::run() {
  if (failed(findStop()))
    return failure();
  for (Operation &op : joint.getFunctionBody().front().without_terminator()) {
    if (isForward(&op) && !(options.forwardOnly && isHeadOrLoss(&op)))
      tag(&op);
    if (&op == stop)
      break;
  }
  return success();
}

void SacTagger::tag(Operation *op) {
  if (inherits(SacInherit::Wait) && isWait(op))
    tagWait(op);
  else
    write(op, choose(op));
  if (inherits(SacInherit::Getitem) && isTuple(op))
    tagResults(op);
}

void SacTagger::tagWait(Operation *op) {
  Tag tag = op->getNumOperands() ? getTag(op->getOperand(0)) : Tag();
  if (tag.policy && op->getNumResults()) {
    setPolicy(op, *tag.policy);
    ++counts.tagged[*tag.policy];
  }
  if (tag.region)
    setAcGraphId(op, *tag.region);
}

void SacTagger::tagResults(Operation *op) {
  std::optional<Policy> policy = getPolicy(op);
  std::optional<int64_t> region = getAcGraphId(op);
  for (OpResult result : op->getResults()) {
    if (!isRead(result))
      continue;
    setResultTag(result, policy, region);
    if (policy)
      ++counts.tagged[*policy];
  }
}

void SacTagger::write(Operation *op, Policy policy) {
  // An op without results can hold no policy: nothing of it could be saved. Its
  // region alone says that the walk came by.
  if (op->getNumResults())
    setPolicy(op, policy);
  if (options.region != SacRegion::None)
    setAcGraphId(op, getRegion(op, options.region));
  ++counts.tagged[policy];
}

void SacTagger::enterLayer(Operation *op) {
  int64_t own = getLayer(getModulePath(op));
  if (own == kNoLayer || own == layer)
    return;
  layer = own;
  counter = 0;
}

// Whether the turn of \p op decides, and how.
std::optional<Policy> SacTagger::chooseProduct(Operation *op) {
  if (options.mmAlternate == MmAlternate::PerLayer)
    enterLayer(op);
  if (!products.contains(op))
    return std::nullopt;
  ++counts.productsFound;
  if (options.mmAlternate == MmAlternate::Off)
    return std::nullopt;
  bool isOdd = ++counter % 2;
  if (!isOdd)
    return Policy::PreferRecompute;
  // The first apply_sac let the turn of a product win over the save set.
  if (options.mmAlternate == MmAlternate::Global)
    return Policy::MustSave;
  return std::nullopt;
}

Policy SacTagger::choose(Operation *op) {
  if (options.saveSymbols && isSymbolicInteger(op))
    return Policy::MustSave;
  std::optional<Policy> turn = chooseProduct(op);
  bool isSaved =
      turn ? *turn == Policy::MustSave
           : saved.contains(op) || (options.saveRandom && isRandom(op));
  if (isSaved) {
    counts.productsSaved += products.contains(op);
    return Policy::MustSave;
  }
  return options.recompute == SacRecompute::Must ? Policy::MustRecompute
                                                 : Policy::PreferRecompute;
}

static void report(const Counts &counts, PassObserver &observer) {
  observer.info(
      ("Applied selective activation checkpointing (SAC) graph pass (" +
       Twine(counts.productsFound) + " mm ops found, " +
       Twine(counts.productsSaved) + " saved)")
          .str());
  SmallVector<std::pair<std::string, int64_t>> list = {
      {"mm_found", counts.productsFound}, {"mm_saved", counts.productsSaved}};
  for (auto [policy, count] : counts.tagged)
    list.emplace_back(("tagged." + stringifyPolicy(policy)).str(), count);
  observer.counted("apply_sac", list);
}

namespace {
struct ApplySacPass : titan::impl::ApplySacPassBase<ApplySacPass> {
  using ApplySacPassBase::ApplySacPassBase;
  ApplySacPass(ApplySacPassOptions options, PassObserver *observer)
      : ApplySacPassBase(std::move(options)), observer(observer) {}

  /// The options as plain data.
  ApplySacPassOptions collectOptions();

  void runOnOperation() override {
    ApplySacPassOptions options = collectOptions();
    for (FunctionOpInterface joint : getJointFunctions(getOperation())) {
      SacTagger tagger(joint, options);
      if (failed(tagger.run()))
        return signalPassFailure();
      report(tagger.getCounts(), getObserver(observer));
    }
  }

  PassObserver *observer = nullptr;
};
} // namespace

ApplySacPassOptions ApplySacPass::collectOptions() {
  ApplySacPassOptions options;
  options.stop = stop;
  options.inherit = llvm::to_vector(inherit);
  options.region = region;
  options.mmAlternate = mmAlternate;
  options.saveSet = saveSet;
  options.saveOps = llvm::to_vector(saveOps);
  options.saveSelectors = llvm::to_vector(saveSelectors);
  options.forceShapes = llvm::to_vector(forceShapes);
  options.boundarySave = boundarySave;
  options.recompute = recompute;
  options.forwardOnly = forwardOnly;
  options.saveSymbols = saveSymbols;
  options.saveRandom = saveRandom;
  options.saveGatheredParams = saveGatheredParams;
  return options;
}

std::unique_ptr<Pass> titan::createApplySacPass(ApplySacPassOptions options,
                                                PassObserver *observer) {
  return std::make_unique<ApplySacPass>(std::move(options), observer);
}
