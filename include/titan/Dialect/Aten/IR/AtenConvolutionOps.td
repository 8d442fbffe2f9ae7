#ifndef TITAN_DIALECT_ATEN_IR_ATENCONVOLUTIONOPS_TD
#define TITAN_DIALECT_ATEN_IR_ATENCONVOLUTIONOPS_TD

include "titan/Dialect/Aten/IR/AtenBase.td"

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

def Aten_ConvolutionOp : Aten_Op<"convolution",
    (ins Tensor:$input, Tensor:$weight, OptionalTensor:$bias, SymInts:$stride, SymInts:$padding,
         SymInts:$dilation, Bool:$transposed, SymInts:$output_padding, SymInt:$groups)> {
  let work = "ComputeHeavy";
  let facts = ["ComputeIntensive"];
  let flops = "Convolution";
  let rule = "Convolution";
}

def Aten_ConvolutionBackwardOp : Aten_Op<"convolution_backward",
    (ins Tensor:$grad_output, Tensor:$input, Tensor:$weight, Nullable<SymInts>:$bias_sizes,
         SymInts:$stride, SymInts:$padding, SymInts:$dilation, Bool:$transposed,
         SymInts:$output_padding, SymInt:$groups, Bools:$output_mask),
    (outs Result:$grad_input, Result:$grad_weight, Result:$grad_bias)> {
  let work = "ComputeHeavy";
  let facts = ["ComputeIntensive"];
  let flops = "ConvolutionBackward";
  let rule = "ConvolutionBackward";
}

def Aten_Col2imOp : Aten_Movement<"col2im",
    (ins Tensor:$self, SymInts:$output_size, Ints:$kernel_size, Ints:$dilation, Ints:$padding,
         Ints:$stride)> { let flops = "Elements"; }

def Aten_Im2colOp : Aten_Movement<"im2col",
    (ins Tensor:$self, Ints:$kernel_size, Ints:$dilation, Ints:$padding, Ints:$stride)>;

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

def Aten_AdaptiveAvgPool2dOp : Aten_Window<"_adaptive_avg_pool2d",
    (ins Tensor:$self, SymInts:$output_size)> { let rule = "AdaptivePool"; }

def Aten_AdaptiveAvgPool2dBackwardOp : Aten_Window<"_adaptive_avg_pool2d_backward",
    (ins Tensor:$grad_output, Tensor:$self)> { let work = "Movement"; let rule = "GradientOfSelf"; }

def Aten_AdaptiveMaxPool2dOp : Aten_Window<"adaptive_max_pool2d",
    (ins Tensor:$self, Ints:$output_size), (outs Result:$output, Result:$indices)> {
  let rule = "AdaptivePool";
}

def Aten_AvgPool1dOp : Aten_Window<"avg_pool1d",
    (ins Tensor:$self, Ints:$kernel_size, Default<Ints, "[]">:$stride,
         Default<Ints, "[0]">:$padding, Default<Bool, "False">:$ceil_mode,
         Default<Bool, "True">:$count_include_pad)> { let rule = "Pool"; }

def Aten_AvgPool2dOp : Aten_Window<"avg_pool2d",
    (ins Tensor:$self, Ints:$kernel_size, Default<Ints, "[]">:$stride,
         Default<Ints, "0">:$padding, Default<Bool, "False">:$ceil_mode,
         Default<Bool, "True">:$count_include_pad, Default<Int, "None">:$divisor_override)> {
  let rule = "Pool";
}

def Aten_AvgPool2dBackwardOp : Aten_Window<"avg_pool2d_backward",
    (ins Tensor:$grad_output, Tensor:$self, Ints:$kernel_size, Ints:$stride, Ints:$padding,
         Bool:$ceil_mode, Bool:$count_include_pad, Nullable<Int>:$divisor_override)> {
  let work = "Movement";
  let rule = "GradientOfSelf";
}

def Aten_AvgPool3dOp : Aten_Window<"avg_pool3d",
    (ins Tensor:$self, Ints:$kernel_size, Default<Ints, "[]">:$stride,
         Default<Ints, "0">:$padding, Default<Bool, "False">:$ceil_mode,
         Default<Bool, "True">:$count_include_pad, Default<Int, "None">:$divisor_override)> {
  let rule = "Pool";
}

def Aten_MaxPool2dWithIndicesOp : Aten_Window<"max_pool2d_with_indices",
    (ins Tensor:$self, Ints:$kernel_size, Default<Ints, "[]">:$stride,
         Default<Ints, "0">:$padding, Default<Ints, "1">:$dilation,
         Default<Bool, "False">:$ceil_mode), (outs Result:$output, Result:$indices)> {
  let rule = "Pool";
}

def Aten_MaxPool2dWithIndicesBackwardOp : Aten_Window<"max_pool2d_with_indices_backward",
    (ins Tensor:$grad_output, Tensor:$self, Ints:$kernel_size, Ints:$stride, Ints:$padding,
         Ints:$dilation, Bool:$ceil_mode, Tensor:$indices)> {
  let work = "Movement";
  let rule = "GradientOfSelf";
}

#endif // TITAN_DIALECT_ATEN_IR_ATENCONVOLUTIONOPS_TD
