#ifndef TITAN_DIALECT_ATEN_IR_ATENCOMPARISONOPS_TD
#define TITAN_DIALECT_ATEN_IR_ATENCOMPARISONOPS_TD

include "titan/Dialect/Aten/IR/AtenBase.td"

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

let rule = "Compare" in {
def Aten_EqTensorOp : Aten_Binary<"eq.Tensor">;
def Aten_GeTensorOp : Aten_Binary<"ge.Tensor">;
def Aten_GtTensorOp : Aten_Binary<"gt.Tensor">;
def Aten_LeTensorOp : Aten_Binary<"le.Tensor">;
def Aten_LtTensorOp : Aten_Binary<"lt.Tensor">;
def Aten_NeTensorOp : Aten_Binary<"ne.Tensor">;
}

let rule = "Compare" in {
def Aten_EqScalarOp : Aten_TensorScalar<"eq.Scalar">;
def Aten_GeScalarOp : Aten_TensorScalar<"ge.Scalar">;
def Aten_GtScalarOp : Aten_TensorScalar<"gt.Scalar">;
def Aten_LeScalarOp : Aten_TensorScalar<"le.Scalar">;
def Aten_LtScalarOp : Aten_TensorScalar<"lt.Scalar">;
def Aten_NeScalarOp : Aten_TensorScalar<"ne.Scalar">;
}

def Aten_EqualOp : Aten_Op<"equal", (ins Tensor:$self, Tensor:$other)> {
  let work = "Reduction";
  let facts = ["Recomputable", "Pointwise"];
}

def Aten_IsinTensorTensorOp : Aten_Op<"isin.Tensor_Tensor",
    (ins Tensor:$elements, Tensor:$test_elements, KeywordOnly<Bool, "False">:$assume_unique,
         KeywordOnly<Bool, "False">:$invert)> {
  let work = "Movement";
  let flops = "None";
  let rule = "Predicate";
}

//===----------------------------------------------------------------------===//
// Logic and bits
//===----------------------------------------------------------------------===//

let rule = "Bitwise" in {
def Aten_BitwiseAndTensorOp : Aten_Binary<"bitwise_and.Tensor">;
def Aten_BitwiseLeftShiftTensorOp : Aten_Binary<"bitwise_left_shift.Tensor">;
def Aten_BitwiseOrTensorOp : Aten_Binary<"bitwise_or.Tensor">;
def Aten_BitwiseRightShiftTensorOp : Aten_Binary<"bitwise_right_shift.Tensor">;
def Aten_BitwiseXorTensorOp : Aten_Binary<"bitwise_xor.Tensor">;
}

let rule = "Bitwise" in {
def Aten_BitwiseAndScalarOp : Aten_TensorScalar<"bitwise_and.Scalar">;
def Aten_BitwiseOrScalarOp : Aten_TensorScalar<"bitwise_or.Scalar">;
def Aten_BitwiseXorScalarOp : Aten_TensorScalar<"bitwise_xor.Scalar">;
}

let rule = "Compare" in {
def Aten_LogicalAndOp : Aten_Binary<"logical_and">;
def Aten_LogicalOrOp : Aten_Binary<"logical_or">;
def Aten_LogicalXorOp : Aten_Binary<"logical_xor">;
}

def Aten_LshiftScalarOp : Aten_TensorScalar<"__lshift__.Scalar">;
def Aten_RshiftScalarOp : Aten_TensorScalar<"__rshift__.Scalar">;

#endif // TITAN_DIALECT_ATEN_IR_ATENCOMPARISONOPS_TD
