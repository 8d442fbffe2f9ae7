// Joint functions from text, plans from names, and functions as short lines.
#ifndef TITAN_TEST_UNIT_PARTITION_PARTITIONTESTSUPPORT_H
#define TITAN_TEST_UNIT_PARTITION_PARTITIONTESTSUPPORT_H

#include "titan/Dialect/Titan/IR/Annotations.h"
#include "titan/Interfaces/OpNames.h"
#include "titan/Partition/Extract.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace mlir::titan::test {

using Names = std::vector<std::string>;

/// A module and the diagnostics that come while it is worked on.
class Graph {
public:
  explicit Graph(llvm::StringRef text);

  func::FuncOp joint() { return function("joint"); }
  func::FuncOp function(llvm::StringRef name) {
    return (*module).lookupSymbol<func::FuncOp>(name);
  }
  /// The value with a source name.
  Value value(llvm::StringRef name);
  /// The plan that saves, and runs in each function, what the names say.
  Plan plan(const Names &saved, const Names &forward, const Names &backward);

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  /// The text of each diagnostic, notes included.
  Names messages;

private:
  void collect(Diagnostic &diagnostic);
};

/// The arguments' names, each with `:role`.
Names arguments(func::FuncOp function);
/// The results' names, each with `:role`.
Names results(func::FuncOp function);
/// Each op as `name = op(operands)`, the return as `return(operands)`.
Names body(func::FuncOp function);

} // namespace mlir::titan::test

#endif // TITAN_TEST_UNIT_PARTITION_PARTITIONTESTSUPPORT_H
