#ifndef TITAN_DIALECT_ATEN_IR_ATENSORTOPS_TD
#define TITAN_DIALECT_ATEN_IR_ATENSORTOPS_TD

include "titan/Dialect/Aten/IR/AtenBase.td"

def Aten_ArgsortOp : Aten_Sort<"argsort",
    (ins Tensor:$self, Default<Int, "-1">:$dim, Default<Bool, "False">:$descending)> {
  let rule = "ArgSort";
}

def Aten_ArgsortStableOp : Aten_Sort<"argsort.stable",
    (ins Tensor:$self, KeywordOnly<Bool>:$stable, KeywordOnly<Int, "-1">:$dim,
         KeywordOnly<Bool, "False">:$descending)> { let rule = "ArgSort"; }

def Aten_BincountOp : Aten_Sort<"bincount",
    (ins Tensor:$self, Default<OptionalTensor, "None">:$weights, Default<SymInt, "0">:$minlength)> {
  let work = "Reduction";
  let flops = "Elements";
}

def Aten_BucketizeTensorOp : Aten_Sort<"bucketize.Tensor",
    (ins Tensor:$self, Tensor:$boundaries, KeywordOnly<Bool, "False">:$out_int32,
         KeywordOnly<Bool, "False">:$right)> { let rule = "Search"; }

def Aten_CountNonzeroDimIntListOp : Aten_Sort<"count_nonzero.dim_IntList",
    (ins Tensor:$self, Ints:$dim)> {
  let work = "Reduction";
  let flops = "Elements";
  let rule = "Count";
}

def Aten_HistcOp : Aten_Sort<"histc",
    (ins Tensor:$self, Default<Int, "100">:$bins, Default<Scalar, "0">:$min,
         Default<Scalar, "0">:$max)> { let work = "Reduction"; let flops = "Elements"; }

def Aten_KthvalueOp : Aten_Sort<"kthvalue",
    (ins Tensor:$self, SymInt:$k, Default<Int, "-1">:$dim, Default<Bool, "False">:$keepdim),
    (outs Result:$values, Result:$indices)> { let rule = "ExtremumWithIndices"; }

def Aten_MedianDimOp : Aten_Sort<"median.dim",
    (ins Tensor:$self, Int:$dim, Default<Bool, "False">:$keepdim),
    (outs Result:$values, Result:$indices)> { let rule = "ExtremumWithIndices"; }

def Aten_NonzeroOp : Aten_Sort<"nonzero", (ins Tensor:$self)>;

def Aten_SearchsortedTensorOp : Aten_Sort<"searchsorted.Tensor",
    (ins Tensor:$sorted_sequence, Tensor:$self, KeywordOnly<Bool, "False">:$out_int32,
         KeywordOnly<Bool, "False">:$right, KeywordOnly<Str, "None">:$side,
         KeywordOnly<OptionalTensor, "None">:$sorter)> { let rule = "Search"; }

def Aten_SortOp : Aten_Sort<"sort",
    (ins Tensor:$self, Default<Int, "-1">:$dim, Default<Bool, "False">:$descending),
    (outs Result:$values, Result:$indices)> { let rule = "Sort"; }

def Aten_SortStableOp : Aten_Sort<"sort.stable",
    (ins Tensor:$self, KeywordOnly<Nullable<Bool>>:$stable, KeywordOnly<Int, "-1">:$dim,
         KeywordOnly<Bool, "False">:$descending), (outs Result:$values, Result:$indices)> {
  let rule = "Sort";
}

def Aten_TopkOp : Aten_Sort<"topk",
    (ins Tensor:$self, SymInt:$k, Default<Int, "-1">:$dim, Default<Bool, "True">:$largest,
         Default<Bool, "True">:$sorted), (outs Result:$values, Result:$indices)> {
  let rule = "TopK";
}

def Aten_UniqueConsecutiveOp : Aten_Sort<"unique_consecutive",
    (ins Tensor:$self, Default<Bool, "False">:$return_inverse,
         Default<Bool, "False">:$return_counts, Default<Int, "None">:$dim),
    (outs Result:$output, Result:$inverse_indices, Result:$counts)>;

#endif // TITAN_DIALECT_ATEN_IR_ATENSORTOPS_TD
