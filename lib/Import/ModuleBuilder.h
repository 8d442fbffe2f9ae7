// A parsed graph as a module.
#ifndef TITAN_LIB_IMPORT_MODULEBUILDER_H
#define TITAN_LIB_IMPORT_MODULEBUILDER_H

#include "titan/Import/FxAst.h"
#include "titan/Import/Import.h"
#include "titan/Import/SourceText.h"

namespace mlir::titan {

/// Builds the module of \p graph with names, types, layouts, tags and phases;
/// null after a diagnostic.
OwningOpRef<ModuleOp> buildModule(const SourceText &source,
                                  const FxGraph &graph,
                                  const ImportOptions &options);

} // namespace mlir::titan

#endif // TITAN_LIB_IMPORT_MODULEBUILDER_H
