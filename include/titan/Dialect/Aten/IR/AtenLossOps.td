#ifndef TITAN_DIALECT_ATEN_IR_ATENLOSSOPS_TD
#define TITAN_DIALECT_ATEN_IR_ATENLOSSOPS_TD

include "titan/Dialect/Aten/IR/AtenBase.td"

def Aten_BinaryCrossEntropyOp : Aten_Loss<"binary_cross_entropy",
    (ins Tensor:$self, Tensor:$target, Default<OptionalTensor, "None">:$weight,
         Default<Int, "1">:$reduction)>;

def Aten_BinaryCrossEntropyBackwardOp : Aten_Loss<"binary_cross_entropy_backward",
    (ins Tensor:$grad_output, Tensor:$self, Tensor:$target,
         Default<OptionalTensor, "None">:$weight, Default<Int, "1">:$reduction)> {
  let work = "Pointwise";
  let rule = "LossBackward";
}

def Aten_BinaryCrossEntropyWithLogitsOp : Aten_Loss<"binary_cross_entropy_with_logits",
    (ins Tensor:$self, Tensor:$target, Default<OptionalTensor, "None">:$weight,
         Default<OptionalTensor, "None">:$pos_weight, Default<Int, "1">:$reduction)>;

def Aten_HuberLossOp : Aten_Loss<"huber_loss",
    (ins Tensor:$self, Tensor:$target, Default<Int, "1">:$reduction, Default<Float, "1.0">:$delta)>;

def Aten_HuberLossBackwardOp : Aten_Loss<"huber_loss_backward",
    (ins Tensor:$grad_output, Tensor:$self, Tensor:$target, Int:$reduction, Float:$delta)> {
  let work = "Pointwise";
  let rule = "LossBackward";
}

def Aten_KlDivOp : Aten_Loss<"kl_div",
    (ins Tensor:$self, Tensor:$target, Default<Int, "1">:$reduction,
         KeywordOnly<Bool, "False">:$log_target)>;

def Aten_L1LossOp : Aten_Loss<"l1_loss",
    (ins Tensor:$self, Tensor:$target, Default<Int, "1">:$reduction)>;

def Aten_MseLossOp : Aten_Loss<"mse_loss",
    (ins Tensor:$self, Tensor:$target, Default<Int, "1">:$reduction)>;

def Aten_MseLossBackwardOp : Aten_Loss<"mse_loss_backward",
    (ins Tensor:$grad_output, Tensor:$self, Tensor:$target, Int:$reduction)> {
  let work = "Pointwise";
  let rule = "LossBackward";
}

def Aten_NllLoss2dBackwardOp : Aten_Loss<"nll_loss2d_backward",
    (ins Tensor:$grad_output, Tensor:$self, Tensor:$target, OptionalTensor:$weight,
         Int:$reduction, SymInt:$ignore_index, Tensor:$total_weight)> {
  let work = "Movement";
  let flops = "None";
  let rule = "NllLossBackward";
}

def Aten_NllLoss2dForwardOp : Aten_Loss<"nll_loss2d_forward",
    (ins Tensor:$self, Tensor:$target, OptionalTensor:$weight, Int:$reduction,
         SymInt:$ignore_index), (outs Result:$output, Result:$total_weight)> {
  let rule = "NllLoss";
}

def Aten_NllLossBackwardOp : Aten_Loss<"nll_loss_backward",
    (ins Tensor:$grad_output, Tensor:$self, Tensor:$target, OptionalTensor:$weight,
         Int:$reduction, SymInt:$ignore_index, Tensor:$total_weight)> {
  let work = "Movement";
  let flops = "None";
  let rule = "NllLossBackward";
}

def Aten_NllLossForwardOp : Aten_Loss<"nll_loss_forward",
    (ins Tensor:$self, Tensor:$target, OptionalTensor:$weight, Int:$reduction,
         SymInt:$ignore_index), (outs Result:$output, Result:$total_weight)> {
  let rule = "NllLoss";
}

def Aten_SmoothL1LossOp : Aten_Loss<"smooth_l1_loss",
    (ins Tensor:$self, Tensor:$target, Default<Int, "1">:$reduction, Default<Float, "1.0">:$beta)>;

def Aten_SmoothL1LossBackwardOp : Aten_Loss<"smooth_l1_loss_backward",
    (ins Tensor:$grad_output, Tensor:$self, Tensor:$target, Int:$reduction, Float:$beta)> {
  let work = "Pointwise";
  let rule = "LossBackward";
}

def Aten_SoftMarginLossOp : Aten_Loss<"soft_margin_loss",
    (ins Tensor:$self, Tensor:$target, Default<Int, "1">:$reduction)>;

#endif // TITAN_DIALECT_ATEN_IR_ATENLOSSOPS_TD
