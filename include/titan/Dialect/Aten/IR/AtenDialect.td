#ifndef TITAN_DIALECT_ATEN_IR_ATENDIALECT_TD
#define TITAN_DIALECT_ATEN_IR_ATENDIALECT_TD

include "mlir/IR/OpBase.td"

def Aten_Dialect : Dialect {
  let name = "aten";
  let cppNamespace = "::mlir::titan::aten";
  let summary = "PyTorch's tensor operators, one op an overload";
  let description = [{
    An op is named after its overload with `.default` dropped (`aten.mm`,
    `aten.add.Tensor`); operands and attributes carry the schema's names. Value
    semantics: the few in-place ops that real graphs carry declare their effects.
  }];
  // One function a family of ops, each in a file of its own: a class costs half
  // a second to compile, and no file should see them all.
  let extraClassDeclaration = [{
    void registerActivationOps();
    void registerActivationBackwardOps();
    void registerArithmeticOps();
    void registerArrangeOps();
    void registerAttentionOps();
    void registerBinaryMathOps();
    void registerComparisonOps();
    void registerConvolutionOps();
    void registerCopyOps();
    void registerCreationOps();
    void registerInPlaceOps();
    void registerIndexOps();
    void registerLossOps();
    void registerMatmulOps();
    void registerNormOps();
    void registerRandomOps();
    void registerRecurrentOps();
    void registerReductionOps();
    void registerResampleOps();
    void registerScanOps();
    void registerScatterOps();
    void registerSelectOps();
    void registerSliceOps();
    void registerSortOps();
    void registerSymbolOps();
    void registerTranscendentalOps();
    void registerUnaryOps();
    void registerViewOps();
  }];
}

#endif // TITAN_DIALECT_ATEN_IR_ATENDIALECT_TD
