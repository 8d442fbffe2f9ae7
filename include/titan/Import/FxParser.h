// From the text that `print_readable` writes to its parts. Reads every form the
// text has had: with and without class, quotes, strides, descriptors.
#ifndef TITAN_IMPORT_FXPARSER_H
#define TITAN_IMPORT_FXPARSER_H

#include "titan/Import/FxAst.h"
#include "titan/Import/SourceText.h"

namespace mlir::titan {

/// What to do where a text carries no types.
inline constexpr llvm::StringLiteral kPrintReadableRemedy =
    "print it with 'gm.print_readable(print_output=False, "
    "include_stride=True, include_device=True)'";

/// Parses the graph in \p source; null after a diagnostic. With \p allowUnknown
/// a statement that cannot be read is a warning and left out.
std::unique_ptr<FxGraph> parseFx(const SourceText &source, bool allowUnknown);

} // namespace mlir::titan

#endif // TITAN_IMPORT_FXPARSER_H
