#include "titan/Import/Comment.h"

#include "titan/Dialect/Titan/IR/Annotations.h"
#include "titan/Import/Lexer.h"
#include "titan/Import/Literal.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::titan;

// The name of the location around a forward op's line that a backward op is
// the derivative of. With its space it is no function's name.
static constexpr llvm::StringLiteral kBackwardMark = "backward of";
static constexpr llvm::StringLiteral kBackwardText =
    "Backward of forward node:";
static constexpr llvm::StringLiteral kNoStackTrace =
    "No stacktrace found for following nodes";
static constexpr llvm::StringLiteral kModuleKey = "module_fqn";

static constexpr std::pair<llvm::StringLiteral, Policy> kPolicies[] = {
    {"MUST_SAVE", Policy::MustSave},
    {"PREFER_SAVE", Policy::PreferSave},
    {"MUST_RECOMPUTE", Policy::MustRecompute},
    {"PREFER_RECOMPUTE", Policy::PreferRecompute},
    {"MUST_CPU_OFFLOAD", Policy::MustCpuOffload},
    {"PREFER_CPU_OFFLOAD", Policy::PreferCpuOffload},
};

std::optional<Policy> titan::parsePolicyName(StringRef name) {
  for (auto [text, policy] : kPolicies)
    if (text == name)
      return policy;
  return std::nullopt;
}

StringRef titan::getPolicyName(Policy policy) {
  for (auto &[text, known] : kPolicies)
    if (known == policy)
      return text;
  return {};
}

static constexpr std::pair<llvm::StringLiteral, Phase> kPhases[] = {
    {"is_forward", Phase::Forward},
    {"is_backward", Phase::Backward},
    {"must_be_in_forward", Phase::MustBeInForward},
    {"must_be_in_backward", Phase::MustBeInBackward},
};

std::optional<Phase> titan::parsePhaseTag(StringRef tag) {
  for (auto [text, phase] : kPhases)
    if (text == tag)
      return phase;
  return std::nullopt;
}

StringRef titan::getPhaseTag(Phase phase) {
  for (auto &[text, known] : kPhases)
    if (known == phase)
      return text;
  return {};
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

static bool consumeInteger(StringRef &text, int64_t &value) {
  return !text.consumeInteger(10, value);
}

static StringRef consumeWord(StringRef &text) {
  StringRef word = text.take_while(
      [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
  text = text.drop_front(word.size());
  return word;
}

static void noteUnknown(FxComment &comment, StringRef text,
                        StringLiteral expected) {
  if (!comment.expected.empty())
    return;
  comment.unknown = text;
  comment.expected = expected;
}

static void readPolicy(FxComment &comment, StringRef name) {
  comment.policy = parsePolicyName(name);
  if (!comment.policy)
    noteUnknown(comment, name, "a policy such as MUST_SAVE");
}

// `{'module_fqn': 'layers.0', 'EP': 'compute'}`; `text` moves past it.
static void parseAnnotationDict(MLIRContext *context, StringRef &text,
                                FxComment &comment) {
  FxLexer lexer(text);
  lexer.next(); // {
  SmallVector<NamedAttribute> entries;
  FxToken token = lexer.next();
  while (!token.is("}")) {
    if (!token.is(FxToken::Kind::String) || !lexer.next().is(":")) {
      noteUnknown(comment, text, "a closed '{...}'");
      break;
    }
    std::string key = unescapePython(token.text);
    FxToken first = lexer.next();
    const char *start = first.text.begin();
    bool isString = first.is(FxToken::Kind::String);
    if (isString)
      --start;
    const char *end = start;
    unsigned depth = 0;
    for (token = first; depth || (!token.is(",") && !token.is("}"));
         token = lexer.next()) {
      if (token.is(FxToken::Kind::End) || token.is(FxToken::Kind::Invalid)) {
        noteUnknown(comment, text, "a closed '{...}'");
        text = {};
        return;
      }
      depth += token.is("[") || token.is("(") || token.is("{");
      depth -= depth && (token.is("]") || token.is(")") || token.is("}"));
      end = token.text.end() + token.is(FxToken::Kind::String);
    }
    StringRef value(start, end - start);
    if (key == kModuleKey && isString)
      comment.module = StringAttr::get(context, unescapePython(first.text));
    else if (!key.empty())
      entries.emplace_back(StringAttr::get(context, key),
                           getLiteralAttr(context, value));
    if (token.is(","))
      token = lexer.next();
  }
  if (!entries.empty()) {
    // A key given twice would not survive; the first one stays.
    llvm::sort(entries);
    entries.erase(llvm::unique(entries,
                               [](NamedAttribute a, NamedAttribute b) {
                                 return a.getName() == b.getName();
                               }),
                  entries.end());
    comment.custom = DictionaryAttr::getWithSorted(context, entries);
  }
  text = text.drop_front(token.text.end() - text.begin());
}

// `seq_nr: 5, partitioner_tag: is_forward # ...`
static void parseMeta(StringRef meta, FxComment &comment) {
  SmallVector<StringRef> entries;
  meta.split(entries, ',');
  for (StringRef entry : entries) {
    auto [key, value] = entry.split(':');
    key = key.trim();
    value = value.trim();
    if (key == "partitioner_tag") {
      comment.phase = parsePhaseTag(value);
      if (!comment.phase)
        noteUnknown(comment, value, "a tag such as is_forward");
    } else if (key == "autograd_backward")
      comment.isBackward |= value == "True";
    else if (key == "ac_graph_id") {
      int64_t id;
      if (!value.getAsInteger(10, id))
        comment.acGraphId = id;
    } else if (key == "recompute") {
      if (std::optional<Policy> policy =
              parsePolicyName(value.rsplit('.').second))
        comment.policy = policy;
    }
  }
}

// `path/model.py:12 in forward, code: x = f(y)`
static LocationAttr parseFile(MLIRContext *context, StringRef text,
                              bool isBackward) {
  StringRef place = text, code;
  bool hasCode = false;
  if (size_t mark = text.find(", code:"); mark != StringRef::npos) {
    place = text.take_front(mark);
    code = text.drop_front(mark + StringRef(", code:").size()).trim();
    hasCode = true;
  }
  StringRef function;
  if (size_t in = place.rfind(" in "); in != StringRef::npos) {
    function = place.drop_front(in + 4).trim();
    place = place.take_front(in);
  }
  auto [path, lineText] = place.trim().rsplit(':');
  unsigned line;
  if (lineText.getAsInteger(10, line))
    return {};
  Location location = FileLineColLoc::get(context, path, line, 0);
  // Most comments have "-" in the place of the code.
  if (!hasCode || code != "-")
    location = FusedLoc::get(context, {location},
                             hasCode ? Attribute(StringAttr::get(context, code))
                                     : UnitAttr::get(context));
  if (!function.empty())
    location = NameLoc::get(StringAttr::get(context, function), location);
  if (isBackward)
    location = NameLoc::get(StringAttr::get(context, kBackwardMark), location);
  return location;
}

FxComment titan::parseComment(MLIRContext *context, StringRef text) {
  FxComment comment;
  bool backwardOfForward = false;
  while (true) {
    text = text.ltrim(" #");
    if (text.consume_front("Annotation: ")) {
      if (text.starts_with("{"))
        parseAnnotationDict(context, text, comment);
      continue;
    }
    if (text.consume_front("ac_graph_id: ")) {
      int64_t id;
      if (consumeInteger(text, id))
        comment.acGraphId = id;
      if (text.consume_front(" - "))
        readPolicy(comment, consumeWord(text));
      continue;
    }
    if (text.consume_front("recompute: ")) {
      readPolicy(comment, consumeWord(text));
      continue;
    }
    if (text.consume_front(kBackwardText)) {
      comment.isBackward = backwardOfForward = true;
      continue;
    }
    if (text.consume_front("File: ")) {
      comment.location = parseFile(context, text, backwardOfForward);
      return comment;
    }
    if (text.empty() || text.starts_with(kNoStackTrace))
      return comment;
    // Meta data stands before the rest, which begins with another hash.
    size_t hash = text.find(" # ");
    parseMeta(text.take_front(hash), comment);
    if (hash == StringRef::npos)
      return comment;
    text = text.drop_front(hash);
  }
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static void appendLocation(std::string &text, Location location) {
  bool isBackward = false;
  if (auto name = dyn_cast<NameLoc>(location);
      name && name.getName() == kBackwardMark) {
    isBackward = true;
    location = name.getChildLoc();
  }
  StringRef function, code = "-";
  bool hasCode = true;
  if (auto name = dyn_cast<NameLoc>(location)) {
    function = name.getName();
    location = name.getChildLoc();
  }
  if (auto fused = dyn_cast<FusedLoc>(location);
      fused && fused.getLocations().size() == 1) {
    if (auto metadata = dyn_cast_or_null<StringAttr>(fused.getMetadata()))
      code = metadata;
    hasCode = !isa_and_present<UnitAttr>(fused.getMetadata());
    location = fused.getLocations().front();
  }
  // A line of the user's program has no column, unlike one of MLIR's own text.
  auto file = dyn_cast<FileLineColLoc>(location);
  if (!file || file.getColumn()) {
    text += kNoStackTrace;
    return;
  }
  if (isBackward)
    text += (kBackwardText + " ").str();
  text += "File: ";
  text += file.getFilename().getValue();
  text += ":" + std::to_string(file.getLine());
  if (!function.empty())
    text += (" in " + function).str();
  if (hasCode)
    text += (", code: " + code).str();
}

std::string titan::getCommentText(Operation *op, std::optional<Policy> policy,
                                  std::optional<int64_t> acGraphId) {
  std::string text;
  auto custom = op->getAttrOfType<DictionaryAttr>(kCustomAttr);
  StringRef module = getModulePath(op);
  if (custom || !module.empty()) {
    text += " Annotation: {";
    bool first = true;
    auto add = [&](StringRef key, const std::string &value) {
      text += first ? "" : ", ";
      text += quotePython(key) + ": " + value;
      first = false;
    };
    if (!module.empty())
      add(kModuleKey, quotePython(module));
    if (custom)
      for (NamedAttribute entry : custom)
        add(entry.getName(), getLiteralText(entry.getValue()));
    text += "}";
  }
  if (acGraphId)
    text += " ac_graph_id: " + std::to_string(*acGraphId);
  if (policy)
    text +=
        ((acGraphId ? " - " : " recompute: ") + getPolicyName(*policy)).str();
  text += " ";
  appendLocation(text, op->getLoc());
  return text;
}
