#include "titan/Import/Import.h"

#include "ModuleBuilder.h"

#include "titan/Dialect/Titan/IR/Titan.h"
#include "titan/Import/FxParser.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::titan;

static StringRef getBufferName(const llvm::SourceMgr &source) {
  return source.getMemoryBuffer(source.getMainFileID())->getBufferIdentifier();
}

OwningOpRef<ModuleOp> titan::importGraph(llvm::SourceMgr &source,
                                         MLIRContext *context,
                                         const ImportOptions &options) {
  context->loadDialect<func::FuncDialect, TitanDialect>();
  context->loadAllAvailableDialects();
  StringRef file = source.getMemoryBuffer(source.getMainFileID())->getBuffer();
  SourceText text(context, file, getBufferName(source));
  std::unique_ptr<FxGraph> graph = parseFx(text, options.allowUnknown);
  if (!graph)
    return {};
  return buildModule(text, *graph, options);
}

InputFormat titan::detectFormat(StringRef text) {
  if (isBytecode(llvm::MemoryBufferRef(text, "input")))
    return InputFormat::Bytecode;
  StringRef head = text.take_front(1 << 16);
  if (head.contains("def forward(") || head.contains("torch.nn.Module"))
    return InputFormat::FxText;
  for (StringRef line : llvm::split(head, "\n")) {
    line = line.trim();
    if (line.empty() || line.starts_with("//"))
      continue;
    bool isMlir = line.starts_with("module") || line.starts_with("func.") ||
                  line.starts_with("%") || line.starts_with("#") ||
                  line.starts_with("\"") || line.starts_with("!");
    return isMlir ? InputFormat::Mlir : InputFormat::FxText;
  }
  return InputFormat::FxText;
}
