// One function of a graph, from its parts to func.func.
#ifndef TITAN_LIB_IMPORT_FUNCTIONBUILDER_H
#define TITAN_LIB_IMPORT_FUNCTIONBUILDER_H

#include "GraphTables.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::titan {

/// Builds the body of one function. Methods that return a bool return true
/// after a diagnostic.
class FunctionBuilder {
public:
  /// \p symbols maps the classes inside of \p source to private functions.
  FunctionBuilder(GraphTables &tables, const FxFunction &source,
                  llvm::DenseMap<StringRef, FlatSymbolRefAttr> symbols)
      : tables(tables), source(source), symbols(std::move(symbols)),
        builder(tables.context) {}

  /// Makes the function \p name at the end of \p module, or null.
  func::FuncOp build(ModuleOp module, StringRef name);

  /// The ops whose comment marks them as backward.
  llvm::DenseSet<Operation *> backwardOps;

private:
  /// What a name stands for.
  struct Binding {
    Value value;
    /// A tuple: the op whose results are its elements.
    Operation *tuple = nullptr;
    FlatSymbolRefAttr symbol;
  };
  /// The elements of a tuple that are read: position and statement.
  using TupleReads = SmallVector<std::pair<unsigned, unsigned>, 4>;

  void addArguments();
  Value addConstant(StringRef name, const FxStatement *statement);
  const FxStatement *findLift(StringRef name);
  void collectTupleReads();
  const llvm::DenseSet<StringRef> &getArithmeticNames();
  bool isUsed(StringRef name);

  bool buildStatement(const FxStatement &statement);
  bool buildAlias(const FxStatement &statement);
  bool buildGetitem(const FxStatement &statement);
  bool buildCall(const FxStatement &statement);
  bool buildSymbol(const FxStatement &statement);
  bool buildTorchOp(const FxStatement &statement, StringAttr name,
                    ArrayRef<FxArgument> arguments);
  bool buildReturn();
  bool appendResult(const FxExpr &value, SmallVectorImpl<Value> &values);
  bool readSelf(StringRef name, const FxStatement *statement, Binding &binding);

  bool lookup(const FxExpr &name, Binding &binding);
  bool convert(const FxExpr &expr, CallArgument &argument, bool &fits);
  bool convert(const FxExpr &expr, Attribute &attribute,
               SmallVectorImpl<Value> &inputs);
  bool checkPython(const FxExpr &expr);

  struct Results {
    SmallVector<Type, 2> types;
    bool isTuple = false;
  };
  Results getResults(const FxStatement &statement, const CallTarget *target);
  ArrayAttr getReadOrder(const TupleReads &reads);
  void getExtra(const FxStatement &statement, const Results &results,
                SmallVectorImpl<NamedAttribute> &extra);
  void bindResults(const FxStatement &statement, const Results &results,
                   Operation *op);
  Location getLoc(const FxStatement &statement);
  InFlightDiagnostic emitError(const FxExpr &expr) {
    return tables.source.emitError(expr.text.begin());
  }

  GraphTables &tables;
  const FxFunction &source;
  llvm::DenseMap<StringRef, FlatSymbolRefAttr> symbols;
  OpBuilder builder;
  Block *entry = nullptr;
  func::FuncOp function;
  SmallVector<DictionaryAttr> argumentAttributes;
  llvm::DenseMap<StringRef, Binding> bindings;
  llvm::DenseMap<StringRef, TupleReads> tupleReads;
  llvm::DenseSet<StringRef> arithmeticNames;
  llvm::DenseSet<StringRef> usedNames;
  bool haveUses = false;
  llvm::DenseMap<StringRef, const FxStatement *> lifts;
  bool haveLifts = false;
  llvm::BumpPtrAllocator scratch;
};

} // namespace mlir::titan

#endif // TITAN_LIB_IMPORT_FUNCTIONBUILDER_H
