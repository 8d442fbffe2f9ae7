// Every pass of the compiler, in the order of the pipeline: its table of
// contents. Pass `titan-apply-sac` is `apply_sac` in the joint-pass registry.

#ifndef TITAN_PASSES_TD
#define TITAN_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Joint passes: annotate or rewrite the joint function
//===----------------------------------------------------------------------===//

def InductorDecompositionPass
    : Pass<"titan-inductor-decomposition", "::mlir::ModuleOp"> {
  let summary = "Take apart what Inductor takes apart";
  let description = [{
    Replaces ops of the joint functions by the simpler ops of aten and prims that
    Inductor's table has for them: transpositions by permutes, casts by
    `prims.convert_element_type`, activations, norms, softmax, losses, dropout
    and their backwards by pointwise ops and reductions, tensors made from
    nothing by `aten.full` and `prims.iota`. Half precision is computed in f32.

    The last op of a replacement has the name of the value it replaces, the
    others that name with a suffix. An op whose shapes or arguments do not say
    enough stays as it is. Runs first: tags, which stand on ops, come after.
  }];
  let dependentDialects = ["::mlir::titan::TitanDialect",
                           "::mlir::titan::aten::AtenDialect",
                           "::mlir::titan::prims::PrimsDialect"];
}

def ValidateFlexAttnAnnotationPass
    : Pass<"titan-validate-flex-attn-annotation", "::mlir::ModuleOp"> {
  let summary = "Require flex attention to be marked for Inductor";
  let description = [{
    Flex attention runs only where Inductor compiles it. Every
    `higher_order.flex_attention` and its backward must therefore carry the key
    `compile_with_inductor` among its annotations (`titan.custom`); the key's
    value does not matter. The module is not changed.
  }];
}

def OverrideEagerAcPass : Pass<"titan-override-eager-ac", "::mlir::ModuleOp"> {
  let summary = "Remove what eager activation checkpointing left";
  let description = [{
    Runs before `titan-apply-sac`, so that a graph is not checkpointed twice:
    where the job's mode of activation checkpointing is not `none`, or ops carry
    tags already, the mode (`titan.ac_mode`) becomes `none`, the tags go, and
    one message says so.
  }];
  let options = [
    Option<"mode", "mode", "std::string", /*default=*/"\"\"",
           "The mode that the job configuration names">,
  ];
  let dependentDialects = ["::mlir::titan::TitanDialect"];
}

def ApplySacPass : Pass<"titan-apply-sac", "::mlir::ModuleOp"> {
  let summary = "Tag what to save and what to recompute";
  let description = [{
    Writes a policy on the ops of every joint function, in graph order: what is
    in the save set is saved, of the matrix products every second one, all else
    is recomputed. Tags that are there already are overwritten. Nothing is
    added, removed or moved.

    The defaults are those of torchtitan's first `apply_sac`: one region for the
    whole graph, one counter of products, and no tag after the op that makes the
    first output. The options are the repairs that came later.

    A getitem of the source graph is a result here. Results stay untagged unless
    `inherit=getitem` gives them the tag of their op.
  }];
  let options = [
    Option<"stop", "stop", "::mlir::titan::SacStop",
           /*default=*/"::mlir::titan::SacStop::FirstOutput",
           "Where tagging ends: first-output, none",
           [{::llvm::cl::values(
             clEnumValN(::mlir::titan::SacStop::FirstOutput, "first-output",
                        "After the op that makes the first output"),
             clEnumValN(::mlir::titan::SacStop::None, "none",
                        "At the end of the graph"))}]>,
    ListOption<"inherit", "inherit", "std::string",
           "What takes the tag of its producer: getitem (the elements of a tuple), wait (for a collective)">,
    Option<"region", "region", "::mlir::titan::SacRegion",
           /*default=*/"::mlir::titan::SacRegion::Global",
           "The checkpoint region of an op: global, layer, none",
           [{::llvm::cl::values(
             clEnumValN(::mlir::titan::SacRegion::Global, "global",
                        "Region 0 for all"),
             clEnumValN(::mlir::titan::SacRegion::Layer, "layer",
                        "The annotated region, else the layer plus 1, else 0"),
             clEnumValN(::mlir::titan::SacRegion::None, "none",
                        "No region is written"))}]>,
    Option<"mmAlternate", "mm-alternate", "::mlir::titan::MmAlternate",
           /*default=*/"::mlir::titan::MmAlternate::Global",
           "How matrix products take turns: global, per-layer, off",
           [{::llvm::cl::values(
             clEnumValN(::mlir::titan::MmAlternate::Global, "global",
                        "Every second aten.mm of the graph is saved, whatever the save set says"),
             clEnumValN(::mlir::titan::MmAlternate::PerLayer, "per-layer",
                        "Of the products in the save set, every second one of a layer is saved"),
             clEnumValN(::mlir::titan::MmAlternate::Off, "off",
                        "The save set alone decides"))}]>,
    Option<"saveSet", "save-set", "::mlir::titan::SaveSet",
           /*default=*/"::mlir::titan::SaveSet::Seed",
           "Which ops are saved where save-ops names none: seed, head, none",
           [{::llvm::cl::values(
             clEnumValN(::mlir::titan::SaveSet::Seed, "seed",
                        "The list of torchtitan's first apply_sac"),
             clEnumValN(::mlir::titan::SaveSet::Head, "head",
                        "The list of torchtitan today"),
             clEnumValN(::mlir::titan::SaveSet::None, "none", "No op"))}]>,
    ListOption<"saveOps", "save-ops", "std::string",
           "Ops to save in place of the save set, in any spelling">,
    ListOption<"saveSelectors", "save-selectors", "std::string",
           "Ops to save beside the save set, each as MODULE_PATTERN::OP">,
    ListOption<"forceShapes", "force-shapes", "std::string",
           "Parts of module paths: products with weights of the shapes found there are recomputed and not counted">,
    Option<"boundarySave", "boundary-save", "bool", /*default=*/"false",
           "Save what a later layer reads to recompute">,
    Option<"recompute", "recompute", "::mlir::titan::SacRecompute",
           /*default=*/"::mlir::titan::SacRecompute::Prefer",
           "The policy of what is not saved: prefer, must",
           [{::llvm::cl::values(
             clEnumValN(::mlir::titan::SacRecompute::Prefer, "prefer",
                        "prefer_recompute"),
             clEnumValN(::mlir::titan::SacRecompute::Must, "must",
                        "must_recompute"))}]>,
    Option<"forwardOnly", "forward-only", "bool", /*default=*/"false",
           "Leave the backward, lm_head and loss untagged">,
    Option<"saveSymbols", "save-symbols", "bool", /*default=*/"false",
           "Save every symbolic integer">,
    Option<"saveRandom", "save-random", "bool", /*default=*/"false",
           "Save what draws random numbers">,
    Option<"saveGatheredParams", "save-gathered-params", "bool", /*default=*/"false",
           "Save parameters that a collective gathered">,
  ];
  let dependentDialects = ["::mlir::titan::TitanDialect"];
}

def FsdpReshardAfterFwdPass
    : Pass<"titan-fsdp-reshard-after-fwd", "::mlir::ModuleOp"> {
  let summary = "Decide whether gathered parameters are kept for the backward";
  let description = [{
    Tags every gather of a sharded parameter, its wait, the slices of the wait
    and the `prims.convert_element_type` before the gather: to be recomputed if
    `reshard` is set, to be saved if not. The region is one beyond all others.
    Runs last, so that its tags win.

    A gather is one of a parameter if it comes from an argument through ops that
    read one value each; that tells it from the gathers of activations in tensor
    parallelism.
  }];
  let options = [
    Option<"reshard", "reshard", "bool", /*default=*/"true",
           "Free gathered parameters after the forward">,
  ];
  let dependentDialects = ["::mlir::titan::TitanDialect"];
}

//===----------------------------------------------------------------------===//
// Partition: from one joint function to a forward and a backward
//===----------------------------------------------------------------------===//

def VerifyJointPass : Pass<"titan-verify-joint", "::mlir::ModuleOp"> {
  let summary = "Check what the joint phase promises";
  let description = [{
    The contract of a module before the partition. Reports every offender at its
    place, then one line that counts them. The module is not changed.

    - (J1) there is one joint function;
    - (J2) arguments are parameters, buffers, inputs, tangents, seeds, tokens or
      constants, constants last; results are outputs or mutations up to the
      border that `titan.joint` names, gradients or mutations behind it; result
      positions ascend;
    - (J3) no forward output needs a tangent, unless it is a view of what the
      backward writes to an input;
    - (J4) there is no op of a dialect that a joint graph does not have;
    - (J5) no tag asks to repeat a write to an argument;
    - (J6) what must be in the forward needs no tangent.
  }];
}

def PartitionPass : Pass<"titan-partition", "::mlir::ModuleOp"> {
  let summary = "Split the joint function into a forward and a backward";
  let description = [{
    Decides which values the forward saves for the backward, and replaces the
    joint function by `@forward` and `@backward`. Dead ops go and equal ops merge
    first. docs/Partitioning.md has the rules of each `compat`.

    `min-cut` saves the fewest bytes that the rules allow and recomputes the
    rest; `default` leaves every op where it was written. A step graph is split
    where its backward begins. The result is checked as titan-verify-partition
    does, against the joint function.

    The forward takes the step's inputs and returns its outputs, then the saved
    tensors, other values and symbols; the backward takes the saved symbols,
    tensors and other values, then the tangents, and returns the gradients.
    Constants go to whoever reads them. Names, tags, layouts and places are kept,
    and so are the positions of results in the source's list. A recomputed op
    stands right before its first use; one that draws random numbers shares its
    state with the forward.

    Every decision is a remark of the category `titan-partition`, named `saved`
    or `recomputed`, with the reason and the metric `bytes`.
  }];
  let options = [
    Option<"partitioner", "partitioner", "::mlir::titan::PartitionerKind",
           /*default=*/"::mlir::titan::PartitionerKind::MinCut",
           "How to split",
           [{::llvm::cl::values(
             clEnumValN(::mlir::titan::PartitionerKind::Default, "default",
                        "Save what the backward reads of the forward"),
             clEnumValN(::mlir::titan::PartitionerKind::MinCut, "min-cut",
                        "Save the fewest bytes"))}]>,
    Option<"compat", "compat", "::mlir::titan::CompatKind",
           /*default=*/"::mlir::titan::CompatKind::Titan",
           "Whose rules decide",
           [{::llvm::cl::values(
             clEnumValN(::mlir::titan::CompatKind::Titan, "titan",
                        "Storage counts, each once, and every tag is kept"),
             clEnumValN(::mlir::titan::CompatKind::Pytorch, "pytorch",
                        "PyTorch 2.15's, to the letter"),
             clEnumValN(::mlir::titan::CompatKind::Pytorch22, "pt2.2",
                        "PyTorch 2.2's"))}]>,
  ];
  let dependentDialects = ["::mlir::titan::TitanDialect",
                           "::mlir::func::FuncDialect"];
}

def RecomputeInPlacePass : Pass<"titan-recompute-in-place", "::mlir::ModuleOp"> {
  let summary = "Repeat tagged ops in the backward of one function";
  let description = [{
    For graphs that are not split. Every op that the backward reads and that its
    tag asks to recompute is copied, with what it needs of the same kind, before
    the first op of the backward that asks for it; the backward reads the copy,
    and an original without readers goes. A copy is named after its original,
    with `_recomputed` behind it.

    ```mlir
    %r = aten.relu %x {titan.names = ["r"], titan.recompute = #titan.policy<must_recompute>} : (tensor<4xf32>) -> tensor<4xf32>
    // ... the rest of the forward
    %g = aten.mul.Tensor %t, %r {titan.phase = #titan.phase<backward>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ==>
    // ... the rest of the forward
    %r_recomputed = aten.relu %x {titan.names = ["r_recomputed"], ...} : (tensor<4xf32>) -> tensor<4xf32>
    %g = aten.mul.Tensor %t, %r_recomputed {...} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```

    The backward is one run of ops marked `backward` behind the last op of the
    module paths `loss` and `lm_head`; two runs that need recomputed values are
    an error, as is a tagged op that draws random numbers. What is tagged but
    cannot run twice, since it writes to storage that outlives it or reads
    storage that is written to meanwhile, is saved, with a warning.
  }];
}

def VerifyPartitionPass : Pass<"titan-verify-partition", "::mlir::ModuleOp"> {
  let summary = "Check what a partition promises";
  let description = [{
    The contract of `@forward` and `@backward`. Reports every offender at its
    place, then one line that counts them. The module is not changed. A
    partition is checked right where it is made, too, in every build; there the
    joint function is known, and rule P7 is checked in full; alone, the pass
    holds P7 to what the functions say of their results, P8 and P9 to the
    effects that the partition left in the module (`titan.effects`): those with
    a source name whose results something reads.

    - (P1) the backward takes saved values, tangents, seeds, tokens and
      constants and nothing else;
    - (P2) the saved values that the forward returns (tensors, other values,
      symbols) are those that the backward takes (symbols first), by count, type
      and name;
    - (P3) the forward takes no tangent and returns no gradient;
    - (P4) a collective or another effect stands in one function only, unless
      its tag asks to recompute it, or it is a collective that nothing reads
      (PyTorch's rules repeat those);
    - (P5) an op that draws random numbers in both functions has one state;
    - (P6) what must be in one function is not in the other;
    - (P7) outputs and gradients are the joint function's, in its order;
    - (P8) every effect of the joint function is still there;
    - (P9) collectives that are no recomputed copy run in the joint order.
  }];
}

//===----------------------------------------------------------------------===//
// Conversion: to linalg, from which both the CPU's and the GPU's code is made
//===----------------------------------------------------------------------===//

def ConvertAtenToLinalgPass
    : Pass<"titan-convert-aten-to-linalg", "::mlir::ModuleOp"> {
  let summary = "Lower aten and prims to linalg on tensors";
  let description = [{
    What works element by element becomes one `linalg.generic`, whose indexing
    maps hold broadcasts, permutations and constant positions; a reduction one
    that accumulates in f64 and one that rounds. Views become
    `tensor.expand_shape`, `tensor.collapse_shape` and `tensor.extract_slice`,
    parts put into a whole `tensor.insert_slice`; what is indexed by a tensor
    is read with `tensor.extract`. Norms, softmax and losses are several
    generics whose values in between are f32 or wider. Each op computes in f32
    or wider and rounds once to the type of its result.

    Ops without a lowering stay as they are, `titan-verify-linalg` names them;
    collectives (c10d) stay in any case.

    ```mlir
    %0 = aten.mul.Tensor %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ==>
    %e = tensor.empty() : tensor<4x8xf32>
    %0 = linalg.generic {indexing_maps = [(d0, d1) -> (d0, d1), (d0, d1) -> (d1), (d0, d1) -> (d0, d1)],
                         iterator_types = ["parallel", "parallel"]}
        ins(%a, %b) outs(%e) {
      %m = arith.mulf %x, %y : f32
      linalg.yield %m : f32
    } -> tensor<4x8xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect"];
}

def VerifyLinalgPass : Pass<"titan-verify-linalg", "::mlir::ModuleOp"> {
  let summary = "Check that only linalg and its neighbours are left";
  let description = [{
    Closes the linalg phase: functions hold linalg, tensor, arith, math, scf, cf
    and c10d, nothing else. One error lists all ops that do not belong there, with
    how often they stand and where first. The module is not changed.
  }];
}

#endif // TITAN_PASSES_TD
