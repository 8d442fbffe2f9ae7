// What nearly every unit test includes, precompiled in a release build.
#ifndef TITAN_UNIT_PRECOMPILED_H
#define TITAN_UNIT_PRECOMPILED_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <catch2/catch.hpp>

#endif // TITAN_UNIT_PRECOMPILED_H
