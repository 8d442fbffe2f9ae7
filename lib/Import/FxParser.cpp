// A recursive descent over lines and expressions of FX text. Longer than most
// files, since each historical form is a branch of the same descent.
#include "titan/Import/FxParser.h"

#include "ExpressionParser.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

using namespace mlir;
using namespace mlir::titan;

// Of the statements that are left out, the rest is only counted.
static constexpr unsigned kMostWarnings = 20;

// Classes of higher-order ops in classes of higher-order ops.
static constexpr unsigned kDeepestClass = 64;

namespace {

/// Parses functions and their statements.
class FxParser : public ExpressionParser {
public:
  FxParser(const SourceText &source, StringRef text,
           llvm::BumpPtrAllocator &arena, bool allowUnknown)
      : ExpressionParser(source, text, arena), allowUnknown(allowUnknown) {}

  std::unique_ptr<FxFunction> parseMain();

private:
  std::unique_ptr<FxFunction> parseFunction(unsigned classDepth);
  bool parseClassHeader(FxFunction &function);
  bool parseSignature(FxFunction &function);
  bool parseBody(FxFunction &function);
  bool parseLine(FxFunction &function);
  bool parseStatement(FxFunction &function);
  bool parseUnpacking(FxFunction &function, StringRef first);
  bool parseTail(FxFunction &function);
  bool parseReturn(FxFunction &function);
  bool parseResults(FxFunction &function, StringRef close);
  bool parseChildren(FxFunction &function, unsigned column,
                     unsigned classDepth);
  bool parseAnnotation(StringRef &annotation);
  void addStatement(FxFunction &function, StringRef name, StringRef annotation,
                    const FxExpr *value);
  void skipBlank();
  void skipLine();
  bool isAtLineEnd() const {
    return token.is(FxToken::Kind::Newline) || token.is(FxToken::Kind::End) ||
           token.is(FxToken::Kind::Comment);
  }

  bool allowUnknown;
  bool hasReturned = false;
  /// Statements that could not be read, where that is allowed.
  unsigned numLeftOut = 0;
  StringRef comment;
};

} // namespace

void FxParser::skipBlank() {
  while (token.is(FxToken::Kind::Newline) || token.is(FxToken::Kind::Comment))
    advance();
}

void FxParser::skipLine() {
  lexer.leaveBrackets();
  while (!token.is(FxToken::Kind::Newline) && !token.is(FxToken::Kind::End)) {
    advance();
    lexer.leaveBrackets();
  }
}

// The current token is the ':' before the annotation.
bool FxParser::parseAnnotation(StringRef &annotation) {
  // What stands between quotes may hold any character.
  if (StringRef quoted = lexer.findString(); !quoted.empty()) {
    FxToken string = FxLexer(quoted).next();
    if (!string.is(FxToken::Kind::String)) {
      token = string;
      return fail("an annotation");
    }
    annotation = string.text;
    lexer.moveTo(string.text.end() + 1);
  } else {
    annotation = lexer.takeAnnotation();
    if (annotation.empty())
      return failAt(token.text.begin(), "expected an annotation after ':'");
  }
  advance();
  return false;
}

bool FxParser::parseClassHeader(FxFunction &function) {
  advance();
  if (token.is("<")) { // class <lambda>(torch.nn.Module):
    const char *start = token.text.begin();
    while (!token.is(">") && !isAtLineEnd())
      advance();
    function.className = StringRef(start, token.text.end() - start);
  } else if (token.is(FxToken::Kind::Name)) {
    function.className = token.text;
  } else {
    return fail("the name of a class");
  }
  advance();
  while (!token.is(":") && !isAtLineEnd())
    advance();
  if (!consume(":"))
    return fail("':' after the class");
  skipBlank();
  return false;
}

bool FxParser::parseSignature(FxFunction &function) {
  if (!token.isName("def"))
    return fail("'def forward('");
  advance();
  if (!token.is(FxToken::Kind::Name))
    return fail("the name of a function");
  advance();
  if (!consume("("))
    return fail("'('");
  while (!consume(")")) {
    // `*args` and the separators `*` and `/`.
    while (token.is("*") || token.is("**") || token.is("/"))
      advance();
    if (consume(","))
      continue;
    if (!token.is(FxToken::Kind::Name))
      return fail("an argument");
    FxStatement argument;
    argument.name = token.text;
    advance();
    if (token.is(":") && parseAnnotation(argument.annotation))
      return true;
    if (consume("=") && !parseExpression())
      return true;
    lexer.takeSkippedComment();
    if (!token.is(",") && !token.is(")"))
      return fail("',' or ')'");
    consume(",");
    if (argument.name == "self")
      continue;
    function.arguments.push_back(argument);
    function.descriptors.push_back(lexer.takeSkippedComment());
  }
  if (consume("->")) {
    while (!token.is(":") && !isAtLineEnd())
      advance();
  }
  if (!consume(":"))
    return fail("':' after the signature");
  return false;
}

static void addArgument(FxFunction &function, StringRef name,
                        StringRef annotation, StringRef descriptor = {}) {
  function.arguments.push_back({name, annotation, nullptr, {}});
  function.descriptors.push_back(descriptor);
}

void FxParser::addStatement(FxFunction &function, StringRef name,
                            StringRef annotation, const FxExpr *value) {
  if (value->kind == FxExpr::Kind::Call) {
    // Boxed arguments: `args_iter = iter(args_list)`, `x = next(args_iter)`.
    if (value->name == "iter") {
      function.arguments.clear();
      function.descriptors.clear();
      return;
    }
    if (value->name == "next") {
      addArgument(function, name, annotation);
      return;
    }
  }
  function.statements.push_back({name, annotation, value, comment});
}

// `a, b, = fx_pytree.tree_flatten_spec([primals, tangents], self._in_spec)` has
// all arguments, in order. Those with types were declared before, or have them
// here in the oldest text.
bool FxParser::parseUnpacking(FxFunction &function, StringRef first) {
  SmallVector<StringRef> names = {first};
  while (consume(",")) {
    if (!token.is(FxToken::Kind::Name))
      break;
    names.push_back(token.text);
    advance();
    StringRef annotation;
    if (!token.is(":"))
      continue;
    if (parseAnnotation(annotation))
      return true;
    addArgument(function, names.back(), annotation);
  }
  const char *position = token.text.begin();
  if (!consume("="))
    return fail("'='");
  const FxExpr *value = parseExpression();
  if (!value)
    return true;
  if (value->kind != FxExpr::Kind::Call ||
      !value->name.ends_with("tree_flatten_spec"))
    return failAt(position, "expected 'fx_pytree.tree_flatten_spec(...)' where "
                            "several names are assigned");
  llvm::DenseMap<StringRef, unsigned> declared;
  for (auto [index, argument] : llvm::enumerate(function.arguments))
    declared.try_emplace(argument.name, index);
  std::vector<FxStatement> arguments;
  std::vector<StringRef> descriptors;
  for (StringRef name : names) {
    auto known = declared.find(name);
    if (known == declared.end()) {
      arguments.push_back({name, {}, nullptr, {}});
      descriptors.emplace_back();
      continue;
    }
    arguments.push_back(function.arguments[known->second]);
    arguments.back().name = name;
    descriptors.push_back(function.descriptors[known->second]);
  }
  function.arguments = std::move(arguments);
  function.descriptors = std::move(descriptors);
  function.hasPytreeArguments = true;
  return false;
}

// `;  a = b = None`: the last uses, which follow from the uses. Python may also
// go on with the next statement.
bool FxParser::parseTail(FxFunction &function) {
  while (consume(";")) {
    while (!isAtLineEnd() && !token.is(";")) {
      if (!token.is(FxToken::Kind::Name))
        return fail("a name");
      StringRef name = token.text;
      if (name == "None") {
        advance();
        break;
      }
      advance();
      StringRef annotation;
      if (token.is(":")) {
        if (parseAnnotation(annotation))
          return true;
        if (!token.is("=")) {
          addArgument(function, name, annotation);
          continue;
        }
      }
      if (!consume("="))
        return fail("'='");
      bool mayGoOn = token.is(FxToken::Kind::Name) && annotation.empty();
      if (mayGoOn && !token.text.contains('.')) {
        if (token.text == "None" || lexer.isFollowedByAssignment())
          continue;
      }
      const FxExpr *value = parseExpression();
      if (!value)
        return true;
      addStatement(function, name, annotation, value);
    }
  }
  return false;
}

bool FxParser::parseStatement(FxFunction &function) {
  StringRef name = token.text;
  if (!token.is(FxToken::Kind::Name))
    return fail("a statement");
  advance();
  StringRef annotation;
  if (token.is(":") && parseAnnotation(annotation))
    return true;
  if (token.is(",")) {
    if (annotation.data())
      addArgument(function, name, annotation);
    return parseUnpacking(function, name);
  }
  if (consume("=")) {
    const FxExpr *value = parseExpression();
    if (!value)
      return true;
    addStatement(function, name, annotation, value);
  } else if (annotation.data()) {
    // An argument of a pytree, declared.
    addArgument(function, name, annotation,
                token.is(FxToken::Kind::Comment) ? token.text.trim()
                                                 : StringRef());
  } else if (name.ends_with(".clear") && token.is("(")) {
    skipLine(); // args_list.clear()
  } else {
    return fail("'=' or an annotation");
  }
  if (parseTail(function))
    return true;
  if (!isAtLineEnd())
    return fail("the end of the statement");
  return false;
}

bool FxParser::parseResults(FxFunction &function, StringRef close) {
  lexer.takeSkippedComment();
  while (!consume(close)) {
    const FxExpr *value = parseExpression();
    if (!value)
      return true;
    lexer.takeSkippedComment();
    bool comma = consume(",");
    function.results.push_back({value, lexer.takeSkippedComment()});
    if (!comma && !token.is(close))
      return fail(close == "]" ? "',' or ']'" : "',' or ')'");
  }
  return false;
}

bool FxParser::parseReturn(FxFunction &function) {
  hasReturned = true;
  advance();
  if (isAtLineEnd()) {
    function.returnForm = ReturnForm::Value;
    return false;
  }
  if (token.is("(") || token.is("[")) {
    bool isList = token.is("[");
    function.returnForm = isList ? ReturnForm::List : ReturnForm::Tuple;
    advance();
    return parseResults(function, isList ? "]" : ")");
  }
  if (token.is(FxToken::Kind::Name) && token.text.ends_with("tree_unflatten")) {
    function.returnForm = ReturnForm::Pytree;
    advance();
    if (!consume("(") || !(token.is("[") || token.is("(")))
      return fail("'(['");
    bool isList = token.is("[");
    advance();
    if (parseResults(function, isList ? "]" : ")"))
      return true;
    while (!token.is(")") && !token.is(FxToken::Kind::End))
      advance();
    if (!consume(")"))
      return fail("')'");
    return false;
  }
  const FxExpr *value = parseExpression();
  if (!value)
    return true;
  function.returnForm = ReturnForm::Value;
  function.results.push_back({value, {}});
  return false;
}

bool FxParser::parseLine(FxFunction &function) {
  if (token.is(FxToken::Kind::Name)) {
    if (token.text == "return")
      return parseReturn(function);
    if (token.text == "pass") {
      advance();
      return false;
    }
    if (token.text == "from" || token.text == "import") {
      skipLine();
      return false;
    }
  }
  return parseStatement(function);
}

bool FxParser::parseBody(FxFunction &function) {
  comment = {};
  hasReturned = false;
  bool isLineStart = true;
  while (!hasReturned && !token.is(FxToken::Kind::End)) {
    if (token.is(FxToken::Kind::Newline)) {
      isLineStart = true;
      advance();
      continue;
    }
    if (token.is(FxToken::Kind::Comment)) {
      if (isLineStart)
        comment = token.text;
      advance();
      continue;
    }
    if (isLineStart && (token.isName("class") || token.isName("def")))
      break;
    isLineStart = false;
    size_t numStatements = function.statements.size();
    size_t numArguments = function.arguments.size();
    size_t numDescriptors = function.descriptors.size();
    isLenient = allowUnknown && !token.isName("return");
    isSilent = isLenient && numLeftOut >= kMostWarnings;
    bool failed = parseLine(function);
    isSilent = false;
    if (failed && !isLenient)
      return true;
    isLenient = false;
    if (!failed)
      continue;
    ++numLeftOut;
    // Nothing of the line stays.
    function.statements.resize(numStatements);
    function.arguments.resize(
        std::min(numArguments, function.arguments.size()));
    function.descriptors.resize(
        std::min(numDescriptors, function.descriptors.size()));
    skipLine();
  }
  if (!hasReturned)
    return fail("'return'");
  return false;
}

bool FxParser::parseChildren(FxFunction &function, unsigned column,
                             unsigned classDepth) {
  skipBlank();
  while (token.isName("class") && lexer.getColumn(token) >= column) {
    std::unique_ptr<FxFunction> child = parseFunction(classDepth + 1);
    if (!child)
      return true;
    function.children.push_back(std::move(child));
    skipBlank();
  }
  return false;
}

std::unique_ptr<FxFunction> FxParser::parseFunction(unsigned classDepth) {
  if (classDepth > kDeepestClass) {
    failAt(token.text.begin(), "classes nested too deeply");
    return nullptr;
  }
  auto function = std::make_unique<FxFunction>();
  function->position = token.text.begin();
  if (token.isName("class") && parseClassHeader(*function))
    return nullptr;
  unsigned column = lexer.getColumn(token);
  if (parseSignature(*function) || parseBody(*function) ||
      parseChildren(*function, column, classDepth))
    return nullptr;
  return function;
}

std::unique_ptr<FxFunction> FxParser::parseMain() {
  skipBlank();
  std::unique_ptr<FxFunction> function = parseFunction(0);
  if (!function)
    return nullptr;
  if (numLeftOut)
    source.emitWarning(function->position)
        << numLeftOut << (numLeftOut == 1 ? " statement" : " statements")
        << " that could not be read " << (numLeftOut == 1 ? "was" : "were")
        << " left out";
  if (token.is(FxToken::Kind::End) || source.isFromLog())
    return function;
  if (!allowUnknown) {
    fail("the end of the graph");
    return nullptr;
  }
  source.emitWarning(token.text.begin())
      << "text after the graph is left out: '" << getExcerpt(token.text) << "'";
  return function;
}

// Where a line starts with `def NAME(`, blanks apart.
static size_t findFunction(StringRef text) {
  for (size_t def = text.find("def "); def != StringRef::npos;
       def = text.find("def ", def + 1)) {
    // From the word back, so that each character is looked at once.
    size_t before = text.find_last_not_of(" \t\v\f\r", def);
    if (before == StringRef::npos || text[before] == '\n')
      return def;
  }
  return StringRef::npos;
}

// Before the graph stand imports, headers of logs and the like. The class is
// not always the first thing on its line.
static size_t findStart(StringRef text) {
  size_t def = findFunction(text);
  if (def == StringRef::npos)
    return def;
  StringRef before = text.take_front(def);
  size_t start = before.rfind("class ");
  if (start == StringRef::npos)
    return def;
  // Only the class that the function stands in.
  StringRef between = before.drop_front(start);
  return between.count('\n') == 1 && between.rtrim().ends_with(":") ? start
                                                                    : def;
}

// The forms of a graph that carry no types.
static StringRef getRefusedForm(StringRef text) {
  if (text.contains("call_function[target=") ||
      text.contains(" : [num_users=") || text.starts_with("graph("))
    return "the text of a graph ('str(gm.graph)')";
  if (text.starts_with("opcode ") || text.contains("\nopcode "))
    return "a table of a graph ('print_tabular')";
  return {};
}

std::unique_ptr<FxGraph> titan::parseFx(const SourceText &source,
                                        bool allowUnknown) {
  StringRef text = source.getText();
  size_t start = findStart(text);
  if (start == StringRef::npos) {
    StringRef first = text.ltrim();
    if (StringRef form = getRefusedForm(first.take_front(1 << 16));
        !form.empty()) {
      source.emitError(first.begin())
          << "this is " << form << ", which has no types; "
          << kPrintReadableRemedy;
      return nullptr;
    }
    source.emitError(first.begin())
        << "expected a graph ('class ...' or 'def forward(...)'), found '"
        << getExcerpt(first) << "'";
    return nullptr;
  }
  auto graph = std::make_unique<FxGraph>();
  FxParser parser(source, text.drop_front(start), graph->arena, allowUnknown);
  graph->main = parser.parseMain();
  return graph->main ? std::move(graph) : nullptr;
}
