#ifndef TITAN_DIALECT_ATEN_IR_ATENRESAMPLEOPS_TD
#define TITAN_DIALECT_ATEN_IR_ATENRESAMPLEOPS_TD

include "titan/Dialect/Aten/IR/AtenBase.td"

//===----------------------------------------------------------------------===//
// Interpolation
//===----------------------------------------------------------------------===//

def Aten_UpsampleNearestExact2dOp : Aten_Movement<"_upsample_nearest_exact2d",
    (ins Tensor:$self, SymInts:$output_size, Default<Float, "None">:$scales_h,
         Default<Float, "None">:$scales_w)> { let rule = "Upsample"; }

def Aten_GridSampler2dOp : Aten_Movement<"grid_sampler_2d",
    (ins Tensor:$input, Tensor:$grid, Int:$interpolation_mode, Int:$padding_mode,
         Bool:$align_corners)> { let flops = "Elements"; }

def Aten_UpsampleBicubic2dOp : Aten_Movement<"upsample_bicubic2d",
    (ins Tensor:$self, SymInts:$output_size, Bool:$align_corners,
         Default<Float, "None">:$scales_h, Default<Float, "None">:$scales_w)> {
  let flops = "Elements";
  let rule = "Upsample";
}

def Aten_UpsampleBilinear2dOp : Aten_Movement<"upsample_bilinear2d",
    (ins Tensor:$self, SymInts:$output_size, Bool:$align_corners,
         Default<Float, "None">:$scales_h, Default<Float, "None">:$scales_w)> {
  let facts = ["ComputeIntensive"];
  let flops = "Elements";
  let rule = "Upsample";
}

def Aten_UpsampleBilinear2dVecOp : Aten_Movement<"upsample_bilinear2d.vec",
    (ins Tensor:$input, Nullable<SymInts>:$output_size, Bool:$align_corners,
         Nullable<Floats>:$scale_factors)> {
  let facts = ["ComputeIntensive"];
  let flops = "Elements";
  let rule = "Upsample";
}

def Aten_UpsampleBilinear2dBackwardOp : Aten_Movement<"upsample_bilinear2d_backward",
    (ins Tensor:$grad_output, SymInts:$output_size, SymInts:$input_size, Bool:$align_corners,
         Default<Float, "None">:$scales_h, Default<Float, "None">:$scales_w)> {
  let flops = "Elements";
  let rule = "UpsampleBackward";
}

def Aten_UpsampleNearest1dOp : Aten_Movement<"upsample_nearest1d",
    (ins Tensor:$self, SymInts:$output_size, Default<Float, "None">:$scales)> {
  let rule = "Upsample";
}

def Aten_UpsampleNearest2dOp : Aten_Movement<"upsample_nearest2d",
    (ins Tensor:$self, SymInts:$output_size, Default<Float, "None">:$scales_h,
         Default<Float, "None">:$scales_w)> { let rule = "Upsample"; }

def Aten_UpsampleNearest2dVecOp : Aten_Movement<"upsample_nearest2d.vec",
    (ins Tensor:$input, Nullable<SymInts>:$output_size, Nullable<Floats>:$scale_factors)> {
  let rule = "Upsample";
}

def Aten_UpsampleNearest2dBackwardOp : Aten_Movement<"upsample_nearest2d_backward",
    (ins Tensor:$grad_output, SymInts:$output_size, SymInts:$input_size,
         Default<Float, "None">:$scales_h, Default<Float, "None">:$scales_w)> {
  let rule = "UpsampleBackward";
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

def Aten_ConstantPadNdOp : Aten_Movement<"constant_pad_nd",
    (ins Tensor:$self, SymInts:$pad, Default<Scalar, "0">:$value)> { let rule = "Pad"; }

def Aten_ReflectionPad1dOp : Aten_Movement<"reflection_pad1d",
    (ins Tensor:$self, SymInts:$padding)> { let rule = "Pad"; }

def Aten_ReflectionPad1dBackwardOp : Aten_Movement<"reflection_pad1d_backward",
    (ins Tensor:$grad_output, Tensor:$self, SymInts:$padding)> { let rule = "GradientOfSelf"; }

def Aten_ReflectionPad2dOp : Aten_Movement<"reflection_pad2d",
    (ins Tensor:$self, SymInts:$padding)> { let rule = "Pad"; }

def Aten_ReflectionPad2dBackwardOp : Aten_Movement<"reflection_pad2d_backward",
    (ins Tensor:$grad_output, Tensor:$self, SymInts:$padding)> { let rule = "GradientOfSelf"; }

def Aten_ReplicationPad2dOp : Aten_Movement<"replication_pad2d",
    (ins Tensor:$self, SymInts:$padding)> { let rule = "Pad"; }

def Aten_ReplicationPad2dBackwardOp : Aten_Movement<"replication_pad2d_backward",
    (ins Tensor:$grad_output, Tensor:$self, SymInts:$padding)> { let rule = "GradientOfSelf"; }

//===----------------------------------------------------------------------===//
// Pixels and channels
//===----------------------------------------------------------------------===//

def Aten_ChannelShuffleOp : Aten_Movement<"channel_shuffle", (ins Tensor:$self, SymInt:$groups)> {
  let rule = "SameType";
}

def Aten_PixelShuffleOp : Aten_Movement<"pixel_shuffle", (ins Tensor:$self, Int:$upscale_factor)> {
  let rule = "PixelShuffle";
}

def Aten_PixelUnshuffleOp : Aten_Movement<"pixel_unshuffle",
    (ins Tensor:$self, Int:$downscale_factor)> { let rule = "PixelShuffle"; }

#endif // TITAN_DIALECT_ATEN_IR_ATENRESAMPLEOPS_TD
