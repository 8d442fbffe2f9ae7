// DEFINE: %{policy} = stop=none inherit=getitem,wait region=none boundary-save forward-only save-symbols save-set=head mm-alternate=off
// RUN: titan-opt %s --titan-apply-sac='%{policy}' --split-input-file 2>%t | FileCheck %s --check-prefixes=CHECK,FREE
// RUN: FileCheck %s --check-prefix=LOG --input-file=%t
// RUN: titan-opt %s --titan-apply-sac='%{policy} save-gathered-params' --split-input-file 2>/dev/null | FileCheck %s --check-prefixes=CHECK,KEEP

// torchtitan's policy of today: no turns among products, no regions.
// LOG: Applied selective activation checkpointing (SAC) graph pass.
// LOG-NEXT: Layer non-layer: 4 MUST_SAVE, 1 RECOMPUTE
// CHECK-LABEL: func @products_take_no_turns
// CHECK-NOT: titan.ac_graph_id
func.func @products_take_no_turns(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<f32>) attributes {titan.joint = 2} {
  // CHECK: aten.mm {{.*}} #titan.policy<must_save>
  %0 = aten.mm %x, %y : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: aten.max {{.*}} #titan.policy<must_save>
  %1 = aten.max %0 : (tensor<4x4xf32>) -> tensor<f32>
  // CHECK: aten.mm {{.*}} #titan.policy<must_save>
  %2 = aten.mm %0, %y : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: aten.add.Tensor {{.*}} #titan.policy<prefer_recompute>
  %3 = aten.add.Tensor %2, %y : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: aten.mm {{.*}} #titan.policy<must_save>
  %4 = aten.mm %3, %y : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %4, %1 : tensor<4x4xf32>, tensor<f32>
}

// -----

// What a later layer reads to recompute is saved; of a tuple, the element.
// LOG: Applied selective activation checkpointing (SAC) graph pass.
// LOG-NEXT: Forced 2 nodes to MUST_SAVE at layer boundaries
// LOG-NEXT: Layer 0: 2 MUST_SAVE, 1 RECOMPUTE
// LOG-NEXT: Layer 1: 0 MUST_SAVE, 2 RECOMPUTE
// CHECK-LABEL: func @boundary
func.func @boundary(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<2x4xf32>) attributes {titan.joint = 2} {
  // CHECK: aten.add.Tensor {{.*}} #titan.policy<must_save>
  %0 = aten.add.Tensor %x, %x {titan.module = "layers.0.feed_forward"} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: aten.relu {{.*}} #titan.policy<prefer_recompute>
  %1 = aten.relu %0 {titan.module = "layers.1.attention"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: aten.split.Tensor
  // CHECK-SAME: titan.recompute = #titan.policy<prefer_recompute>
  // CHECK-SAME: titan.result_recompute = [#titan.policy<must_save>, #titan.none]
  %2:2 = aten.split.Tensor %0, 2 {titan.module = "layers.0.feed_forward", titan.names = ["getitem", ""], titan.tuple_name = "split"} : (tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  // CHECK: aten.neg {{.*}} #titan.policy<prefer_recompute>
  %3 = aten.neg %2#0 {titan.module = "layers.1.attention"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %1, %3 : tensor<4x4xf32>, tensor<2x4xf32>
}

// -----

// Two layers behind an embedding, before a head: the worked example. The
// embedding is a boundary, the head is left alone, and so is the backward.
// LOG: Applied selective activation checkpointing (SAC) graph pass.
// LOG-NEXT: Forced 2 nodes to MUST_SAVE at layer boundaries
// LOG-NEXT: Layer non-layer: 1 MUST_SAVE, 0 RECOMPUTE
// LOG-NEXT: Layer 0: 2 MUST_SAVE, 1 RECOMPUTE
// LOG-NEXT: Layer 1: 1 MUST_SAVE, 2 RECOMPUTE
// CHECK-LABEL: func @two_layers
func.func @two_layers(%table: tensor<16x4xf32>, %ids: tensor<4xi64>, %w0: tensor<4x4xf32>, %w1: tensor<4x4xf32>,
                      %wh: tensor<4x16xf32>, %t: tensor<4x16xf32> {titan.role = #titan.role<tangent>})
    -> (tensor<4x16xf32>, tensor<4x16xf32>) attributes {titan.joint = 1} {
  // CHECK: %e = {{.*}} #titan.policy<must_save>
  %e = aten.embedding %table, %ids {titan.names = ["e"]} : (tensor<16x4xf32>, tensor<4xi64>) -> tensor<4x4xf32>
  // CHECK: %n0 = {{.*}} #titan.policy<prefer_recompute>
  %n0 = aten.relu %e {titan.module = "layers.0.norm", titan.names = ["n0"]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: %m0 = {{.*}} #titan.policy<must_save>
  %m0 = aten.mm %n0, %w0 {titan.module = "layers.0.wq", titan.names = ["m0"]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: %a0 = {{.*}} #titan.policy<must_save>
  %a0 = aten.add.Tensor %m0, %e {titan.module = "layers.0", titan.names = ["a0"]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: %n1 = {{.*}} #titan.policy<prefer_recompute>
  %n1 = aten.relu %a0 {titan.module = "layers.1.norm", titan.names = ["n1"]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: %m1 = {{.*}} #titan.policy<must_save>
  %m1 = aten.mm %n1, %w1 {titan.module = "layers.1.wq", titan.names = ["m1"]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: %a1 = {{.*}} #titan.policy<prefer_recompute>
  %a1 = aten.add.Tensor %m1, %a0 {titan.module = "layers.1", titan.names = ["a1"]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: %h = aten.mm
  // CHECK-NOT: titan.recompute
  %h = aten.mm %a1, %wh {titan.module = "lm_head", titan.names = ["h"]} : (tensor<4x4xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  %g = aten.mul.Tensor %t, %h {titan.names = ["g"]} : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  // CHECK: return
  return %h, %g : tensor<4x16xf32>, tensor<4x16xf32>
}

// -----

// A whole parameter is saved only where it is not gathered again; the gather
// and the views behind it never are.
// CHECK-LABEL: func @gathered_parameter
func.func @gathered_parameter(%w: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> attributes {titan.joint = 1} {
  // CHECK: c10d.all_gather_into_tensor {{.*}} #titan.policy<prefer_recompute>
  %0 = c10d.all_gather_into_tensor %w, 1, "0" : (tensor<4xf32>) -> tensor<4xf32>
  // FREE: c10d.wait_tensor {{.*}} #titan.policy<prefer_recompute>
  // KEEP: c10d.wait_tensor {{.*}} #titan.policy<must_save>
  %1 = c10d.wait_tensor %0 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: aten.view {{.*}} #titan.policy<prefer_recompute>
  %2 = aten.view %1, [4] : (tensor<4xf32>) -> tensor<4xf32>
  %3 = aten.add.Tensor %2, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

// A symbolic size is saved whatever made it; a wait and an element take the tag
// of their producer.
// CHECK-LABEL: func @inherits
func.func @inherits(%x: tensor<?x4xf32>, %y: tensor<4x4xf32>) -> (index, tensor<2x4xf32>, tensor<4x4xf32>) attributes {titan.joint = 3} {
  // CHECK: aten.relu {{.*}} #titan.policy<prefer_recompute>
  %0 = aten.relu %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  // CHECK: aten.sym_size.int {{.*}} #titan.policy<must_save>
  %1 = aten.sym_size.int %0, 0 : (tensor<?x4xf32>) -> index
  // CHECK: c10d.reduce_scatter_tensor {{.*}} #titan.policy<must_save>
  %2 = c10d.reduce_scatter_tensor %y, "sum", 2, "tp" {titan.module = "layers.3.attention"} : (tensor<4x4xf32>) -> tensor<2x4xf32>
  // CHECK: c10d.wait_tensor {{.*}} #titan.policy<must_save>
  %3 = c10d.wait_tensor %2 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: aten.topk
  // CHECK-SAME: titan.recompute = #titan.policy<must_save>
  // CHECK-SAME: titan.result_recompute = [#titan.policy<must_save>, #titan.policy<must_save>]
  %4:2 = aten.topk %y, 4 : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xi64>)
  return %1, %3, %4#0 : index, tensor<2x4xf32>, tensor<4x4xf32>
}
