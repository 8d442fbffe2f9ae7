#include "titan/Partition/Preparation.h"

#include "titan/Analysis/AliasRoots.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::titan;

static bool isImpure(Operation *op) {
  auto recompute = dyn_cast<RecomputeOpInterface>(op);
  if (!recompute)
    return !isMemoryEffectFree(op);
  OpFact facts = recompute.getFacts();
  return contains(facts, OpFact::Impure) || contains(facts, OpFact::Mutable) ||
         recompute.getWorkClass() == WorkClass::Effectful;
}

static bool isMutating(Operation *op) {
  auto recompute = dyn_cast<RecomputeOpInterface>(op);
  return recompute && contains(recompute.getFacts(), OpFact::Mutable);
}

void titan::eraseDeadOps(func::FuncOp function) {
  Block &block = function.getBody().front();
  Operation *op = block.getTerminator()->getPrevNode();
  while (op) {
    Operation *previous = op->getPrevNode();
    if (op->use_empty() && !isImpure(op))
      op->erase();
    op = previous;
  }
}

namespace {

/// What makes two ops equal. The attributes are only asked of ops that agree in
/// all else, which few do: `complete` fetches them.
struct MergeKey {
  Operation *op = nullptr;
  bool feedsGradients = false;
  bool isComplete = false;
  Attribute properties;
  /// The stream and memory pool that the op runs in (27.3).
  Attribute stream, pool, poolDevice;

  bool agreesWith(const MergeKey &other) const {
    return op->getName() == other.op->getName() &&
           feedsGradients == other.feedsGradients &&
           llvm::equal(op->getOperands(), other.op->getOperands());
  }

  bool hasAttributesOf(const MergeKey &other) const {
    return properties == other.properties && stream == other.stream &&
           pool == other.pool && poolDevice == other.poolDevice;
  }
};

/// An op that later equal ones may become.
struct Entry {
  MergeKey key;
  unsigned region;
};

class Merger {
public:
  Merger(func::FuncOp function, const CompatRules &rules)
      : block(function.getBody().front()), rules(rules), roots(block) {
    MLIRContext *context = function.getContext();
    custom = StringAttr::get(context, kCustomAttr);
    findGradientOps(function);
    for (Value result : block.getTerminator()->getOperands())
      if (isa<RankedTensorType>(result.getType()))
        outputRoots.insert(roots.getRoot(result));
  }

  std::vector<MergedValue> run() {
    unsigned region = 0;
    table.reserve(block.getOperations().size());
    for (Operation &op :
         llvm::make_early_inc_range(block.without_terminator())) {
      region += isMutating(&op);
      if (!mayNotMerge(&op, rules) && op.getNumResults() != 0 &&
          !sharesOutput(&op))
        visit(&op, region);
    }
    return std::move(merged);
  }

private:
  void findGradientOps(func::FuncOp function) {
    Operation *terminator = block.getTerminator();
    int64_t numForward =
        getNumForwardOutputs(cast<FunctionOpInterface>(function.getOperation()))
            .value_or(terminator->getNumOperands());
    SmallVector<Operation *> work;
    auto reach = [&](Value value) {
      Operation *op = value.getDefiningOp();
      if (op && gradientOps.insert(op).second)
        work.push_back(op);
    };
    for (auto [index, result] : llvm::enumerate(terminator->getOperands()))
      if (static_cast<int64_t>(index) >= numForward)
        reach(result);
    while (!work.empty())
      for (Value operand : work.pop_back_val()->getOperands())
        reach(operand);
  }

  bool sharesOutput(Operation *op) const {
    return rules.keepsOutputsApart &&
           llvm::any_of(op->getResults(), [&](Value result) {
             return isa<RankedTensorType>(result.getType()) &&
                    outputRoots.contains(roots.getRoot(result));
           });
  }

  void complete(MergeKey &key) const {
    if (key.isComplete)
      return;
    key.isComplete = true;
    key.properties = key.op->getPropertiesAsAttribute();
    for (NamedAttribute attribute : key.op->getDiscardableAttrs()) {
      auto table = dyn_cast<DictionaryAttr>(attribute.getValue());
      if (attribute.getName() != custom || !table)
        continue;
      key.stream = table.get("stream");
      key.pool = table.get("mempool");
      key.poolDevice = table.get("mempool_device");
    }
  }

  // Whether two keys want the same slot of the table: PyTorch's has one slot a
  // Python hash, Titan's one a key.
  bool shareSlot(const MergeKey &a, const MergeKey &b) {
    if (rules.hasHashCollisions)
      return hashKeys.get(a.properties) == hashKeys.get(b.properties);
    return a.hasAttributesOf(b);
  }

  size_t hash(MergeKey &key) {
    // Ops without operands differ by their attributes alone.
    if (key.op->getNumOperands() == 0)
      complete(key);
    Attribute slot =
        rules.hasHashCollisions ? hashKeys.get(key.properties) : key.properties;
    llvm::hash_code code =
        llvm::hash_combine(key.op->getName(), key.feedsGradients, slot,
                           llvm::hash_combine_range(key.op->operand_begin(),
                                                    key.op->operand_end()));
    // The map's own keys are at the top of the range.
    return static_cast<size_t>(code) >> 1;
  }

  void visit(Operation *op, unsigned region) {
    MergeKey key;
    key.op = op;
    key.feedsGradients = rules.keepsGradientsApart && gradientOps.contains(op);
    SmallVector<Entry, 1> &bucket = table[hash(key)];
    for (Entry &entry : bucket) {
      if (!entry.key.agreesWith(key))
        continue;
      complete(entry.key);
      complete(key);
      if (!shareSlot(entry.key, key))
        continue;
      if (!entry.key.hasAttributesOf(key))
        return;
      if (entry.region == region && canReplace(op, entry.key.op))
        replace(op, entry.key.op);
      else
        entry = {key, region};
      return;
    }
    bucket.push_back({key, region});
  }

  // An element whose type the source did not give takes any type.
  static bool canReplace(Operation *op, Operation *by) {
    if (op->getNumResults() != by->getNumResults())
      return false;
    return llvm::all_of(
        llvm::zip(op->getResults(), by->getResults()), [](auto pair) {
          auto [from, to] = pair;
          return from.use_empty() || from.getType() == to.getType() ||
                 isa<UnknownType>(to.getType());
        });
  }

  void note(StringRef name, StringRef by) {
    if (!name.empty() && !by.empty())
      merged.push_back({name.str(), by.str()});
  }

  void replace(Operation *op, Operation *by) {
    note(getTupleName(op), getTupleName(by));
    for (auto [from, to] : llvm::zip(op->getResults(), by->getResults())) {
      if (from.use_empty())
        continue;
      if (getSourceName(to).empty())
        adopt(cast<OpResult>(from), cast<OpResult>(to));
      else
        note(getSourceName(from), getSourceName(to));
      from.replaceAllUsesWith(to);
    }
    op->erase();
  }

  // Makes \p to, which nothing read, the element that \p from was.
  static void adopt(OpResult from, OpResult to) {
    to.setType(from.getType());
    for (StringRef name : {kNamesAttr, kLayoutsAttr}) {
      auto source = from.getOwner()->getAttrOfType<ArrayAttr>(name);
      auto target = to.getOwner()->getAttrOfType<ArrayAttr>(name);
      if (!source || !target || from.getResultNumber() >= source.size() ||
          to.getResultNumber() >= target.size())
        continue;
      SmallVector<Attribute> elements(target.begin(), target.end());
      elements[to.getResultNumber()] = source[from.getResultNumber()];
      to.getOwner()->setAttr(name, ArrayAttr::get(from.getContext(), elements));
    }
    setResultTag(to, getResultPolicy(from), getResultAcGraphId(from));
  }

  Block &block;
  const CompatRules &rules;
  AliasRoots roots;
  StringAttr custom;
  llvm::DenseSet<Operation *> gradientOps;
  llvm::DenseSet<Value> outputRoots;
  PythonHashKeys hashKeys;
  llvm::DenseMap<size_t, SmallVector<Entry, 1>> table;
  std::vector<MergedValue> merged;
};

} // namespace

std::vector<MergedValue> titan::mergeEqualOps(func::FuncOp function,
                                              const CompatRules &rules) {
  return Merger(function, rules).run();
}
