// The base of every op that mirrors a PyTorch overload. A record says the
// schema once, as a dag of parameters; the ODS arguments, the operand segments
// and the C++ schema table all follow from it:
//
//   def Aten_SumDimIntListOp : Aten_Op<"sum.dim_IntList",
//       (ins Tensor:$self, Default<Ints, "None">:$dim, Default<Bool, "False">:$keepdim,
//            KeywordOnly<Dtype, "None">:$dtype),
//       (outs Result:$result)> { let work = "Reduction"; }

#ifndef TITAN_INTERFACES_TORCHOPBASE_TD
#define TITAN_INTERFACES_TORCHOPBASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "titan/Interfaces/TorchOpInterfaces.td"

//===----------------------------------------------------------------------===//
// Values and literals
//===----------------------------------------------------------------------===//

// What a PyTorch value becomes. Which of them an op accepts where is the
// verifier's business: PyTorch puts symbolic numbers into tensor places.
def Titan_Value : Type<
  CPred<"::mlir::titan::isTorchValueType($_self)">,
  "tensor, symbolic number or opaque value">;

// A symbolic number: SymInt is index, SymFloat f64, SymBool i1.
def Titan_SymbolicNumber : Type<
  CPred<"::mlir::titan::isSymbolicNumberType($_self)">,
  "symbolic number (index, f64 or i1)">;

def Titan_NumberAttr : Attr<
  CPred<"::mlir::titan::isNumberAttr($_self)">,
  "number (i64, f64 or i1 attribute)"> {
  let storageType = "::mlir::Attribute";
  let returnType = "::mlir::Attribute";
  let convertFromStorage = "$_self";
}

// A result of an op, and the results of an op that returns a list.
defvar Result = Titan_Value;
defvar Results = Variadic<Titan_Value>;

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

// How one kind of parameter is stored: ODS constraints, the prefix of each one's
// name, and how many of them are operand groups of varying length. The meaning
// of each kind is in Schema.h. Which parameters may be absent is checked by the
// verifier from the default, so every attribute is optional to ODS.
class Parameter<string kindName, list<Constraint> odsConstraints,
                list<string> odsPrefixes, int numGroups, int numOperandFields> {
  string kind = kindName;
  list<Constraint> constraints = odsConstraints;
  list<string> prefixes = odsPrefixes;
  int variableGroups = numGroups;
  int operandFields = numOperandFields;
  string defaultText = "";
  bit keywordOnly = false;
  bit nullable = false;
  bit mutated = false;
}

def Tensor : Parameter<"Tensor",
  [Titan_Value], [""], 0, 1>;
def TensorOrScalar : Parameter<"TensorOrScalar",
  [Optional<Titan_Value>, OptionalAttr<Titan_NumberAttr>], ["", "static_"], 1, 1>;
def OptionalTensor : Parameter<"OptionalTensor",
  [Optional<Titan_Value>], [""], 1, 1>;
def Tensors : Parameter<"Tensors",
  [Variadic<Titan_Value>], [""], 1, 1>;
def OptionalTensors : Parameter<"OptionalTensors",
  [Variadic<Titan_Value>, OptionalAttr<DenseBoolArrayAttr>], ["", "static_"], 1, 1>;
def SymInt : Parameter<"SymInt",
  [Optional<Index>, OptionalAttr<I64Attr>], ["", "static_"], 1, 1>;
def SymInts : Parameter<"SymInts",
  [Variadic<Index>, OptionalAttr<DenseI64ArrayAttr>], ["", "static_"], 1, 1>;
def Scalar : Parameter<"Scalar",
  [Optional<Titan_SymbolicNumber>, OptionalAttr<Titan_NumberAttr>], ["", "static_"], 1, 1>;
def Int : Parameter<"Int",
  [OptionalAttr<I64Attr>], [""], 0, 0>;
def Ints : Parameter<"Ints",
  [OptionalAttr<DenseI64ArrayAttr>], [""], 0, 0>;
def Float : Parameter<"Float",
  [OptionalAttr<Titan_NumberAttr>], [""], 0, 0>;
def Floats : Parameter<"Floats",
  [OptionalAttr<DenseF64ArrayAttr>], [""], 0, 0>;
def Bool : Parameter<"Bool",
  [OptionalAttr<BoolAttr>], [""], 0, 0>;
def Bools : Parameter<"Bools",
  [OptionalAttr<DenseBoolArrayAttr>], [""], 0, 0>;
def Str : Parameter<"String",
  [OptionalAttr<StrAttr>], [""], 0, 0>;
def Scalars : Parameter<"Scalars",
  [OptionalAttr<TypedArrayAttrBase<Titan_NumberAttr, "array of numbers">>], [""], 0, 0>;
def Dtype : Parameter<"Dtype",
  [OptionalAttr<TypeAttr>], [""], 0, 0>;
def TensorLayout : Parameter<"Layout",
  [OptionalAttr<StrAttr>], [""], 0, 0>;
def Device : Parameter<"Device",
  [OptionalAttr<StrAttr>], [""], 0, 0>;
def MemoryFormat : Parameter<"MemoryFormat",
  [OptionalAttr<StrAttr>], [""], 0, 0>;
def Generator : Parameter<"Generator",
  [Optional<AnyType>], [""], 1, 1>;

class ParameterLike<Parameter p> : Parameter<p.kind, p.constraints, p.prefixes,
                                             p.variableGroups, p.operandFields> {
  let defaultText = p.defaultText;
  let keywordOnly = p.keywordOnly;
  let nullable = p.nullable;
  let mutated = p.mutated;
}

// A parameter with a default value, written as Python writes it.
class Default<Parameter p, string text> : ParameterLike<p> {
  let defaultText = text;
  let nullable = !or(p.nullable, !eq(text, "None"));
}

// A parameter after the schema's `*`.
class KeywordOnly<Parameter p, string text = ""> : Default<p, text> {
  let keywordOnly = true;
}

// A parameter without a default whose argument may be None: `int[]? dim`.
class Nullable<Parameter p> : ParameterLike<p> { let nullable = true; }

// A parameter that the op writes to: `Tensor(a!)`.
class Mutated<Parameter p> : ParameterLike<p> { let mutated = true; }

class VariableGroups<Parameter p> { int count = p.variableGroups; }

class CppParameter<string name, Parameter p> {
  // The last prefix is that of the attribute.
  string attribute = !foldl("", p.prefixes, acc, prefix, prefix) # name;
  string text = "{\"" # name # "\", \"" # attribute
    # "\", ::mlir::titan::ParameterKind::" # p.kind
    # ", \"" # p.defaultText # "\", " # !if(p.keywordOnly, "true", "false")
    # ", " # !if(p.nullable, "true", "false")
    # ", " # !if(p.mutated, "true", "false") # "}";
}

// What follows from a dag of parameters.
class ExpandSchema<dag params> {
  dag arguments = !foldl((ins), !range(!size(params)), acc, i,
    !con(acc, !dag(ins, !getdagarg<Parameter>(params, i).constraints,
                   !foreach(prefix, !getdagarg<Parameter>(params, i).prefixes,
                            prefix # !getdagname(params, i)))));
  int variableGroups = !foldl(0,
    !foreach(i, !range(!size(params)),
             VariableGroups<!getdagarg<Parameter>(params, i)>.count),
    acc, count, !add(acc, count));
  string table = !interleave(
    !foreach(i, !range(!size(params)),
             CppParameter<!getdagname(params, i),
                          !getdagarg<Parameter>(params, i)>.text), ",\n      ");
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

class Torch_Op<Dialect dialect, string mnemonic, dag params, dag outputs,
               list<Trait> traits = []>
    : Op<dialect, mnemonic,
         !listconcat(traits, [
             DeclareOpInterfaceMethods<TorchOpInterface>,
             DeclareOpInterfaceMethods<RecomputeOpInterface>,
             DeclareOpInterfaceMethods<CostOpInterface>,
             DeclareOpInterfaceMethods<AliasOpInterface>,
             DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>,
             DeclareOpInterfaceMethods<MemoryEffectsOpInterface>],
             !if(!gt(ExpandSchema<params>.variableGroups, 1),
                 [AttrSizedOperandSegments], []<Trait>))> {
  // The class of work, an enumerator of `WorkClass`.
  string work = "Unknown";
  // Enumerators of `OpFact`.
  list<string> facts = [];
  // An enumerator of `FlopFormula`.
  string flops = "Elements";
  // The operand whose storage every result shares; -1 for none, -2 where result
  // n shares operand n's.
  int aliasOperand = -1;
  // The function of lib/Dialect/<D>/IR that checks shapes and dtypes:
  // `LogicalResult verify<rule>(Operation *)`.
  string rule = "Unchecked";

  let arguments = ExpandSchema<params>.arguments;
  let results = outputs;
  // Ops are made from a schema (`CallBuilder`), never from C++ parameter lists.
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$types,
                                 "::mlir::ValueRange":$operands,
                                 "::llvm::ArrayRef<::mlir::NamedAttribute>":$attributes), [{
      $_state.addTypes(types);
      $_state.addOperands(operands);
      $_state.addAttributes(attributes);
    }]>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let cppNamespace = dialect.cppNamespace;

  let extraClassDeclaration = [{
    static constexpr ::mlir::titan::SchemaParameter kSchema[] = {
      }] # !if(!empty(ExpandSchema<params>.table), "{}", ExpandSchema<params>.table) # [{};
    static constexpr unsigned kSchemaSize = }] # !size(params) # [{;
  }];
  code commonDefinition = [{
    ::llvm::ArrayRef<::mlir::titan::SchemaParameter> $cppClass::getSchema() {
      return ::llvm::ArrayRef(kSchema).take_front(kSchemaSize);
    }
    std::pair<unsigned, unsigned> $cppClass::getOperandGroup(unsigned group) {
      return }] # !if(!foldl(false, !foreach(i, !range(!size(params)), !gt(!getdagarg<Parameter>(params, i).operandFields, 0)), acc, has, !or(acc, has)),
        "getODSOperandIndexAndLength(group)", "std::make_pair(0u, 0u * group)") # [{;
    }
    void $cppClass::getAsmResultNames(::mlir::OpAsmSetValueNameFn setName) {
      ::mlir::titan::setSourceResultNames(getOperation(), setName);
    }
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &parser,
                                         ::mlir::OperationState &result) {
      return ::mlir::titan::parseTorchOp(parser, result, getSchema());
    }
    void $cppClass::print(::mlir::OpAsmPrinter &printer) {
      ::mlir::titan::printTorchOp(printer, getOperation(), getSchema());
    }
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::MemoryEffects::EffectInstance> &effects) {
      ::mlir::titan::getTorchOpEffects(getOperation(), effects);
    }
  }];
  // The methods of interfaces that only some ops have.
  code furtherDefinition = "";
  let extraClassDefinition = commonDefinition # furtherDefinition # [{
    ::mlir::titan::WorkClass $cppClass::getWorkClass() {
      return ::mlir::titan::WorkClass::}] # work # [{;
    }
    ::mlir::titan::OpFact $cppClass::getFacts() {
      return ::mlir::titan::OpFact::None}]
        # !foldl("", facts, acc, fact, acc # " | ::mlir::titan::OpFact::" # fact) # [{;
    }
    ::mlir::titan::FlopFormula $cppClass::getFlopFormula() {
      return ::mlir::titan::FlopFormula::}] # flops # [{;
    }
    std::optional<unsigned> $cppClass::getAliasedOperand(unsigned result) {
      return ::mlir::titan::aliasedOperand(}] # aliasOperand # [{, result);
    }
    ::llvm::LogicalResult $cppClass::verify() {
      if (::mlir::failed(::mlir::titan::verifyTorchOp(getOperation(), getSchema())))
        return ::mlir::failure();
      return verify}] # rule # [{(getOperation());
    }
  }];
}

#endif // TITAN_INTERFACES_TORCHOPBASE_TD
