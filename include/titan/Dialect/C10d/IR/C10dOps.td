#ifndef TITAN_DIALECT_C10D_IR_C10DOPS_TD
#define TITAN_DIALECT_C10D_IR_C10DOPS_TD

include "titan/Dialect/C10d/IR/C10dBase.td"

def C10d_AllGatherIntoTensorOp : C10d_Collective<"all_gather_into_tensor",
    (ins Tensor:$input, Int:$group_size, Str:$group_name)> {
  let rule = "AllGather";
  let collective = "AllGather";
}

def C10d_AllGatherIntoTensorCoalescedOp : C10d_Collective<"all_gather_into_tensor_coalesced",
    (ins Tensors:$inputs, Int:$group_size, Str:$group_name), (outs Results:$results)> {
  let rule = "AllGather";
  let collective = "AllGather";
}

def C10d_AllGatherIntoTensorOutOp : C10d_Collective<"all_gather_into_tensor_out",
    (ins Tensor:$input, Int:$group_size, Str:$group_name, KeywordOnly<Mutated<Tensor>>:$out)> {
  let facts = ["Mutable"];
  let aliasOperand = 1;
  let rule = "AllGather";
  let collective = "AllGather";
}

def C10d_AllReduceOp : C10d_Collective<"all_reduce",
    (ins Tensor:$input, Str:$reduce_op, Str:$group_name)> {
  let rule = "AllReduce";
  let collective = "AllReduce";
}

def C10d_AllReduceCoalescedOp : C10d_Collective<"all_reduce_coalesced",
    (ins Tensors:$inputs, Str:$reduce_op, Str:$group_name), (outs Results:$results)> {
  let rule = "AllReduce";
  let collective = "AllReduce";
}

def C10d_AllToAllSingleOp : C10d_Collective<"all_to_all_single",
    (ins Tensor:$input, SymInts:$output_split_sizes, SymInts:$input_split_sizes, Str:$group_name)> {
  let rule = "AllToAll";
  let collective = "AllToAll";
}

def C10d_BroadcastOp : C10d_Collective<"broadcast",
    (ins Tensor:$input, Int:$src, Str:$group_name)> {
  let rule = "Broadcast";
  let collective = "Broadcast";
}

def C10d_ReduceScatterTensorOp : C10d_Collective<"reduce_scatter_tensor",
    (ins Tensor:$input, Str:$reduce_op, Int:$group_size, Str:$group_name)> {
  let rule = "ReduceScatter";
  let collective = "ReduceScatter";
}

def C10d_ReduceScatterTensorCoalescedOp : C10d_Collective<"reduce_scatter_tensor_coalesced",
    (ins Tensors:$inputs, Str:$reduce_op, Int:$group_size, Str:$group_name),
    (outs Results:$results)> { let rule = "ReduceScatter"; let collective = "ReduceScatter"; }

def C10d_ReduceScatterTensorOutOp : C10d_Collective<"reduce_scatter_tensor_out",
    (ins Tensor:$input, Str:$reduce_op, Int:$group_size, Str:$group_name,
         KeywordOnly<Mutated<Tensor>>:$out)> {
  let facts = ["Mutable"];
  let aliasOperand = 1;
  let rule = "ReduceScatter";
  let collective = "ReduceScatter";
}

def C10d_WaitTensorOp : C10d_Wait<"wait_tensor", (ins Tensor:$tensor)> {
  let summary = "Waits for the collective that made the tensor";
}

def C10d_WaitTensorsOp : C10d_Wait<"wait_tensors",
    (ins Tensors:$tensors), (outs Results:$results)> { let aliasOperand = -2; }

#endif // TITAN_DIALECT_C10D_IR_C10DOPS_TD
