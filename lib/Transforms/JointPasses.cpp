// The registry of joint passes and the order in which a choice of them runs.
// Names, order and texts are torchtitan's (experiments/compiler_toolkit).
#include "titan/Transforms/JointPasses.h"

#include "CompilerPasses.h"
#include "SaveSelectors.h"
#include "titan/Interfaces/DidYouMean.h"
#include "titan/Transforms/MemoryPolicy.h"
#include "titan/Transforms/Passes.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::titan;

static constexpr llvm::StringLiteral kDecomposition = "inductor_decomposition";
static constexpr llvm::StringLiteral kReshard = "fsdp_reshard_after_fwd";
static constexpr llvm::StringLiteral kValidate =
    "validate_flex_attn_annotation";
static constexpr llvm::StringLiteral kSac = "apply_sac";

static constexpr JointPassEntry kJointPasses[] = {
    {kDecomposition, "titan-inductor-decomposition"},
    {kReshard, "titan-fsdp-reshard-after-fwd"},
    {kValidate, "titan-validate-flex-attn-annotation"},
    {kSac, "titan-apply-sac"},
};

llvm::ArrayRef<JointPassEntry> titan::getJointPasses() { return kJointPasses; }

//===----------------------------------------------------------------------===//
// The user's list
//===----------------------------------------------------------------------===//

llvm::Expected<std::vector<std::string>> titan::splitPassList(StringRef text) {
  std::vector<std::string> items;
  if (text.empty())
    return items;
  size_t depth = 0, start = 0;
  for (auto [position, character] : llvm::enumerate(text)) {
    if (character == '{')
      ++depth;
    if (character == '}' && depth-- == 0)
      return llvm::createStringError("unexpected '}' in pass list '" + text +
                                     "'");
    if (character == ',' && depth == 0) {
      items.push_back(text.slice(start, position).str());
      start = position + 1;
    }
  }
  if (depth)
    return llvm::createStringError("expected '}' at the end of pass list '" +
                                   text + "'");
  items.push_back(text.substr(start).str());
  return items;
}

namespace {
/// One entry of the list: `name{options}`.
struct Request {
  StringRef name;
  StringRef options;
};
} // namespace

static llvm::Error unknownPass(StringRef name) {
  SmallVector<StringRef> names;
  for (const JointPassEntry &entry : kJointPasses)
    names.push_back(entry.name);
  return llvm::createStringError("Unknown joint pass: " + name +
                                 ". Available joint passes: " +
                                 formatNames(names) + didYouMean(name, names));
}

static llvm::Expected<Request> parseRequest(StringRef text) {
  auto [name, options] = text.split('{');
  if (!llvm::is_contained(llvm::map_range(kJointPasses,
                                          [](const JointPassEntry &entry) {
                                            return StringRef(entry.name);
                                          }),
                          name))
    return unknownPass(name);
  if (text.contains('{') && !options.consume_back("}"))
    return llvm::createStringError("expected '}' at the end of '" + text + "'");
  if (name == kReshard)
    return llvm::createStringError(
        "joint pass '" + name +
        "' needs a decision and always runs last; instead of listing it, use "
        "--fsdp-reshard-after-forward=always|never|default");
  return Request{name, options};
}

//===----------------------------------------------------------------------===//
// The pipeline
//===----------------------------------------------------------------------===//

namespace {
/// Makes the passes of one choice. All is checked while it is built.
class PipelineBuilder {
public:
  PipelineBuilder(OpPassManager &manager, MLIRContext *context,
                  const JointPassOptions &options, PassObserver *observer)
      : manager(manager), context(context), options(options),
        observer(observer) {}

  llvm::Error build();

private:
  llvm::Error resolve();
  llvm::Error addPasses();
  llvm::Error resolveRequests();
  llvm::Error resolveReshard();
  llvm::Error resolveSacOptions();
  llvm::Error add(const Request &request);
  llvm::Error addSac(StringRef text);
  llvm::Error add(std::unique_ptr<Pass> pass, StringRef name, StringRef text);

  OpPassManager &manager;
  MLIRContext *context;
  const JointPassOptions &options;
  PassObserver *observer;
  SmallVector<Request> requests;
  /// Whether gathered parameters are freed, if the user decides that.
  std::optional<bool> reshard;
  /// The options of apply_sac before those in braces.
  ApplySacPassOptions sacOptions;
};
} // namespace

llvm::Error PipelineBuilder::resolveRequests() {
  std::optional<Request> decomposition;
  for (StringRef text : options.jointPasses) {
    llvm::Expected<Request> request = parseRequest(text);
    if (!request)
      return request.takeError();
    // It replaces ops and with them their tags: nothing may have tagged before.
    if (request->name == kDecomposition)
      decomposition = *request;
    else
      requests.push_back(*request);
  }
  if (decomposition)
    requests.insert(requests.begin(), *decomposition);
  return llvm::Error::success();
}

llvm::Error PipelineBuilder::resolveReshard() {
  StringRef policy = options.reshardAfterForward;
  if (policy == "always")
    reshard = true;
  else if (policy == "never")
    reshard = false;
  else if (policy == "default")
    reshard = !options.hasPipeline;
  else if (!policy.empty())
    return llvm::createStringError(
        "Invalid fsdp_reshard_after_forward_policy: " + policy + ".");
  return llvm::Error::success();
}

llvm::Error PipelineBuilder::resolveSacOptions() {
  if (!options.memoryPolicy.empty()) {
    MemoryPolicyInputs inputs = {options.fullRecomputeSaveOps,
                                 reshard.value_or(!options.hasPipeline)};
    llvm::Expected<ApplySacPassOptions> policy =
        getMemoryPolicyOptions(options.memoryPolicy, inputs, context);
    if (!policy)
      return policy.takeError();
    sacOptions = *policy;
  } else if (!StringRef(options.fullRecomputeSaveOps).trim().empty()) {
    return llvm::createStringError("--compile.full_recompute_save_ops requires "
                                   "--compile.memory_policy full");
  }
  for (StringRef name : options.saveOps) {
    if (llvm::Error error = checkOpName(name, context))
      return error;
    sacOptions.saveOps.push_back(name.str());
  }
  return llvm::Error::success();
}

llvm::Error PipelineBuilder::add(std::unique_ptr<Pass> pass, StringRef name,
                                 StringRef text) {
  std::string messages;
  std::string argument = pass->getArgument().str();
  auto onError = [&](const Twine &message) {
    messages += (messages.empty() ? "" : "; ") + message.str();
    return failure();
  };
  if (failed(pass->initializeOptions(text, onError))) {
    // Of a wrong value the parser of options has told stderr itself.
    StringRef reason = StringRef(messages).trim();
    reason.consume_front("<Pass-Options-Parser>: ");
    return llvm::createStringError("joint pass '" + name +
                                   "' cannot read its options '" + text + "'" +
                                   (reason.empty() ? "" : ": ") + reason +
                                   "; see --" + argument + " in --help-mlir");
  }
  manager.addPass(std::move(pass));
  return llvm::Error::success();
}

llvm::Error PipelineBuilder::addSac(StringRef text) {
  OverrideEagerAcPassOptions overrideOptions;
  overrideOptions.mode = options.acMode;
  manager.addPass(createOverrideEagerAcPass(overrideOptions, observer));
  return add(createApplySacPass(sacOptions, observer), kSac, text);
}

llvm::Error PipelineBuilder::add(const Request &request) {
  if (request.name == kSac)
    return addSac(request.options);
  std::unique_ptr<Pass> pass = request.name == kDecomposition
                                   ? createInductorDecompositionPass(observer)
                                   : createValidateFlexAttnAnnotationPass();
  return add(std::move(pass), request.name, request.options);
}

llvm::Error PipelineBuilder::build() {
  if (llvm::Error error = resolve())
    return error;
  if (llvm::Error error = addPasses())
    return error;
  if (observer && !options.jointPasses.empty())
    observer->info(
        "Using joint passes from config: " +
        formatNames(llvm::to_vector_of<StringRef>(options.jointPasses)));
  return llvm::Error::success();
}

llvm::Error PipelineBuilder::resolve() {
  for (StringRef dialect : {"aten", "prims", "c10d"})
    context->getOrLoadDialect(dialect);
  if (llvm::Error error = resolveRequests())
    return error;
  bool hasDecomposition =
      !requests.empty() && requests.front().name == kDecomposition;
  if (llvm::Error error =
          checkCompilerPasses(options.compilerPasses, hasDecomposition))
    return error;
  if (llvm::Error error = resolveReshard())
    return error;
  return resolveSacOptions();
}

llvm::Error PipelineBuilder::addPasses() {
  for (const Request &request : requests)
    if (llvm::Error error = add(request))
      return error;
  if (options.memoryPolicy.empty()) {
    if (reshard)
      manager.addPass(createFsdpReshardAfterFwdPass({*reshard}));
    return llvm::Error::success();
  }
  bool isListed = llvm::any_of(
      requests, [](const Request &request) { return request.name == kSac; });
  return isListed ? llvm::Error::success() : addSac("");
}

llvm::Error titan::buildJointPassPipeline(OpPassManager &manager,
                                          MLIRContext *context,
                                          const JointPassOptions &options,
                                          PassObserver *observer) {
  return PipelineBuilder(manager, context, options, observer).build();
}

//===----------------------------------------------------------------------===//
// Job configuration
//===----------------------------------------------------------------------===//

template <typename T>
static void fill(T &value, const std::optional<T> &other) {
  if (value.empty() && other)
    value = *other;
}

void titan::applyJobConfig(JointPassOptions &options, const JobConfig &config) {
  fill(options.jointPasses, config.compile.jointPasses);
  fill(options.compilerPasses, config.compile.passes);
  fill(options.memoryPolicy, config.compile.memoryPolicy);
  fill(options.fullRecomputeSaveOps, config.compile.fullRecomputeSaveOps);
  fill(options.reshardAfterForward, config.parallelism.fsdpReshardAfterForward);
  fill(options.acMode, config.activationCheckpoint.mode);
  options.hasPipeline |=
      config.parallelism.pipelineParallelDegree.value_or(1) > 1;
}
