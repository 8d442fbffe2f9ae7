// What nearly every file of the compiler includes, precompiled once for a
// release build. A development build does without, so that every file includes
// what it needs.
#ifndef TITAN_LIB_PRECOMPILED_H
#define TITAN_LIB_PRECOMPILED_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#endif // TITAN_LIB_PRECOMPILED_H
