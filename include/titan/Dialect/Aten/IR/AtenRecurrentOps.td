#ifndef TITAN_DIALECT_ATEN_IR_ATENRECURRENTOPS_TD
#define TITAN_DIALECT_ATEN_IR_ATENRECURRENTOPS_TD

include "titan/Dialect/Aten/IR/AtenBase.td"

def Aten_ThnnFusedLstmCellOp : Aten_Op<"_thnn_fused_lstm_cell",
    (ins Tensor:$input_gates, Tensor:$hidden_gates, Tensor:$cx,
         Default<OptionalTensor, "None">:$input_bias, Default<OptionalTensor, "None">:$hidden_bias),
    (outs Result:$hy, Result:$cy_out, Result:$workspace)> { let work = "Pointwise"; }

def Aten_ThnnFusedLstmCellBackwardImplOp : Aten_Op<"_thnn_fused_lstm_cell_backward_impl",
    (ins OptionalTensor:$grad_hy, OptionalTensor:$grad_cy, Tensor:$cx, Tensor:$cy,
         Tensor:$workspace, Bool:$has_bias),
    (outs Result:$grad_gates, Result:$grad_cx, Result:$grad_bias)> { let work = "Pointwise"; }

def Aten_GruCellOp : Aten_Op<"gru_cell",
    (ins Tensor:$input, Tensor:$hx, Tensor:$w_ih, Tensor:$w_hh,
         Default<OptionalTensor, "None">:$b_ih, Default<OptionalTensor, "None">:$b_hh)> {
  let work = "ComputeHeavy";
  let flops = "Unknown";
}

def Aten_LstmCellOp : Aten_Op<"lstm_cell",
    (ins Tensor:$input, Tensors:$hx, Tensor:$w_ih, Tensor:$w_hh,
         Default<OptionalTensor, "None">:$b_ih, Default<OptionalTensor, "None">:$b_hh),
    (outs Result:$hy, Result:$cy)> { let work = "ComputeHeavy"; let flops = "Unknown"; }

#endif // TITAN_DIALECT_ATEN_IR_ATENRECURRENTOPS_TD
