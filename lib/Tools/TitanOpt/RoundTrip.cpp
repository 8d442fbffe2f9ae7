#include "RoundTrip.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Tools/ParseUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::titan;

static std::string print(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream, OpPrintingFlags().enableDebugInfo());
  return text;
}

/// Parses \p text and compares what comes out with \p expected.
static LogicalResult compare(Operation *module, const std::string &text,
                             const std::string &expected, StringRef form,
                             bool useExplicitModule) {
  auto source = std::make_shared<llvm::SourceMgr>();
  source->AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(text, "<round trip>"), SMLoc());
  ParserConfig config(module->getContext(), /*verifyAfterParse=*/true);
  OwningOpRef<Operation *> parsed =
      parseSourceFileForTool(source, config, !useExplicitModule);
  if (!parsed)
    return emitError(module->getLoc())
           << "expected the printed " << form << " to parse";
  if (print(*parsed) != expected)
    return emitError(module->getLoc())
           << "expected the printed " << form << " to parse to the same module";
  return success();
}

LogicalResult mlir::titan::verifyRoundTrip(Operation *module,
                                           bool useExplicitModule) {
  std::string text = print(module);
  std::string bytecode;
  llvm::raw_string_ostream stream(bytecode);
  if (failed(writeBytecodeToFile(module, stream)))
    return emitError(module->getLoc()) << "cannot be written as bytecode";
  if (failed(compare(module, text, text, "text", useExplicitModule)))
    return failure();
  return compare(module, bytecode, text, "bytecode", useExplicitModule);
}
