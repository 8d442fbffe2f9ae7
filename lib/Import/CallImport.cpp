// Calls and symbolic arithmetic of a graph: the part of FunctionBuilder that
// reads expressions.
#include "CallForm.h"
#include "FunctionBuilder.h"

#include "titan/Import/Literal.h"
#include "titan/Interfaces/TorchOpInterfaces.h"

using namespace mlir;
using namespace mlir::titan;

// Whether no part of the expression is a value of the graph: only then can its
// text stand for it.
bool FunctionBuilder::checkPython(const FxExpr &expr) {
  if (expr.kind == FxExpr::Kind::Name && bindings.contains(expr.text)) {
    emitError(expr) << "cannot hold the value '" << expr.text
                    << "' inside of an expression";
    return true;
  }
  for (const FxArgument &argument : expr.arguments)
    if (checkPython(*argument.value))
      return true;
  return false;
}

bool FunctionBuilder::convert(const FxExpr &expr, CallArgument &argument,
                              bool &fits) {
  switch (expr.kind) {
  case FxExpr::Kind::None:
    return false;
  case FxExpr::Kind::List:
  case FxExpr::Kind::Tuple: {
    SmallVector<CallArgument> elements(expr.arguments.size());
    for (auto [element, converted] : llvm::zip(expr.arguments, elements))
      if (convert(*element.value, converted, fits))
        return true;
    argument = CallArgument(ArrayRef(elements).copy(scratch));
    return false;
  }
  case FxExpr::Kind::Name: {
    Binding binding;
    if (expr.text.starts_with("self.")) {
      if (readSelf(expr.text, nullptr, binding))
        return true;
    } else if (expr.text.contains('.')) {
      argument = CallArgument::python(expr.text);
      return false;
    } else if (lookup(expr, binding)) {
      return true;
    }
    if (binding.tuple) {
      auto results =
          llvm::map_to_vector(binding.tuple->getResults(), [](OpResult result) {
            return CallArgument(Value(result));
          });
      argument = CallArgument(ArrayRef(results).copy(scratch));
    } else if (binding.symbol) {
      fits = false;
    } else {
      argument = CallArgument(binding.value);
    }
    return false;
  }
  case FxExpr::Kind::Integer:
  case FxExpr::Kind::Float:
  case FxExpr::Kind::True:
  case FxExpr::Kind::False:
  case FxExpr::Kind::String:
    argument = CallArgument(getLiteralAttr(tables.context, expr));
    return false;
  case FxExpr::Kind::Dict:
    fits = false;
    return false;
  default:
    if (checkPython(expr))
      return true;
    argument = CallArgument::python(expr.text);
    return false;
  }
}

bool FunctionBuilder::convert(const FxExpr &expr, Attribute &attribute,
                              SmallVectorImpl<Value> &inputs) {
  MLIRContext *context = tables.context;
  auto addInput = [&](Value value) -> Attribute {
    inputs.push_back(value);
    return ArgumentAttr::get(context, inputs.size() - 1);
  };
  switch (expr.kind) {
  case FxExpr::Kind::List:
  case FxExpr::Kind::Tuple:
  case FxExpr::Kind::Dict: {
    SmallVector<Attribute> elements(expr.arguments.size());
    for (auto [element, converted] : llvm::zip(expr.arguments, elements))
      if (convert(*element.value, converted, inputs))
        return true;
    auto array = ArrayAttr::get(context, elements);
    attribute = array;
    if (expr.kind == FxExpr::Kind::Tuple)
      attribute = TupleAttr::get(context, array);
    else if (expr.kind == FxExpr::Kind::Dict)
      attribute = DictAttr::get(context, array);
    return false;
  }
  case FxExpr::Kind::Name: {
    Binding binding;
    if (expr.text.starts_with("self.")) {
      if (readSelf(expr.text, nullptr, binding))
        return true;
    } else if (expr.text.contains('.')) {
      attribute = PythonAttr::get(context, expr.text);
      return false;
    } else if (lookup(expr, binding)) {
      return true;
    }
    if (binding.tuple)
      attribute = ArrayAttr::get(
          context, llvm::map_to_vector(binding.tuple->getResults(),
                                       [&](OpResult result) -> Attribute {
                                         return addInput(result);
                                       }));
    else if (binding.symbol)
      attribute = binding.symbol;
    else
      attribute = addInput(binding.value);
    return false;
  }
  case FxExpr::Kind::Call:
  case FxExpr::Kind::Unary:
  case FxExpr::Kind::Binary:
  case FxExpr::Kind::Subscript:
    if (checkPython(expr))
      return true;
    [[fallthrough]];
  default:
    attribute = getLiteralAttr(context, expr);
    return false;
  }
}

bool FunctionBuilder::buildTorchOp(const FxStatement &statement,
                                   StringAttr name,
                                   ArrayRef<FxArgument> arguments) {
  SmallVector<Value> inputs;
  SmallVector<Attribute> args, kwargs;
  for (const FxArgument &argument : arguments) {
    Attribute attribute;
    if (convert(*argument.value, attribute, inputs))
      return true;
    if (argument.keyword.empty()) {
      args.push_back(attribute);
      continue;
    }
    kwargs.push_back(builder.getStringAttr(argument.keyword));
    kwargs.push_back(attribute);
  }
  Results results = getResults(statement, nullptr);
  OperationState state(getLoc(statement), TorchOp::getOperationName());
  state.addOperands(inputs);
  state.addTypes(results.types);
  state.addAttribute("name", name);
  state.addAttribute("args", builder.getArrayAttr(args));
  if (!kwargs.empty())
    state.addAttribute(
        "kwargs", DictAttr::get(tables.context, builder.getArrayAttr(kwargs)));
  SmallVector<NamedAttribute, 8> extra;
  getExtra(statement, results, extra);
  state.addAttributes(extra);
  bindResults(statement, results, builder.create(state));
  return false;
}

// An op that reads only symbols and whose text gives no type yields a symbol.
static void inferSymbol(Operation *op) {
  if (op->getNumResults() != 1 ||
      !isa<titan::UnknownType>(op->getResult(0).getType()))
    return;
  auto work = dyn_cast<RecomputeOpInterface>(op);
  if (work && work.getWorkClass() == WorkClass::Symbolic)
    op->getResult(0).setType(IndexType::get(op->getContext()));
}

// Whether the call is written as the writer would write it anyway. Most calls
// have positions only, and an argument in the last one.
static bool isUsualForm(ArrayRef<SchemaParameter> schema,
                        ArrayRef<NamedCallArgument> arguments) {
  if (arguments.empty())
    return true;
  if (arguments.back().keyword.empty() && !arguments.back().value.isNone())
    return true;
  SmallVector<bool, 16> present(schema.size());
  for (auto [position, argument] : llvm::enumerate(arguments)) {
    size_t index = position;
    if (!argument.keyword.empty())
      index = llvm::find_if(schema,
                            [&](const SchemaParameter &parameter) {
                              return parameter.name == argument.keyword;
                            }) -
              schema.begin();
    if (index < schema.size())
      present[index] = !argument.value.isNone();
  }
  SmallVector<StringRef, 16> usual;
  getUsualKeywords(
      schema, [&](unsigned index) { return present[index]; }, usual);
  return llvm::equal(usual, arguments,
                     [](StringRef keyword, const NamedCallArgument &argument) {
                       return keyword == argument.keyword;
                     });
}

bool FunctionBuilder::buildCall(const FxStatement &statement) {
  const FxExpr &call = *statement.value;
  StringRef callee = call.name;
  if (!callee.starts_with("torch.ops.")) {
    if (callee.starts_with("torch.sym_") || callee.starts_with("math.") ||
        callee.starts_with("torch._sym_"))
      return buildSymbol(statement);
    auto [root, method] = callee.split('.');
    if (bindings.contains(root) || method.empty() || root == "self") {
      emitError(call) << "expected a call of 'torch.ops', found '"
                      << getExcerpt(callee)
                      << "'; a graph from before AOTAutograd cannot be "
                         "imported, print the one after it";
      return true;
    }
  }
  const CalleeEntry target = tables.getCallee(callee);
  if (!target.target)
    return buildTorchOp(statement, target.torchName, call.arguments);
  scratch.Reset();
  SmallVector<NamedCallArgument, 8> arguments;
  bool fits = true;
  for (const FxArgument &argument : call.arguments) {
    arguments.push_back({argument.keyword, {}});
    if (convert(*argument.value, arguments.back().value, fits))
      return true;
  }
  Results results = getResults(statement, target.target);
  if (fits) {
    SmallVector<NamedAttribute, 8> extra;
    getExtra(statement, results, extra);
    if (!isUsualForm(target.target->schema, arguments))
      extra.emplace_back(tables.keywords,
                         builder.getStrArrayAttr(llvm::map_to_vector(
                             arguments, [](const auto &argument) {
                               return argument.keyword;
                             })));
    if (Operation *op =
            tables.calls.create(builder, getLoc(statement), *target.target,
                                arguments, results.types, extra)) {
      inferSymbol(op);
      bindResults(statement, results, op);
      return false;
    }
  }
  return buildTorchOp(statement, target.torchName, call.arguments);
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

// The names of values in an expression, in the order of the text.
static void collectOperands(const FxExpr &expr,
                            SmallVectorImpl<const FxExpr *> &operands) {
  if (expr.kind == FxExpr::Kind::Name)
    operands.push_back(&expr);
  for (const FxArgument &argument : expr.arguments)
    collectOperands(*argument.value, operands);
}

static Type inferSymbolType(const FxExpr &expr, ArrayRef<Value> inputs,
                            Builder &builder) {
  bool isRelation =
      expr.kind == FxExpr::Kind::Binary &&
      (expr.name == "<" || expr.name == "<=" || expr.name == ">" ||
       expr.name == ">=" || expr.name == "==" || expr.name == "!=" ||
       expr.name == "and" || expr.name == "or");
  if (isRelation || expr.name == "not" || expr.name == "torch.sym_not")
    return builder.getI1Type();
  bool isQuotient = expr.kind == FxExpr::Kind::Binary && expr.name == "/";
  if (isQuotient || expr.name == "torch.sym_float" ||
      expr.name.starts_with("torch._sym_"))
    return builder.getF64Type();
  if (expr.name == "torch.sym_int" || expr.name.starts_with("math."))
    return builder.getIndexType();
  return llvm::any_of(inputs,
                      [](Value value) { return value.getType().isF64(); })
             ? Type(builder.getF64Type())
             : Type(builder.getIndexType());
}

bool FunctionBuilder::buildSymbol(const FxStatement &statement) {
  const FxExpr &expr = *statement.value;
  SmallVector<const FxExpr *> names;
  collectOperands(expr, names);
  SmallVector<Value> inputs;
  std::string python;
  const char *position = expr.text.begin();
  for (const FxExpr *name : names) {
    Binding binding;
    if (lookup(*name, binding))
      return true;
    if (!binding.value || !isSymbolicNumberType(binding.value.getType())) {
      emitError(*name) << "expected a symbolic number in '"
                       << getExcerpt(expr.text) << "', found the value '"
                       << name->text << "'";
      return true;
    }
    python.append(position, name->text.begin());
    position = name->text.end();
    auto *known = llvm::find(inputs, binding.value);
    python += "@" + std::to_string(known - inputs.begin());
    if (known == inputs.end())
      inputs.push_back(binding.value);
  }
  python.append(position, expr.text.end());
  Results results;
  StringRef value;
  if (statement.hasAnnotation()) {
    const TypeEntry &known = tables.getType(statement);
    value = known.annotation.expression;
    results.types = {known.type};
  } else {
    results.types = {inferSymbolType(expr, inputs, builder)};
  }
  if (!isSymbolicNumberType(results.types.front())) {
    tables.source.emitError(statement.annotation.begin())
        << "expected 'Sym(...)' as the annotation of '" << getExcerpt(expr.text)
        << "'";
    return true;
  }
  OperationState state(getLoc(statement), SymOp::getOperationName());
  state.addOperands(inputs);
  state.addTypes(results.types);
  state.addAttribute("value", builder.getStringAttr(value));
  state.addAttribute("python", builder.getStringAttr(python));
  SmallVector<NamedAttribute, 8> extra;
  getExtra(statement, results, extra);
  // The op says the expression itself.
  llvm::erase_if(extra, [&](NamedAttribute attribute) {
    return attribute.getName() == tables.layouts;
  });
  state.addAttributes(extra);
  bindResults(statement, results, builder.create(state));
  return false;
}
