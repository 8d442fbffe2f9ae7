// RUN: titan-opt %s --titan-apply-sac --split-input-file 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=LOG --input-file=%t

// The corners of the first apply_sac, each reachable with a graph of real ops.
// (That no output at all is an error is in apply-sac-invalid.mlir, that a second
// run changes nothing in apply-sac.mlir.)

// An argument as first output never ends the walk: the backward is tagged, too.
// LOG: (1 mm ops found, 1 saved)
// CHECK-LABEL: func @first_output_is_an_argument
func.func @first_output_is_an_argument(%x: tensor<4x4xf32>, %t: tensor<4x4xf32> {titan.role = #titan.role<tangent>})
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) attributes {titan.joint = 2} {
  // CHECK: aten.relu {{.*}} #titan.policy<prefer_recompute>
  %0 = aten.relu %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: aten.mm {{.*}} #titan.policy<must_save>
  %1 = aten.mm %t, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %x, %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// Nor does an element of a tuple, which the walk passes over.
// LOG: (1 mm ops found, 1 saved)
// CHECK-LABEL: func @first_output_is_an_element
func.func @first_output_is_an_element(%x: tensor<4x4xf32>, %w: tensor<4xf32>, %t: tensor<4x4xf32> {titan.role = #titan.role<tangent>})
    -> (tensor<4x4xf32>, tensor<4x4xf32>) attributes {titan.joint = 1} {
  // CHECK: aten._fused_rms_norm {{.*}} #titan.policy<prefer_recompute>
  %0:2 = aten._fused_rms_norm %x, [4], %w, 1.0e-5 : (tensor<4x4xf32>, tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4x1xf32>)
  // CHECK: aten.mm {{.*}} #titan.policy<must_save>
  %1 = aten.mm %t, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0#0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// A tuple of which one element is left is still a tuple.
// LOG: (1 mm ops found, 1 saved)
// CHECK-LABEL: func @first_output_is_the_only_element
func.func @first_output_is_the_only_element(%x: tensor<4x4xf32>, %t: tensor<4x4xf32> {titan.role = #titan.role<tangent>})
    -> (tensor<4x4xf32>, tensor<4x4xf32>) attributes {titan.joint = 1} {
  %0 = aten.split.Tensor %x, 4 {titan.names = ["getitem"], titan.tuple_name = "split"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: aten.mm {{.*}} #titan.policy<must_save>
  %1 = aten.mm %t, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// A buffer's update is the first output, as in mixtures of experts: the forward
// behind it is untagged, and so is what only a second output needs.
// LOG: (0 mm ops found, 0 saved)
// CHECK-LABEL: func @first_output_is_made_early
func.func @first_output_is_made_early(%buffer: tensor<4xi64>, %x: tensor<4x4xf32>)
    -> (tensor<4xi64>, tensor<4x4xf32>) attributes {titan.joint = 2} {
  // CHECK: aten.add.Tensor {{.*}} #titan.policy<prefer_recompute>
  %0 = aten.add.Tensor %buffer, 1 : (tensor<4xi64>) -> tensor<4xi64>
  // CHECK: aten.mm %arg1, %arg1 :
  %1 = aten.mm %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: aten.relu %{{.*}} : (
  %2 = aten.relu %1 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %2 : tensor<4xi64>, tensor<4x4xf32>
}

// -----

// The same value as first and third output.
// LOG: (0 mm ops found, 0 saved)
// CHECK-LABEL: func @first_output_comes_again
func.func @first_output_comes_again(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) attributes {titan.joint = 3} {
  // CHECK: aten.relu {{.*}} #titan.policy<prefer_recompute>
  %0 = aten.relu %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: aten.neg %{{.*}} : (
  %1 = aten.neg %0 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %1, %0 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// A product that nothing reads is tagged and takes its turn.
// LOG: (2 mm ops found, 1 saved)
// CHECK-LABEL: func @dead_product_counts
func.func @dead_product_counts(%x: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {titan.joint = 1} {
  // CHECK: aten.mm {{.*}} #titan.policy<must_save>
  %0 = aten.mm %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: aten.mm {{.*}} #titan.policy<prefer_recompute>
  %1 = aten.mm %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// A backward op that stands before the first output is tagged as if forward.
// LOG: (2 mm ops found, 1 saved)
// CHECK-LABEL: func @backward_before_the_stop
func.func @backward_before_the_stop(%x: tensor<4x4xf32>, %t: tensor<4x4xf32> {titan.role = #titan.role<tangent>})
    -> (tensor<4x4xf32>, tensor<4x4xf32>) attributes {titan.joint = 1} {
  // CHECK: aten.mm %arg1, %arg0 {{.*}} #titan.policy<must_save>
  %0 = aten.mm %t, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: aten.mm %arg0, %arg0 {{.*}} #titan.policy<prefer_recompute>
  %1 = aten.mm %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1, %0 : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// The scattered sum is saved as it is launched; the wait runs again.
// LOG: (0 mm ops found, 0 saved)
// CHECK-LABEL: func @wait_behind_a_saved_collective
func.func @wait_behind_a_saved_collective(%x: tensor<4x4xf32>) -> tensor<2x4xf32> attributes {titan.joint = 1} {
  // CHECK: c10d.reduce_scatter_tensor {{.*}} #titan.policy<must_save>
  %0 = c10d.reduce_scatter_tensor %x, "sum", 2, "tp" : (tensor<4x4xf32>) -> tensor<2x4xf32>
  // CHECK: c10d.wait_tensor {{.*}} #titan.policy<prefer_recompute>
  %1 = c10d.wait_tensor %0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// -----

// Ops with several results: the op is tagged, saved or recomputed, the results
// are not.
// LOG: (0 mm ops found, 0 saved)
// CHECK-LABEL: func @several_results
func.func @several_results(%q: tensor<1x2x8x16xbf16>) -> tensor<1x2x8x16xbf16> attributes {titan.joint = 1} {
  // CHECK-NOT: titan.result_recompute
  // CHECK: aten._scaled_dot_product_efficient_attention {{.*}} #titan.policy<must_save>
  %0:4 = aten._scaled_dot_product_efficient_attention %q, %q, %q, none, true : (tensor<1x2x8x16xbf16>, tensor<1x2x8x16xbf16>, tensor<1x2x8x16xbf16>) -> (tensor<1x2x8x16xbf16>, tensor<1x2x32xf32>, tensor<i64>, tensor<i64>)
  // CHECK: aten.topk {{.*}} #titan.policy<prefer_recompute>
  %1:2 = aten.topk %0#0, 2 : (tensor<1x2x8x16xbf16>) -> (tensor<1x2x8x2xbf16>, tensor<1x2x8x2xi64>)
  // CHECK: aten.neg {{.*}} #titan.policy<prefer_recompute>
  %2 = aten.neg %0#0 : (tensor<1x2x8x16xbf16>) -> tensor<1x2x8x16xbf16>
  // CHECK: return
  return %2 : tensor<1x2x8x16xbf16>
}

// -----

// Random ops, writes, symbolic sizes and copies to the host are recomputed like
// all else; an op without results has a region only.
// LOG: (0 mm ops found, 0 saved)
// CHECK-LABEL: func @no_special_treatment
func.func @no_special_treatment(%x: tensor<?x4xf32>, %b: tensor<i1>) -> tensor<?x4xf32> attributes {titan.joint = 1} {
  // CHECK: aten.native_dropout {{.*}} #titan.policy<prefer_recompute>
  %0:2 = aten.native_dropout %x, 0.5, true : (tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xi1>)
  // CHECK: aten.add_.Tensor {{.*}} #titan.policy<prefer_recompute>
  %1 = aten.add_.Tensor %0#0, 1 : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: aten.sym_size.int {{.*}} #titan.policy<prefer_recompute>
  %2 = aten.sym_size.int %1, 0 : (tensor<?x4xf32>) -> index
  // CHECK: titan.sym {{.*}} #titan.policy<prefer_recompute>
  %3 = titan.sym "s0 + 1" = "@0 + 1"(%2) : (index) -> index
  // CHECK: aten._to_copy {{.*}} #titan.policy<prefer_recompute>
  %4 = aten._to_copy %1, device = "cpu" : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: aten._assert_async.msg {{.*}} {titan.ac_graph_id = 0 : i64}
  aten._assert_async.msg %b, "no" : (tensor<i1>) -> ()
  // CHECK: aten.relu {{.*}} #titan.policy<prefer_recompute>
  %5 = aten.relu %1 : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %5 : tensor<?x4xf32>
}

// -----

// The products of the router and of the head are counted like any.
// LOG: (2 mm ops found, 1 saved)
// CHECK-LABEL: func @router_and_head
func.func @router_and_head(%x: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {titan.joint = 1} {
  // CHECK: aten.mm {{.*}} #titan.policy<must_save>
  %0 = aten.mm %x, %x {titan.module = "layers.1.moe.router.gate"} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: aten.mm {{.*}} #titan.policy<prefer_recompute>
  %1 = aten.mm %0, %x {titan.module = "lm_head"} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// What the decomposition leaves: casts of prims, permuted factors, products as
// they were.
// LOG: (1 mm ops found, 1 saved)
// CHECK-LABEL: func @decomposed
func.func @decomposed(%x: tensor<4x4xf32>) -> tensor<4x4xbf16> attributes {titan.joint = 1} {
  // CHECK: prims.convert_element_type {{.*}} #titan.policy<prefer_recompute>
  %0 = prims.convert_element_type %x, bf16 : (tensor<4x4xf32>) -> tensor<4x4xbf16>
  // CHECK: aten.permute {{.*}} #titan.policy<prefer_recompute>
  %1 = aten.permute %0, [1, 0] : (tensor<4x4xbf16>) -> tensor<4x4xbf16>
  // CHECK: aten.mm {{.*}} #titan.policy<must_save>
  %2 = aten.mm %0, %1 : (tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xbf16>
  return %2 : tensor<4x4xbf16>
}

// -----

// Higher-order ops are known by name; the packet torch_attn._varlen_attn, which
// is no overload, never matched one.
// LOG: (0 mm ops found, 0 saved)
// CHECK-LABEL: func @higher_order
func.func @higher_order(%q: tensor<1x2x8x16xbf16>) -> tensor<1x2x8x16xbf16> attributes {titan.joint = 1} {
  // CHECK: "higher_order.flex_attention"{{.*}} #titan.policy<must_save>
  %0 = titan.torch_op "higher_order.flex_attention"(%q) {args = [#titan.arg<0>]} : (tensor<1x2x8x16xbf16>) -> tensor<1x2x8x16xbf16>
  // CHECK: "higher_order.cond"{{.*}} #titan.policy<prefer_recompute>
  %1 = titan.torch_op "higher_order.cond"(%0) {args = [#titan.arg<0>]} : (tensor<1x2x8x16xbf16>) -> tensor<1x2x8x16xbf16>
  // CHECK: "torch_attn._varlen_attn.default"{{.*}} #titan.policy<prefer_recompute>
  %2 = titan.torch_op "torch_attn._varlen_attn.default"(%1) {args = [#titan.arg<0>]} : (tensor<1x2x8x16xbf16>) -> tensor<1x2x8x16xbf16>
  // CHECK: "higher_order.inductor_compiled_code"{{.*}} #titan.policy<must_save>
  %3 = titan.torch_op "higher_order.inductor_compiled_code"(%2) {args = [#titan.arg<0>]} : (tensor<1x2x8x16xbf16>) -> tensor<1x2x8x16xbf16>
  return %3 : tensor<1x2x8x16xbf16>
}

// -----

// What looks like work and is in no list: gathers, all-to-all, batched and
// grouped products.
// LOG: (0 mm ops found, 0 saved)
// CHECK-LABEL: func @not_in_the_set
func.func @not_in_the_set(%x: tensor<2x4x4xf32>) -> tensor<2x4x4xf32> attributes {titan.joint = 1} {
  // CHECK: c10d.all_gather_into_tensor {{.*}} #titan.policy<prefer_recompute>
  %0 = c10d.all_gather_into_tensor %x, 1, "fsdp" : (tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  // CHECK: c10d.all_to_all_single {{.*}} #titan.policy<prefer_recompute>
  %1 = c10d.all_to_all_single %x, [1, 1], [1, 1], "ep" : (tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  // CHECK: aten.bmm {{.*}} #titan.policy<prefer_recompute>
  %2 = aten.bmm %x, %x : (tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  return %2 : tensor<2x4x4xf32>
}
