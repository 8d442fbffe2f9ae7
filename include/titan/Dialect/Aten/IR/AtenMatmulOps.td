#ifndef TITAN_DIALECT_ATEN_IR_ATENMATMULOPS_TD
#define TITAN_DIALECT_ATEN_IR_ATENMATMULOPS_TD

include "titan/Dialect/Aten/IR/AtenBase.td"

def Aten_MmOp : Aten_Op<"mm", (ins Tensor:$self, Tensor:$mat2), (outs Result:$result)> {
  let work = "ComputeHeavy";
  let facts = ["ComputeIntensive"];
  let flops = "Matmul";
}

#endif // TITAN_DIALECT_ATEN_IR_ATENMATMULOPS_TD
