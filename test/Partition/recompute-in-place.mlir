// RUN: titan-opt %s --titan-recompute-in-place --split-input-file | FileCheck %s

// All that the backward reads is copied before it, in graph order, and the
// originals go (torchtitan's test of topological insertion).
// CHECK-LABEL: func.func @copies_in_graph_order
func.func @copies_in_graph_order(%i1: tensor<4xf32>, %i2: tensor<4xf32>, %i3: tensor<4xf32>)
    -> tensor<4xf32> attributes {titan.joint = 0 : i64} {
  // CHECK-NEXT: %a_recomputed = aten.clone %arg0
  // CHECK-SAME: titan.names = ["a_recomputed"]
  // CHECK-SAME: titan.phase = #titan.phase<backward>
  // CHECK-SAME: titan.recompute = #titan.policy<must_recompute>
  // CHECK-NEXT: %b_recomputed = aten.clone %arg1
  // CHECK-NEXT: %d_recomputed = aten.clone %arg2
  // CHECK-NEXT: %c_recomputed = aten.add.Tensor %a_recomputed, %b_recomputed
  // CHECK-NEXT: %e_recomputed = aten.add.Tensor %c_recomputed, %d_recomputed
  // CHECK-NEXT: %g = aten.add.Tensor %e_recomputed, %e_recomputed
  // CHECK-NEXT: return %g
  %a = aten.clone %i1 {titan.names = ["a"], titan.recompute = #titan.policy<must_recompute>} : (tensor<4xf32>) -> tensor<4xf32>
  %b = aten.clone %i2 {titan.names = ["b"], titan.recompute = #titan.policy<must_recompute>} : (tensor<4xf32>) -> tensor<4xf32>
  %d = aten.clone %i3 {titan.names = ["d"], titan.recompute = #titan.policy<must_recompute>} : (tensor<4xf32>) -> tensor<4xf32>
  %c = aten.add.Tensor %a, %b {titan.names = ["c"], titan.recompute = #titan.policy<prefer_recompute>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %e = aten.add.Tensor %c, %d {titan.names = ["e"], titan.recompute = #titan.policy<prefer_recompute>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %g = aten.add.Tensor %e, %e {titan.names = ["g"], titan.phase = #titan.phase<backward>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

// The backward of the loss reads originals; only what the layers' backward
// needs is copied.
// CHECK-LABEL: func.func @leaves_the_loss_alone
func.func @leaves_the_loss_alone(%i1: tensor<4xf32>, %i2: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) attributes {titan.joint = 0 : i64} {
  // CHECK-NEXT: %a = aten.clone %arg0
  // CHECK-NEXT: %l = aten.add.Tensor %a, %a
  // CHECK-NEXT: %n = aten.neg %arg0
  // CHECK-NEXT: %b_recomputed = aten.clone %arg1
  // CHECK-NEXT: %g = aten.mul.Tensor %b_recomputed, %b_recomputed
  // CHECK-NEXT: return %l, %n, %g
  %a = aten.clone %i1 {titan.names = ["a"], titan.recompute = #titan.policy<must_recompute>} : (tensor<4xf32>) -> tensor<4xf32>
  %b = aten.clone %i2 {titan.names = ["b"], titan.recompute = #titan.policy<must_recompute>} : (tensor<4xf32>) -> tensor<4xf32>
  %l = aten.add.Tensor %a, %a {titan.names = ["l"], titan.module = "loss", titan.phase = #titan.phase<backward>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %n = aten.neg %i1 {titan.names = ["n"]} : (tensor<4xf32>) -> tensor<4xf32>
  %g = aten.mul.Tensor %b, %b {titan.names = ["g"], titan.module = "layers.0.attention", titan.phase = #titan.phase<backward>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %l, %n, %g : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// A value that the loss and a layer read: the loss keeps the original, since the
// copy comes after it. (Redirecting every reader would read before defining.)
// CHECK-LABEL: func.func @copy_does_not_reach_back
func.func @copy_does_not_reach_back(%i1: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) attributes {titan.joint = 0 : i64} {
  // CHECK-NEXT: %a = aten.clone %arg0
  // CHECK-NEXT: %l = aten.add.Tensor %a, %a
  // CHECK-NEXT: %a_recomputed = aten.clone %arg0
  // CHECK-NEXT: %g = aten.mul.Tensor %a_recomputed, %a_recomputed
  %a = aten.clone %i1 {titan.names = ["a"], titan.recompute = #titan.policy<must_recompute>} : (tensor<4xf32>) -> tensor<4xf32>
  %l = aten.add.Tensor %a, %a {titan.names = ["l"], titan.module = "loss", titan.phase = #titan.phase<backward>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %g = aten.mul.Tensor %a, %a {titan.names = ["g"], titan.phase = #titan.phase<backward>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %l, %g : tensor<4xf32>, tensor<4xf32>
}

// -----

// With a reader in the forward the original stays; each reads its own.
// CHECK-LABEL: func.func @forward_reader_keeps_the_original
func.func @forward_reader_keeps_the_original(%i1: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) attributes {titan.joint = 1 : i64} {
  // CHECK-NEXT: %a = aten.clone %arg0
  // CHECK-NEXT: %f = aten.add.Tensor %a, %a
  // CHECK-NEXT: %a_recomputed = aten.clone %arg0
  // CHECK-NEXT: %g = aten.add.Tensor %a_recomputed, %a_recomputed
  %a = aten.clone %i1 {titan.names = ["a"], titan.recompute = #titan.policy<must_recompute>} : (tensor<4xf32>) -> tensor<4xf32>
  %f = aten.add.Tensor %a, %a {titan.names = ["f"]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %g = aten.add.Tensor %a, %a {titan.names = ["g"], titan.phase = #titan.phase<backward>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %f, %g : tensor<4xf32>, tensor<4xf32>
}

// -----

// A copy of a higher-order op calls the same function and reads the same
// constant.
// CHECK-LABEL: func.func @higher_order_op
func.func @higher_order_op(%i1: tensor<4xf32>,
                           %c: tensor<4xf32> {titan.name = "const", titan.role = #titan.role<constant>})
    -> tensor<4xf32> attributes {titan.joint = 0 : i64} {
  // CHECK-NEXT: %a_recomputed = titan.torch_op "higher_order.invoke_subgraph"(%arg0, %arg1) {args = [@subgraph, "subgraph", #titan.arg<0>, #titan.arg<1>]
  // CHECK-NEXT: %g = aten.add.Tensor %a_recomputed, %a_recomputed
  %a = titan.torch_op "higher_order.invoke_subgraph"(%i1, %c) {args = [@subgraph, "subgraph", #titan.arg<0>, #titan.arg<1>], titan.names = ["a"], titan.recompute = #titan.policy<must_recompute>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %g = aten.add.Tensor %a, %a {titan.names = ["g"], titan.phase = #titan.phase<backward>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
func.func private @subgraph(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = aten.add.Tensor %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// What was offloaded is read from its reload, which moves up in front of the
// copy.
// CHECK-LABEL: func.func @hoists_the_reload
func.func @hoists_the_reload(%i1: tensor<4xf32>, %i2: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) attributes {titan.joint = 0 : i64} {
  // CHECK-NEXT: %f = aten.clone %arg0
  // CHECK-NEXT: %o = titan.torch_op "ao.offload.default"(%f)
  // CHECK-NEXT: %w = titan.torch_op "ao.wait_tensor.default"(%o, %f)
  // CHECK-NEXT: %r = titan.torch_op "ao.reload.default"(%w)
  // CHECK-NEXT: %v = titan.torch_op "ao.wait_tensor.default"(%r)
  // CHECK-NEXT: %n_recomputed = aten.add.Tensor %v, %arg1
  // CHECK-NEXT: %use = aten.mul.Tensor %n_recomputed, %n_recomputed
  // CHECK-NEXT: %late = aten.mul.Tensor %v, %v
  %f = aten.clone %i1 {titan.names = ["f"]} : (tensor<4xf32>) -> tensor<4xf32>
  %o = titan.torch_op "ao.offload.default"(%f) {args = [#titan.arg<0>], titan.names = ["o"]} : (tensor<4xf32>) -> tensor<4xf32>
  %w = titan.torch_op "ao.wait_tensor.default"(%o, %f) {args = [#titan.arg<0>, #titan.arg<1>], titan.names = ["w"]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %n = aten.add.Tensor %f, %i2 {titan.names = ["n"], titan.recompute = #titan.policy<must_recompute>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %use = aten.mul.Tensor %n, %n {titan.names = ["use"], titan.phase = #titan.phase<backward>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r = titan.torch_op "ao.reload.default"(%w) {args = [#titan.arg<0>, "cuda"], titan.names = ["r"], titan.phase = #titan.phase<backward>} : (tensor<4xf32>) -> tensor<4xf32>
  %v = titan.torch_op "ao.wait_tensor.default"(%r) {args = [#titan.arg<0>], titan.names = ["v"], titan.phase = #titan.phase<backward>} : (tensor<4xf32>) -> tensor<4xf32>
  %late = aten.mul.Tensor %v, %v {titan.names = ["late"], titan.phase = #titan.phase<backward>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %use, %late : tensor<4xf32>, tensor<4xf32>
}

// -----

// A reload that is there already does not move.
// CHECK-LABEL: func.func @reload_that_is_early_stays
func.func @reload_that_is_early_stays(%i1: tensor<4xf32>, %i2: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) attributes {titan.joint = 0 : i64} {
  // CHECK: %early = aten.neg %arg1
  // CHECK-NEXT: %r = titan.torch_op "ao.reload.default"(%w)
  // CHECK-NEXT: %v = titan.torch_op "ao.wait_tensor.default"(%r)
  // CHECK-NEXT: %middle = aten.mul.Tensor %v, %v
  // CHECK-NEXT: %n_recomputed = aten.add.Tensor %v, %arg1
  // CHECK-NEXT: %use = aten.mul.Tensor %n_recomputed, %n_recomputed
  %f = aten.clone %i1 {titan.names = ["f"]} : (tensor<4xf32>) -> tensor<4xf32>
  %o = titan.torch_op "ao.offload.default"(%f) {args = [#titan.arg<0>], titan.names = ["o"]} : (tensor<4xf32>) -> tensor<4xf32>
  %w = titan.torch_op "ao.wait_tensor.default"(%o, %f) {args = [#titan.arg<0>, #titan.arg<1>], titan.names = ["w"]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %n = aten.add.Tensor %f, %i2 {titan.names = ["n"], titan.recompute = #titan.policy<must_recompute>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %early = aten.neg %i2 {titan.names = ["early"], titan.phase = #titan.phase<backward>} : (tensor<4xf32>) -> tensor<4xf32>
  %r = titan.torch_op "ao.reload.default"(%w) {args = [#titan.arg<0>, "cuda"], titan.names = ["r"], titan.phase = #titan.phase<backward>} : (tensor<4xf32>) -> tensor<4xf32>
  %v = titan.torch_op "ao.wait_tensor.default"(%r) {args = [#titan.arg<0>], titan.names = ["v"], titan.phase = #titan.phase<backward>} : (tensor<4xf32>) -> tensor<4xf32>
  %middle = aten.mul.Tensor %v, %v {titan.names = ["middle"], titan.phase = #titan.phase<backward>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %use = aten.mul.Tensor %n, %n {titan.names = ["use"], titan.phase = #titan.phase<backward>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %early, %middle, %use : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Sigmoid of a product, both tagged, in one function with loss and backward:
// four products and two sigmoids in all (PyTorch's own count).
// CHECK-LABEL: func.func @checkpointed_sigmoid
// CHECK-COUNT-2: aten.mm
// CHECK: %sigmoid_recomputed = aten.sigmoid %mm_recomputed
// CHECK-COUNT-2: aten.mm
// CHECK-NOT: aten.mm
// CHECK-NOT: aten.sigmoid
// CHECK: return
func.func @checkpointed_sigmoid(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>)
    -> (tensor<f32>, tensor<4x4xf32>, tensor<4x4xf32>) attributes {titan.joint = 1 : i64} {
  %mm = aten.mm %a, %b {titan.names = ["mm"], titan.recompute = #titan.policy<prefer_recompute>, titan.ac_graph_id = 0 : i64} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %sigmoid = aten.sigmoid %mm {titan.names = ["sigmoid"], titan.recompute = #titan.policy<prefer_recompute>, titan.ac_graph_id = 0 : i64} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %loss = aten.sum %sigmoid {titan.names = ["loss"]} : (tensor<4x4xf32>) -> tensor<f32>
  %ones = aten.ones_like %sigmoid {titan.names = ["ones"]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %gs = aten.sigmoid_backward %ones, %sigmoid {titan.names = ["gs"], titan.phase = #titan.phase<backward>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %at = aten.t %a {titan.names = ["at"], titan.phase = #titan.phase<backward>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %gb = aten.mm %at, %gs {titan.names = ["gb"], titan.phase = #titan.phase<backward>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %bt = aten.t %b {titan.names = ["bt"], titan.phase = #titan.phase<backward>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %ga = aten.mm %gs, %bt {titan.names = ["ga"], titan.phase = #titan.phase<backward>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %loss, %ga, %gb : tensor<f32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// Between two regions the tensor is saved: only the second relu and what is
// before the border in its own region runs again.
// CHECK-LABEL: func.func @saves_between_regions
func.func @saves_between_regions(%x: tensor<4xf32>) -> tensor<4xf32> attributes {titan.joint = 0 : i64} {
  // CHECK-NEXT: %r0 = aten.relu %arg0
  // CHECK-NEXT: %r1_recomputed = aten.relu %r0
  // CHECK-NEXT: %g = aten.mul.Tensor %r1_recomputed, %r0
  %r0 = aten.relu %x {titan.names = ["r0"], titan.recompute = #titan.policy<must_recompute>, titan.ac_graph_id = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %r1 = aten.relu %r0 {titan.names = ["r1"], titan.recompute = #titan.policy<must_recompute>, titan.ac_graph_id = 2 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %g = aten.mul.Tensor %r1, %r0 {titan.names = ["g"], titan.phase = #titan.phase<backward>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

// Without tags nothing changes.
// CHECK-LABEL: func.func @without_tags
func.func @without_tags(%x: tensor<4xf32>) -> tensor<4xf32> attributes {titan.joint = 0 : i64} {
  // CHECK-NEXT: %r = aten.relu %arg0
  // CHECK-NEXT: %g = aten.neg %r
  %r = aten.relu %x {titan.names = ["r"]} : (tensor<4xf32>) -> tensor<4xf32>
  %g = aten.neg %r {titan.names = ["g"], titan.phase = #titan.phase<backward>} : (tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

// A write to a temporary that is copied as well runs again, on the copy.
// CHECK-LABEL: func.func @repeats_writes_to_temporaries
func.func @repeats_writes_to_temporaries(%x: tensor<4xf32>) -> tensor<4xf32> attributes {titan.joint = 0 : i64} {
  // CHECK-NEXT: %z_recomputed = aten.clone %arg0
  // CHECK-NEXT: %w_recomputed = aten.add_.Tensor %z_recomputed, 1
  // CHECK-NEXT: %g = aten.neg %w_recomputed
  %z = aten.clone %x {titan.names = ["z"], titan.recompute = #titan.policy<must_recompute>} : (tensor<4xf32>) -> tensor<4xf32>
  %w = aten.add_.Tensor %z, 1 {titan.names = ["w"], titan.recompute = #titan.policy<must_recompute>} : (tensor<4xf32>) -> tensor<4xf32>
  %g = aten.neg %w {titan.names = ["g"], titan.phase = #titan.phase<backward>} : (tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
