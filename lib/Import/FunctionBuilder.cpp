#include "FunctionBuilder.h"

#include "titan/Dialect/Titan/IR/Annotations.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace mlir::titan;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static DictionaryAttr getArgumentAttributes(MLIRContext *context,
                                            StringRef name, LayoutAttr layout,
                                            StringRef descriptor) {
  Builder builder(context);
  SmallVector<NamedAttribute, 4> attributes = {
      builder.getNamedAttr(kNameAttr, builder.getStringAttr(name))};
  if (layout)
    attributes.push_back(builder.getNamedAttr(kLayoutAttr, layout));
  if (!descriptor.empty())
    attributes.push_back(
        builder.getNamedAttr(kDescAttr, builder.getStringAttr(descriptor)));
  return builder.getDictionaryAttr(attributes);
}

void FunctionBuilder::addArguments() {
  // Arguments that are no tensors carry no annotation. Where none carries one
  // (boxed calls), nothing is known of them.
  bool anyTyped = llvm::any_of(
      source.arguments, [](const FxStatement &a) { return a.hasAnnotation(); });
  for (auto [argument, descriptor] :
       llvm::zip(source.arguments, source.descriptors)) {
    Type type = anyTyped ? tables.opaqueType : tables.unknownType;
    LayoutAttr layout;
    if (argument.hasAnnotation()) {
      const TypeEntry &known = tables.getType(argument);
      type = known.type;
      layout = known.layout;
    }
    Value value = entry->addArgument(type, builder.getUnknownLoc());
    argumentAttributes.push_back(getArgumentAttributes(
        tables.context, argument.name, layout, descriptor));
    bindings[argument.name].value = value;
  }
}

// The first op that reads \p name alone and has a type.
const FxStatement *FunctionBuilder::findLift(StringRef name) {
  if (!std::exchange(haveLifts, true))
    for (const FxStatement &statement : source.statements) {
      const FxExpr &call = *statement.value;
      if (call.kind == FxExpr::Kind::Call && statement.hasAnnotation() &&
          call.arguments.size() == 1 &&
          call.arguments.front().value->kind == FxExpr::Kind::Name)
        lifts.try_emplace(call.arguments.front().value->text, &statement);
    }
  return lifts.lookup(name);
}

// A tensor constant becomes a trailing argument. Older text gives it no type;
// the op that lifts it into the graph has the same one.
Value FunctionBuilder::addConstant(StringRef name,
                                   const FxStatement *statement) {
  Type type = tables.unknownType;
  LayoutAttr layout;
  auto use = [&](const FxStatement &typed) {
    type = tables.getType(typed).type;
    layout = tables.getType(typed).layout;
  };
  if (statement && statement->hasAnnotation())
    use(*statement);
  else if (const FxStatement *lift = findLift(name))
    use(*lift);
  Value value = entry->addArgument(type, builder.getUnknownLoc());
  Builder attributes(tables.context);
  NamedAttrList list(getArgumentAttributes(tables.context, name, layout, {}));
  list.set(kRoleAttr, RoleAttr::get(tables.context, Role::Constant));
  argumentAttributes.push_back(list.getDictionary(tables.context));
  return value;
}

// `self.NAME`: the body of a higher-order op, or a tensor constant.
bool FunctionBuilder::readSelf(StringRef name, const FxStatement *statement,
                               Binding &binding) {
  StringRef attribute = name.drop_front(StringRef("self.").size());
  if (auto symbol = symbols.find(attribute); symbol != symbols.end()) {
    binding.symbol = symbol->second;
    return false;
  }
  Binding &constant = bindings[name];
  if (!constant.value)
    constant.value =
        addConstant(statement ? statement->name : attribute, statement);
  binding = constant;
  return false;
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

void FunctionBuilder::collectTupleReads() {
  for (auto [index, statement] : llvm::enumerate(source.statements)) {
    const FxExpr &value = *statement.value;
    if (value.kind != FxExpr::Kind::Subscript)
      continue;
    const FxExpr &tuple = *value.arguments[0].value;
    unsigned element;
    if (tuple.kind == FxExpr::Kind::Name &&
        value.arguments[1].value->kind == FxExpr::Kind::Integer &&
        !value.arguments[1].value->text.getAsInteger(10, element))
      tupleReads[tuple.text].push_back({element, index});
  }
}

static void collectNames(const FxExpr &expr, bool inArithmetic,
                         llvm::DenseSet<StringRef> &used,
                         llvm::DenseSet<StringRef> &arithmetic) {
  if (expr.kind == FxExpr::Kind::Name) {
    used.insert(expr.text);
    if (inArithmetic)
      arithmetic.insert(expr.text);
    return;
  }
  bool isArithmetic = inArithmetic || expr.kind == FxExpr::Kind::Binary ||
                      expr.kind == FxExpr::Kind::Unary;
  for (const FxArgument &argument : expr.arguments)
    collectNames(*argument.value, isArithmetic, used, arithmetic);
}

const llvm::DenseSet<StringRef> &FunctionBuilder::getArithmeticNames() {
  if (!std::exchange(haveUses, true)) {
    for (const FxStatement &statement : source.statements)
      collectNames(*statement.value, false, usedNames, arithmeticNames);
    for (const FxResult &result : source.results)
      collectNames(*result.value, false, usedNames, arithmeticNames);
  }
  return arithmeticNames;
}

bool FunctionBuilder::isUsed(StringRef name) {
  getArithmeticNames();
  return usedNames.contains(name);
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

Location FunctionBuilder::getLoc(const FxStatement &statement) {
  const FxComment &comment = tables.getComment(statement.comment);
  return comment.location ? comment.location : tables.unknownLoc;
}

bool FunctionBuilder::buildStatement(const FxStatement &statement) {
  switch (statement.value->kind) {
  case FxExpr::Kind::Call:
    return buildCall(statement);
  case FxExpr::Kind::Subscript:
    return buildGetitem(statement);
  case FxExpr::Kind::Name:
    return buildAlias(statement);
  case FxExpr::Kind::Unary:
  case FxExpr::Kind::Binary:
    return buildSymbol(statement);
  default:
    emitError(*statement.value) << "expected a call, found '"
                                << getExcerpt(statement.value->text) << "'";
    return true;
  }
}

bool FunctionBuilder::buildAlias(const FxStatement &statement) {
  Binding binding;
  StringRef name = statement.value->text;
  if (name.starts_with("self.")) {
    if (readSelf(name, &statement, binding))
      return true;
  } else if (lookup(*statement.value, binding)) {
    return true;
  }
  bindings[statement.name] = binding;
  return false;
}

bool FunctionBuilder::buildGetitem(const FxStatement &statement) {
  const FxExpr &tuple = *statement.value->arguments[0].value;
  const FxExpr &index = *statement.value->arguments[1].value;
  Binding binding;
  if (tuple.kind == FxExpr::Kind::Name) {
    if (lookup(tuple, binding))
      return true;
    unsigned element;
    if (binding.tuple && !index.text.getAsInteger(10, element) &&
        element < binding.tuple->getNumResults()) {
      bindings[statement.name].value = binding.tuple->getResult(element);
      return false;
    }
  }
  if (binding.tuple || tuple.kind != FxExpr::Kind::Name) {
    emitError(*statement.value) << "expected an element of a tuple, found '"
                                << getExcerpt(statement.value->text) << "'";
    return true;
  }
  // An element of something that is no tuple of the graph's own.
  return buildTorchOp(statement,
                      StringAttr::get(tables.context, "operator.getitem"),
                      statement.value->arguments);
}

bool FunctionBuilder::lookup(const FxExpr &name, Binding &binding) {
  auto known = bindings.find(name.text);
  if (known == bindings.end()) {
    emitError(name) << "use of '" << name.text
                    << "', which nothing before defines";
    return true;
  }
  binding = known->second;
  return false;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

FunctionBuilder::Results
FunctionBuilder::getResults(const FxStatement &statement,
                            const CallTarget *target) {
  if (statement.hasAnnotation())
    return {{tables.getType(statement).type}, false};
  auto reads = tupleReads.find(statement.name);
  unsigned count = 0;
  if (reads != tupleReads.end())
    for (auto [element, index] : reads->second)
      count = std::max(count, element + 1);
  if (target && target->numResults)
    count = std::max(count, *target->numResults);
  bool isTuple = reads != tupleReads.end() || count != 1;
  // Older text gives no type to symbols.
  if (reads == tupleReads.end() && count < 2 &&
      getArithmeticNames().contains(statement.name))
    return {{IndexType::get(tables.context)}, false};
  // An op of the user's that nothing is known of, and whose value is used.
  if (count == 0 && isUsed(statement.name) && !(target && target->numResults))
    return {{tables.opaqueType}, false};
  if (count == 1 && !isTuple)
    return {{tables.unknownType}, false};
  Results results{SmallVector<Type, 2>(count, tables.unknownType), isTuple};
  if (reads != tupleReads.end())
    for (auto [element, index] : reads->second)
      if (source.statements[index].hasAnnotation())
        results.types[element] = tables.getType(source.statements[index]).type;
  return results;
}

// The order of the reads of a tuple's elements, null where it is that of the
// results and each is read once.
ArrayAttr FunctionBuilder::getReadOrder(const TupleReads &reads) {
  bool isOrdered = true;
  for (size_t i = 1; i < reads.size(); ++i)
    isOrdered &= reads[i - 1].first < reads[i].first;
  if (isOrdered)
    return {};
  SmallVector<Attribute> order;
  llvm::SmallDenseSet<unsigned> seen;
  for (auto [element, index] : reads) {
    order.push_back(builder.getI64IntegerAttr(element));
    if (!seen.insert(element).second)
      order.back() = builder.getArrayAttr(
          {order.back(), builder.getStringAttr(source.statements[index].name)});
  }
  return builder.getArrayAttr(order);
}

void FunctionBuilder::getExtra(const FxStatement &statement,
                               const Results &results,
                               SmallVectorImpl<NamedAttribute> &extra) {
  MLIRContext *context = tables.context;
  unsigned count = results.types.size();
  SmallVector<Attribute, 4> names(count, StringAttr::get(context, ""));
  SmallVector<Attribute, 4> layouts(count, tables.none);
  SmallVector<Attribute, 4> policies(count, tables.none);
  SmallVector<Attribute, 4> ids(count, tables.none);
  bool anyLayout = false, anyPolicy = false, anyId = false;
  auto id = IntegerType::get(context, 64);
  auto set = [&](unsigned element, const FxStatement &value) {
    // Of several reads of an element, the first one names it.
    if (!cast<StringAttr>(names[element]).empty())
      return;
    names[element] = StringAttr::get(context, value.name);
    if (!value.hasAnnotation())
      return;
    if (LayoutAttr layout = tables.getType(value).layout) {
      layouts[element] = layout;
      anyLayout = true;
    }
  };
  if (!results.isTuple) {
    set(0, statement);
  } else {
    extra.emplace_back(tables.tupleName,
                       StringAttr::get(context, statement.name));
    auto reads = tupleReads.find(statement.name);
    if (reads != tupleReads.end()) {
      if (ArrayAttr order = getReadOrder(reads->second))
        extra.emplace_back(tables.getitems, order);
      for (auto [element, index] : reads->second) {
        const FxStatement &getitem = source.statements[index];
        set(element, getitem);
        const FxComment &comment = tables.getComment(getitem.comment);
        if (comment.policy) {
          policies[element] = PolicyAttr::get(context, *comment.policy);
          anyPolicy = true;
        }
        if (comment.acGraphId) {
          ids[element] = IntegerAttr::get(id, *comment.acGraphId);
          anyId = true;
        }
      }
    }
  }
  auto array = [&](ArrayRef<Attribute> elements) {
    return ArrayAttr::get(context, elements);
  };
  if (count)
    extra.emplace_back(tables.names, array(names));
  if (anyLayout)
    extra.emplace_back(tables.layouts, array(layouts));
  if (anyPolicy)
    extra.emplace_back(tables.resultRecompute, array(policies));
  if (anyId)
    extra.emplace_back(tables.resultAcGraphId, array(ids));
  const FxComment &comment = tables.getComment(statement.comment);
  if (comment.module)
    extra.emplace_back(tables.module, comment.module);
  if (comment.custom)
    extra.emplace_back(tables.custom, comment.custom);
  if (comment.policy && count)
    extra.emplace_back(tables.recompute,
                       PolicyAttr::get(context, *comment.policy));
  if (comment.acGraphId)
    extra.emplace_back(tables.acGraphId,
                       IntegerAttr::get(id, *comment.acGraphId));
  if (comment.phase)
    extra.emplace_back(tables.phase, PhaseAttr::get(context, *comment.phase));
}

void FunctionBuilder::bindResults(const FxStatement &statement,
                                  const Results &results, Operation *op) {
  Binding &binding = bindings[statement.name];
  binding = {};
  if (results.isTuple)
    binding.tuple = op;
  else
    binding.value = op->getResult(0);
  if (tables.getComment(statement.comment).isBackward)
    backwardOps.insert(op);
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

bool FunctionBuilder::appendResult(const FxExpr &value,
                                   SmallVectorImpl<Value> &values) {
  switch (value.kind) {
  case FxExpr::Kind::None:
    values.push_back({});
    return false;
  case FxExpr::Kind::List:
  case FxExpr::Kind::Tuple:
    for (const FxArgument &element : value.arguments)
      if (appendResult(*element.value, values))
        return true;
    return false;
  case FxExpr::Kind::Name: {
    Binding binding;
    if (value.text.starts_with("self.") ? readSelf(value.text, nullptr, binding)
                                        : lookup(value, binding))
      return true;
    if (binding.symbol)
      break;
    if (binding.tuple)
      llvm::append_range(values, binding.tuple->getResults());
    else
      values.push_back(binding.value);
    return false;
  }
  case FxExpr::Kind::Integer:
  case FxExpr::Kind::Float:
  case FxExpr::Kind::True:
  case FxExpr::Kind::False: {
    Type type = IndexType::get(tables.context);
    if (value.kind == FxExpr::Kind::Float)
      type = builder.getF64Type();
    else if (value.kind != FxExpr::Kind::Integer)
      type = builder.getI1Type();
    values.push_back(SymOp::create(builder, builder.getUnknownLoc(), type,
                                   value.text, value.text, ValueRange()));
    return false;
  }
  default:
    break;
  }
  emitError(value) << "expected a value of the graph as a result, found '"
                   << getExcerpt(value.text) << "'";
  return true;
}

bool FunctionBuilder::buildReturn() {
  SmallVector<Value> positions;
  SmallVector<StringRef> descriptors;
  for (const FxResult &result : source.results) {
    if (appendResult(*result.value, positions))
      return true;
    descriptors.resize(positions.size(), result.descriptor);
  }
  SmallVector<Value> values;
  SmallVector<int64_t> present;
  SmallVector<DictionaryAttr> attributes;
  for (auto [position, value] : llvm::enumerate(positions)) {
    if (!value)
      continue;
    values.push_back(value);
    present.push_back(position);
    NamedAttrList list;
    if (!descriptors[position].empty())
      list.set(kDescAttr, builder.getStringAttr(descriptors[position]));
    attributes.push_back(list.getDictionary(tables.context));
  }
  func::ReturnOp::create(builder, builder.getUnknownLoc(), values);
  function.setFunctionType(builder.getFunctionType(
      entry->getArgumentTypes(), ValueRange(values).getTypes()));
  function.setAllArgAttrs(argumentAttributes);
  function.setAllResultAttrs(attributes);
  function->setAttr(kResultPositionsAttr,
                    builder.getDenseI64ArrayAttr(present));
  if (!positions.empty() && !positions.back())
    function->setAttr(kNumPositionsAttr,
                      builder.getI64IntegerAttr(positions.size()));
  return false;
}

func::FuncOp FunctionBuilder::build(ModuleOp module, StringRef name) {
  builder.setInsertionPointToEnd(module.getBody());
  function = func::FuncOp::create(builder, builder.getUnknownLoc(), name,
                                  builder.getFunctionType({}, {}));
  entry = new Block();
  function.getBody().push_back(entry);
  builder.setInsertionPointToEnd(entry);
  bindings.reserve(source.arguments.size() + source.statements.size());
  addArguments();
  collectTupleReads();
  for (const FxStatement &statement : source.statements)
    if (buildStatement(statement))
      return nullptr;
  if (buildReturn())
    return nullptr;
  return function;
}
