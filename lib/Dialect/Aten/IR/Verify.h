// The verifiers of shapes and dtypes that ODS records name by `rule`. Each
// takes any op whose arguments have the names it reads; the rules are in the
// files Verify<Family>.cpp.
#ifndef TITAN_LIB_DIALECT_ATEN_IR_VERIFY_H
#define TITAN_LIB_DIALECT_ATEN_IR_VERIFY_H

#include "titan/Interfaces/TypeRules.h"

namespace mlir::titan::aten {

/// \name VerifyPointwise.cpp
/// @{
LogicalResult verifySameType(Operation *op);
LogicalResult verifySameShape(Operation *op);
LogicalResult verifyUnaryFloat(Operation *op);
LogicalResult verifyPredicate(Operation *op);
LogicalResult verifyRealValued(Operation *op);
LogicalResult verifyBroadcast(Operation *op);
LogicalResult verifyBroadcastFloat(Operation *op);
LogicalResult verifyDivideMode(Operation *op);
LogicalResult verifyCompare(Operation *op);
LogicalResult verifyBitwise(Operation *op);
LogicalResult verifyWhere(Operation *op);
LogicalResult verifyMaskedFill(Operation *op);
LogicalResult verifyBroadcastToFirst(Operation *op);
LogicalResult verifyComplex(Operation *op);
LogicalResult verifyGlu(Operation *op);
LogicalResult verifyConvert(Operation *op);
LogicalResult verifyCopyFrom(Operation *op);
LogicalResult verifyTypeAs(Operation *op);
LogicalResult verifyInPlace(Operation *op);
/// @}

/// \name VerifyReduction.cpp
/// @{
LogicalResult verifySum(Operation *op);
LogicalResult verifyMean(Operation *op);
LogicalResult verifyFloatReduction(Operation *op);
LogicalResult verifyVectorNorm(Operation *op);
LogicalResult verifyVariance(Operation *op);
LogicalResult verifyExtremum(Operation *op);
LogicalResult verifyExtremumWithIndices(Operation *op);
LogicalResult verifyArgExtremum(Operation *op);
LogicalResult verifyAny(Operation *op);
LogicalResult verifyCount(Operation *op);
LogicalResult verifyRunningSum(Operation *op);
LogicalResult verifyRunningExtremum(Operation *op);
LogicalResult verifySoftmax(Operation *op);
LogicalResult verifySoftmaxBackward(Operation *op);
LogicalResult verifySort(Operation *op);
LogicalResult verifyArgSort(Operation *op);
LogicalResult verifyTopK(Operation *op);
LogicalResult verifySearch(Operation *op);
/// @}

/// \name VerifyMatmul.cpp
/// @{
LogicalResult verifyMm(Operation *op);
LogicalResult verifyBmm(Operation *op);
LogicalResult verifyAddmm(Operation *op);
LogicalResult verifyBaddbmm(Operation *op);
LogicalResult verifyScaledMm(Operation *op);
LogicalResult verifyGroupedMm(Operation *op);
LogicalResult verifyMv(Operation *op);
LogicalResult verifyDot(Operation *op);
LogicalResult verifyOuter(Operation *op);
LogicalResult verifyLinear(Operation *op);
LogicalResult verifyMatmul(Operation *op);
/// @}

/// \name VerifyView.cpp
/// @{
LogicalResult verifyView(Operation *op);
LogicalResult verifyPermute(Operation *op);
LogicalResult verifyTranspose(Operation *op);
LogicalResult verifyT(Operation *op);
LogicalResult verifyMovedim(Operation *op);
LogicalResult verifyExpand(Operation *op);
LogicalResult verifyUnsqueeze(Operation *op);
LogicalResult verifySqueeze(Operation *op);
LogicalResult verifyViewDtype(Operation *op);
LogicalResult verifyViewAsComplex(Operation *op);
LogicalResult verifyViewAsReal(Operation *op);
/// @}

/// \name VerifySlice.cpp
/// @{
LogicalResult verifySelect(Operation *op);
LogicalResult verifySlice(Operation *op);
LogicalResult verifyNarrow(Operation *op);
LogicalResult verifyDiagonal(Operation *op);
LogicalResult verifyUnfold(Operation *op);
LogicalResult verifyAsStrided(Operation *op);
LogicalResult verifySplit(Operation *op);
LogicalResult verifyChunk(Operation *op);
LogicalResult verifySplitWithSizes(Operation *op);
LogicalResult verifyUnbind(Operation *op);
LogicalResult verifyViewBackward(Operation *op);
LogicalResult verifySliceScatter(Operation *op);
LogicalResult verifySelectScatter(Operation *op);
/// @}

/// \name VerifyMovement.cpp
/// @{
LogicalResult verifyCat(Operation *op);
LogicalResult verifyStack(Operation *op);
LogicalResult verifyRepeat(Operation *op);
LogicalResult verifyDiagEmbed(Operation *op);
LogicalResult verifyEmbedding(Operation *op);
LogicalResult verifyEmbeddingBackward(Operation *op);
LogicalResult verifyIndexSelect(Operation *op);
LogicalResult verifyGather(Operation *op);
LogicalResult verifyScatter(Operation *op);
LogicalResult verifyIndexAdd(Operation *op);
LogicalResult verifyIndex(Operation *op);
LogicalResult verifyIndexPut(Operation *op);
LogicalResult verifyTake(Operation *op);
LogicalResult verifyOneHot(Operation *op);
/// @}

/// \name VerifyConvolution.cpp
/// @{
LogicalResult verifyConvolution(Operation *op);
LogicalResult verifyConvolutionBackward(Operation *op);
LogicalResult verifyPool(Operation *op);
LogicalResult verifyAdaptivePool(Operation *op);
LogicalResult verifyGradientOfSelf(Operation *op);
LogicalResult verifyPad(Operation *op);
LogicalResult verifyUpsample(Operation *op);
LogicalResult verifyUpsampleBackward(Operation *op);
LogicalResult verifyPixelShuffle(Operation *op);
/// @}

/// \name VerifyNorm.cpp
/// @{
LogicalResult verifyLayerNorm(Operation *op);
LogicalResult verifyNormBackward(Operation *op);
LogicalResult verifyGroupNorm(Operation *op);
LogicalResult verifyBatchNorm(Operation *op);
LogicalResult verifyLoss(Operation *op);
LogicalResult verifyLossBackward(Operation *op);
LogicalResult verifyNllLoss(Operation *op);
LogicalResult verifyNllLossBackward(Operation *op);
LogicalResult verifyAttention(Operation *op);
LogicalResult verifyAttentionBackward(Operation *op);
/// @}

/// \name VerifyCreation.cpp
/// @{
LogicalResult verifyCreation(Operation *op);
LogicalResult verifyNew(Operation *op);
LogicalResult verifyVector(Operation *op);
LogicalResult verifyArange(Operation *op);
LogicalResult verifyScalarTensor(Operation *op);
LogicalResult verifyEye(Operation *op);
LogicalResult verifyDropout(Operation *op);
LogicalResult verifySymbolicSize(Operation *op);
LogicalResult verifyItem(Operation *op);
/// @}

} // namespace mlir::titan::aten

#endif // TITAN_LIB_DIALECT_ATEN_IR_VERIFY_H
