// What the ops of one family share. An op's record overrides what differs.
//
// `facts` repeats PyTorch's own tables, by packet: get_default_op_list() of
// torch/_functorch/partitioners.py (Recomputable, CutView, ComputeIntensive),
// the tags of native_functions.yaml (Pointwise, Seeded), the side-effect set of
// torch/fx/node.py (Impure).

#ifndef TITAN_DIALECT_ATEN_IR_ATENBASE_TD
#define TITAN_DIALECT_ATEN_IR_ATENBASE_TD

include "titan/Interfaces/TorchOpBase.td"
include "titan/Dialect/Aten/IR/AtenDialect.td"

class Aten_Op<string mnemonic, dag params, dag outputs = (outs Result:$result)>
    : Torch_Op<Aten_Dialect, mnemonic, params, outputs>;

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

// One element of the result from the matching elements of the operands, which
// are broadcast against each other.
class Aten_Pointwise<string mnemonic, dag params, dag outputs = (outs Result:$result)>
    : Aten_Op<mnemonic, params, outputs> {
  let work = "Pointwise";
  let facts = ["Recomputable", "Pointwise"];
  let rule = "Broadcast";
}

class Aten_Unary<string mnemonic> : Aten_Pointwise<mnemonic, (ins Tensor:$self)> {
  let rule = "SameType";
}

class Aten_Binary<string mnemonic>
    : Aten_Pointwise<mnemonic, (ins TensorOrScalar:$self, TensorOrScalar:$other)>;

class Aten_TensorScalar<string mnemonic>
    : Aten_Pointwise<mnemonic, (ins Tensor:$self, Scalar:$other)>;

// Each element as it is, perhaps in another dtype, layout or place.
class Aten_Copy<string mnemonic, dag params> : Aten_Op<mnemonic, params> {
  let work = "Pointwise";
  let facts = ["Recomputable"];
  let flops = "None";
  let rule = "SameType";
}

// Writes to its first operand and returns it.
class Aten_InPlace<string mnemonic, dag params, dag outputs = (outs Result:$result)>
    : Aten_Op<mnemonic, params, outputs> {
  let work = "Effectful";
  let facts = ["Mutable"];
  let aliasOperand = 0;
  let rule = "InPlace";
}

//===----------------------------------------------------------------------===//
// Views and movement
//===----------------------------------------------------------------------===//

// Shares the storage of its first operand, all results of a split alike.
class Aten_View<string mnemonic, dag params, dag outputs = (outs Result:$result)>
    : Aten_Op<mnemonic, params, outputs> {
  let work = "View";
  let facts = ["Recomputable", "CutView"];
  let flops = "None";
  let aliasOperand = 0;
}

// Elements go to other places, by position or by index.
class Aten_Movement<string mnemonic, dag params, dag outputs = (outs Result:$result)>
    : Aten_Op<mnemonic, params, outputs> {
  let work = "Movement";
  let flops = "None";
}

// Ordering and searching: places depend on data.
class Aten_Sort<string mnemonic, dag params, dag outputs = (outs Result:$result)>
    : Aten_Movement<mnemonic, params, outputs>;

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

// Dimensions are folded away.
class Aten_Reduction<string mnemonic, dag params, dag outputs = (outs Result:$result)>
    : Aten_Op<mnemonic, params, outputs> {
  let work = "Reduction";
  let facts = ["Recomputable"];
}

// Along one dimension, which stays: running sums, softmax.
class Aten_Scan<string mnemonic, dag params, dag outputs = (outs Result:$result)>
    : Aten_Op<mnemonic, params, outputs> {
  let work = "Reduction";
  let rule = "Softmax";
}

// Normalisation by mean and variance, and its gradients.
class Aten_Norm<string mnemonic, dag params, dag outputs = (outs Result:$result)>
    : Aten_Op<mnemonic, params, outputs> {
  let work = "Reduction";
}

// Over the windows of a kernel: pooling.
class Aten_Window<string mnemonic, dag params, dag outputs = (outs Result:$result)>
    : Aten_Op<mnemonic, params, outputs> {
  let work = "Reduction";
}

class Aten_Loss<string mnemonic, dag params, dag outputs = (outs Result:$result)>
    : Aten_Op<mnemonic, params, outputs> {
  let work = "Reduction";
  let rule = "Loss";
}

//===----------------------------------------------------------------------===//
// Heavy computation
//===----------------------------------------------------------------------===//

class Aten_Matmul<string mnemonic, dag params> : Aten_Op<mnemonic, params> {
  let work = "ComputeHeavy";
  let facts = ["ComputeIntensive"];
  let flops = "Matmul";
}

// Attention draws its dropout mask from the seeded generator.
class Aten_Attention<string mnemonic, dag params, dag outputs> : Aten_Op<mnemonic, params, outputs> {
  let work = "ComputeHeavy";
  let facts = ["Seeded"];
  let flops = "Attention";
  let rule = "Attention";
}

class Aten_AttentionBackward<string mnemonic, dag params, dag outputs>
    : Aten_Op<mnemonic, params, outputs> {
  let work = "ComputeHeavy";
  let flops = "AttentionBackward";
  let rule = "AttentionBackward";
}

//===----------------------------------------------------------------------===//
// Tensors from nothing
//===----------------------------------------------------------------------===//

class Aten_Creation<string mnemonic, dag params> : Aten_Op<mnemonic, params> {
  let work = "Creation";
  let facts = ["Recomputable"];
  let flops = "None";
  let rule = "Creation";
}

class Aten_Random<string mnemonic, dag params, dag outputs = (outs Result:$result)>
    : Aten_Op<mnemonic, params, outputs> {
  let work = "Random";
  let facts = ["Seeded"];
  let rule = "SameType";
}

#endif // TITAN_DIALECT_ATEN_IR_ATENBASE_TD
