// Python's literals as attributes, and back.
#ifndef TITAN_IMPORT_LITERAL_H
#define TITAN_IMPORT_LITERAL_H

#include "titan/Import/FxAst.h"

#include "mlir/IR/BuiltinAttributes.h"
#include <string>

namespace mlir::titan {

/// The characters of a string literal, given without its quotes.
std::string unescapePython(StringRef text);

/// A string literal with quotes, as Python's `repr` writes it.
std::string quotePython(StringRef text);

/// A number as Python's `repr` writes it (`1e-05`, `inf`, `2.0`).
std::string getFloatText(double value);

/// The attribute of an integer, float, bool, None or string: i64, f64, i1,
/// `#titan.none`, string. What those cannot hold (an integer of more than 64
/// bits) and any other expression is `#titan.python`.
Attribute getLiteralAttr(MLIRContext *context, const FxExpr &expr);

/// The same for the text of an expression.
Attribute getLiteralAttr(MLIRContext *context, StringRef text);

/// The text of an attribute that stands for a literal: what getLiteralAttr
/// makes, arrays (lists), `#titan.tuple` and `#titan.dict`.
std::string getLiteralText(Attribute attribute);

} // namespace mlir::titan

#endif // TITAN_IMPORT_LITERAL_H
