#include "titan/Dialect/Aten/IR/AtenDialect.h"

using namespace mlir;
using namespace mlir::titan::aten;

#include "titan/Dialect/Aten/IR/AtenDialect.cpp.inc"

void AtenDialect::initialize() {
  registerActivationOps();
  registerActivationBackwardOps();
  registerArithmeticOps();
  registerArrangeOps();
  registerAttentionOps();
  registerBinaryMathOps();
  registerComparisonOps();
  registerConvolutionOps();
  registerCopyOps();
  registerCreationOps();
  registerInPlaceOps();
  registerIndexOps();
  registerLossOps();
  registerMatmulOps();
  registerNormOps();
  registerRandomOps();
  registerRecurrentOps();
  registerReductionOps();
  registerResampleOps();
  registerScanOps();
  registerScatterOps();
  registerSelectOps();
  registerSliceOps();
  registerSortOps();
  registerSymbolOps();
  registerTranscendentalOps();
  registerUnaryOps();
  registerViewOps();
}
