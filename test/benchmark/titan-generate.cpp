// Writes the joint graph of a synthetic decoder to standard output, as PyTorch
// prints it. `titan-generate --layers=1000 --experts=26` has a million ops;
// `titan-opt --emit=bytecode` turns it into MLIR bytecode.
#include "SyntheticGraph.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::titan;

int main(int argc, char **argv) {
  SyntheticShape shape;
  llvm::cl::opt<int64_t, true> layers("layers",
                                      llvm::cl::location(shape.layers),
                                      llvm::cl::desc("Number of layers"));
  llvm::cl::opt<int64_t, true> experts(
      "experts", llvm::cl::location(shape.experts),
      llvm::cl::desc("Feed-forward networks in a layer"));
  llvm::cl::ParseCommandLineOptions(argc, argv, "synthetic training graphs\n");
  llvm::outs() << makeSyntheticGraph(shape);
  return 0;
}
