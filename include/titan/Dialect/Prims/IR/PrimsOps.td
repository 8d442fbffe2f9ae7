#ifndef TITAN_DIALECT_PRIMS_IR_PRIMSOPS_TD
#define TITAN_DIALECT_PRIMS_IR_PRIMSOPS_TD

include "titan/Dialect/Prims/IR/PrimsBase.td"

def Prims_LowMemoryMaxPoolOffsetsToIndicesOp : Prims_Op<"_low_memory_max_pool_offsets_to_indices",
    (ins Tensor:$self, SymInts:$kernel_size, SymInts:$input_size, SymInts:$stride,
         SymInts:$padding, SymInts:$dilation)> {
  let work = "Pointwise";
  let facts = ["Recomputable"];
}

def Prims_LowMemoryMaxPoolWithOffsetsOp : Prims_Op<"_low_memory_max_pool_with_offsets",
    (ins Tensor:$self, SymInts:$kernel_size, SymInts:$stride, SymInts:$padding, SymInts:$dilation,
         Bool:$ceil_mode), (outs Result:$output, Result:$offsets)> {
  let summary = "max_pool with offsets inside the window in place of indices";
  let work = "Reduction";
}

def Prims_BroadcastInDimOp : Prims_Op<"broadcast_in_dim",
    (ins Tensor:$a, SymInts:$shape, Ints:$broadcast_dimensions)> {
  let work = "View";
  let facts = ["Recomputable", "CutView"];
  let flops = "None";
  let aliasOperand = 0;
  let rule = "BroadcastInDim";
}

def Prims_ConvertElementTypeOp : Prims_Op<"convert_element_type", (ins Tensor:$a, Dtype:$dtype)> {
  let work = "Pointwise";
  let facts = ["Recomputable", "Pointwise"];
  let flops = "None";
  let rule = "Convert";
}

def Prims_DevicePutOp : Prims_Op<"device_put",
    (ins Tensor:$a, Device:$device, Default<Bool, "False">:$non_blocking)> {
  let work = "Movement";
  let flops = "None";
  let rule = "SameType";
}

def Prims_DivOp : Prims_Op<"div", (ins Tensor:$self, Tensor:$other)> {
  let work = "Pointwise";
  let facts = ["Recomputable"];
  let rule = "Broadcast";
}

def Prims_FmaOp : Prims_Op<"fma", (ins Tensor:$a, Tensor:$b, Tensor:$c)> {
  let work = "Pointwise";
  let facts = ["Pointwise"];
  let rule = "Broadcast";
}

def Prims_InductorLookupSeedOp : Prims_Op<"inductor_lookup_seed", (ins Tensor:$seeds, Int:$index)> {
  let summary = "One of the seeds that inductor_seeds drew";
  let work = "Movement";
  let flops = "None";
}

def Prims_InductorRandintOp : Prims_Op<"inductor_randint",
    (ins SymInt:$low, SymInt:$high, SymInts:$size, Tensor:$seed)> {
  let work = "Random";
  let rule = "Drawn";
}

def Prims_InductorRandomOp : Prims_Op<"inductor_random",
    (ins SymInts:$size, Tensor:$seed, Str:$mode, KeywordOnly<Dtype, "None">:$align_dtype)> {
  let work = "Random";
  let rule = "Drawn";
}

def Prims_InductorSeedOp : Prims_Op<"inductor_seed", (ins Device:$device)> {
  let work = "Random";
  let facts = ["Seeded"];
  let flops = "None";
}

def Prims_InductorSeedsOp : Prims_Op<"inductor_seeds", (ins Int:$count, Device:$device)> {
  let work = "Random";
  let facts = ["Seeded"];
  let flops = "None";
}

def Prims_IotaOp : Prims_Op<"iota",
    (ins SymInt:$length, KeywordOnly<SymInt>:$start, KeywordOnly<SymInt>:$step,
         KeywordOnly<Dtype>:$dtype, KeywordOnly<Device>:$device, KeywordOnly<Bool>:$requires_grad)> {
  let work = "Creation";
  let facts = ["Recomputable"];
  let flops = "None";
  let rule = "Iota";
}

def Prims_PrepareSoftmaxOnlineOp : Prims_Op<"prepare_softmax_online",
    (ins Tensor:$a, Int:$dim), (outs Result:$amax, Result:$sum)> {
  let summary = "The maximum and the sum of exponentials of a softmax in one pass";
  let work = "Reduction";
  let facts = ["Recomputable"];
}

def Prims_RevOp : Prims_Op<"rev", (ins Tensor:$a, Ints:$dims)> {
  let work = "Movement";
  let flops = "None";
  let rule = "SameType";
}

def Prims_SumOp : Prims_Op<"sum",
    (ins Tensor:$inp, Nullable<Ints>:$dims, KeywordOnly<Dtype, "None">:$output_dtype)> {
  let work = "Reduction";
  let facts = ["Recomputable"];
  let rule = "Reduction";
}

def Prims_VarOp : Prims_Op<"var",
    (ins Tensor:$inp, Nullable<Ints>:$dims, Default<Float, "1.0">:$correction,
         KeywordOnly<Dtype, "None">:$output_dtype)> {
  let work = "Reduction";
  let facts = ["Recomputable"];
  let rule = "Reduction";
}

#endif // TITAN_DIALECT_PRIMS_IR_PRIMSOPS_TD
