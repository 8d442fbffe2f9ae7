#include "titan/Dialect/Registration.h"
#include "titan/Dialect/Aten/IR/AtenDialect.h"
#include "titan/Dialect/C10d/IR/C10dDialect.h"
#include "titan/Dialect/Prims/IR/PrimsDialect.h"
#include "titan/Dialect/Titan/IR/Titan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

void mlir::titan::registerTitanDialects(DialectRegistry &registry) {
  registry.insert<func::FuncDialect, TitanDialect, aten::AtenDialect,
                  prims::PrimsDialect, c10d::C10dDialect>();
  // What they are lowered to.
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect,
                  linalg::LinalgDialect, math::MathDialect, scf::SCFDialect,
                  tensor::TensorDialect>();
}
