#include "GraphTables.h"

#include "titan/Dialect/Titan/IR/Annotations.h"
#include "titan/Interfaces/OpNames.h"

using namespace mlir;
using namespace mlir::titan;

GraphTables::GraphTables(const SourceText &source)
    : source(source), context(source.getContext()), calls(context),
      unknownType(UnknownType::get(context)),
      opaqueType(OpaqueType::get(context, "")),
      unknownLoc(UnknownLoc::get(context)), none(NoneAttr::get(context)) {
  auto get = [&](StringRef name) { return StringAttr::get(context, name); };
  names = get(kNamesAttr);
  tupleName = get(kTupleNameAttr);
  layouts = get(kLayoutsAttr);
  module = get(kModuleAttr);
  custom = get(kCustomAttr);
  recompute = get(kRecomputeAttr);
  acGraphId = get(kAcGraphIdAttr);
  phase = get(kPhaseAttr);
  resultRecompute = get(kResultRecomputeAttr);
  resultAcGraphId = get(kResultAcGraphIdAttr);
  keywords = get(kKeywordsAttr);
  getitems = get(kGetitemsAttr);
}

bool GraphTables::readAnnotation(const FxStatement &statement) {
  if (!statement.hasAnnotation())
    return false;
  auto [entry, isNew] = types.try_emplace(statement.annotation);
  if (isNew) {
    FxAnnotationError error;
    std::optional<FxAnnotation> annotation =
        parseAnnotation(context, statement.annotation, error);
    if (!annotation) {
      source.emitError(error.position)
          << error.message << " in the annotation '"
          << getExcerpt(statement.annotation) << "'";
      return true;
    }
    entry->second.annotation = std::move(*annotation);
  }
  StringRef where = entry->second.annotation.device;
  if (where.empty())
    return false;
  auto *known = llvm::find_if(
      devices, [&](const auto &counted) { return counted.first == where; });
  if (known == devices.end())
    devices.emplace_back(where, 1);
  else
    ++known->second;
  return false;
}

// True after an error. A tag that is left out silently would change the plan.
bool GraphTables::checkComment(StringRef text) {
  if (lastComment && text.data() == lastCommentText.data())
    return false;
  const FxComment &comment = getComment(text);
  if (comment.expected.empty() || !reported.insert(text).second)
    return false;
  const char *place = comment.unknown.begin();
  InFlightDiagnostic diagnostic =
      allowUnknown ? source.emitWarning(place) : source.emitError(place);
  diagnostic << "expected " << comment.expected << " in the comment, found '"
             << getExcerpt(comment.unknown) << "'";
  if (allowUnknown)
    diagnostic << "; it is left out";
  else
    diagnostic << "; '--allow-unknown' leaves it out";
  return !allowUnknown;
}

bool GraphTables::readFunction(const FxFunction &function) {
  for (const FxStatement &argument : function.arguments)
    if (readAnnotation(argument))
      return true;
  for (const FxStatement &statement : function.statements)
    if (readAnnotation(statement) || checkComment(statement.comment))
      return true;
  for (const std::unique_ptr<FxFunction> &child : function.children)
    if (readFunction(*child))
      return true;
  return false;
}

bool GraphTables::readAnnotations(const FxFunction &main) {
  if (readFunction(main))
    return true;
  size_t most = 0;
  for (auto [name, count] : devices)
    if (count > most) {
      most = count;
      device = name;
    }
  for (auto &[text, entry] : types) {
    entry.type = entry.annotation.type;
    if (!entry.type)
      entry.type = OpaqueType::get(context, text);
    entry.layout = getLayout(entry.annotation, device, context);
  }
  return false;
}

const FxComment &GraphTables::getComment(StringRef text) {
  // Comments are long, and each is asked for several times in a row.
  if (lastComment && text.data() == lastCommentText.data() &&
      text.size() == lastCommentText.size())
    return *lastComment;
  auto [entry, isNew] = comments.try_emplace(text);
  if (isNew)
    entry->second = parseComment(context, text);
  lastCommentText = text;
  lastComment = &entry->second;
  return *lastComment;
}

const CalleeEntry &GraphTables::getCallee(StringRef callee) {
  auto [entry, isNew] = callees.try_emplace(callee);
  if (!isNew)
    return entry->second;
  StringRef name = callee;
  if (name.consume_front("torch.ops."))
    entry->second.target = calls.lookup(normalizeOpName(name));
  entry->second.torchName = StringAttr::get(context, name);
  return entry->second;
}
