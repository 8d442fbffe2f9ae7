// Checkpointed regions, as the tags of their ops say.
// RUN: titan-opt %s --titan-partition=compat=pytorch --split-input-file | FileCheck %s
// RUN: titan-opt %s --titan-partition --split-input-file | FileCheck %s

// sigmoid(mm(x, y)): one product in the forward, three in the backward, one of
// them recomputed, as is the sigmoid (PyTorch's own count).
// CHECK-LABEL: func.func @forward(
// CHECK-COUNT-1: aten.mm
// CHECK-NOT: aten.mm
// CHECK: return %s, %arg0, %arg1
// CHECK-LABEL: func.func @backward(
// CHECK: %m = aten.mm
// CHECK-NEXT: %s = aten.sigmoid %m
// CHECK-NEXT: aten.sigmoid_backward %arg2, %s
// CHECK-COUNT-2: aten.mm
// CHECK-NOT: aten.mm
// CHECK: return
func.func @joint(%x: tensor<4x4xf32> {titan.name = "x", titan.role = #titan.role<input>},
                 %y: tensor<4x4xf32> {titan.name = "y", titan.role = #titan.role<input>},
                 %t: tensor<4x4xf32> {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (tensor<4x4xf32> {titan.name = "s"}, tensor<4x4xf32> {titan.name = "gx"}, tensor<4x4xf32> {titan.name = "gy"})
    attributes {titan.joint = 1 : i64} {
  %m = aten.mm %x, %y {titan.names = ["m"], titan.recompute = #titan.policy<prefer_recompute>, titan.ac_graph_id = 0 : i64} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = aten.sigmoid %m {titan.names = ["s"], titan.recompute = #titan.policy<prefer_recompute>, titan.ac_graph_id = 0 : i64} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %gs = aten.sigmoid_backward %t, %s {titan.names = ["gs"]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %xt = aten.t %x {titan.names = ["xt"]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %gy = aten.mm %xt, %gs {titan.names = ["gy"]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %yt = aten.t %y {titan.names = ["yt"]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %gx = aten.mm %gs, %yt {titan.names = ["gx"]} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %s, %gx, %gy : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// Two regions back to back: the tensor between them is saved, once; each region
// runs again when its own backward comes, the later one first.
// CHECK-LABEL: func.func @forward(
// CHECK: return %b, %arg0, %a2 :
// CHECK-LABEL: func.func @backward(
// CHECK-SAME: titan.name = "x", titan.role = #titan.role<saved>
// CHECK-SAME: titan.name = "a2", titan.role = #titan.role<saved>
// CHECK-NEXT: %b1 = aten.cos %arg1
// CHECK-NEXT: %gb = aten.mul.Tensor %arg2, %b1
// CHECK-NEXT: %a1 = aten.cos %arg0
// CHECK-NEXT: %ga = aten.mul.Tensor %gb, %a1
// CHECK-NEXT: return %ga
func.func @joint(%x: tensor<4xf32> {titan.name = "x", titan.role = #titan.role<input>},
                 %t: tensor<4xf32> {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (tensor<4xf32> {titan.name = "b"}, tensor<4xf32> {titan.name = "ga"})
    attributes {titan.joint = 1 : i64} {
  %a1 = aten.cos %x {titan.names = ["a1"], titan.recompute = #titan.policy<prefer_recompute>, titan.ac_graph_id = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %a2 = aten.sin %a1 {titan.names = ["a2"], titan.recompute = #titan.policy<prefer_recompute>, titan.ac_graph_id = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %b1 = aten.cos %a2 {titan.names = ["b1"], titan.recompute = #titan.policy<prefer_recompute>, titan.ac_graph_id = 2 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %b = aten.sin %b1 {titan.names = ["b"], titan.recompute = #titan.policy<prefer_recompute>, titan.ac_graph_id = 2 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %gb = aten.mul.Tensor %t, %b1 {titan.names = ["gb"]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %ga = aten.mul.Tensor %gb, %a1 {titan.names = ["ga"]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %b, %ga : tensor<4xf32>, tensor<4xf32>
}

// -----

// A mask that is recomputed has one state with the first.
// CHECK-LABEL: func.func @forward(
// CHECK: %rng_state_output_0, %mask = titan.torch_op "higher_order.run_and_save_rng_state"(%arg0) {args = [#titan.python<"torch.ops.aten.bernoulli.p">, #titan.arg<0>, 5.000000e-01]
// CHECK: return %y, %arg0, %rng_state_output_0
// CHECK-LABEL: func.func @backward(
// CHECK-SAME: %arg1: !titan.opaque<"rng_state"> {titan.name = "rng_state_output_0", titan.role = #titan.role<saved>}
// CHECK-SAME: %arg2: tensor<4xf32> {titan.name = "t", titan.role = #titan.role<tangent>}
// CHECK-NEXT: %mask = titan.torch_op "higher_order.run_with_rng_state"(%arg1, %arg0) {args = [#titan.arg<0>, #titan.python<"torch.ops.aten.bernoulli.p">, #titan.arg<1>, 5.000000e-01]
// CHECK-NEXT: %gx = aten.mul.Tensor %arg2, %mask
func.func @joint(%x: tensor<4xf32> {titan.name = "x", titan.role = #titan.role<input>},
                 %t: tensor<4xf32> {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (tensor<4xf32> {titan.name = "y"}, tensor<4xf32> {titan.name = "gx"})
    attributes {titan.joint = 1 : i64} {
  %mask = aten.bernoulli.p %x, 0.5 {titan.names = ["mask"], titan.recompute = #titan.policy<must_recompute>} : (tensor<4xf32>) -> tensor<4xf32>
  %y = aten.mul.Tensor %x, %mask {titan.names = ["y"]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %gx = aten.mul.Tensor %t, %mask {titan.names = ["gx"]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y, %gx : tensor<4xf32>, tensor<4xf32>
}

// -----

// Without a tag the mask is saved, and there is no state.
// CHECK-LABEL: func.func @forward(
// CHECK: %mask = aten.bernoulli.p
// CHECK: return %y, %mask
// CHECK-LABEL: func.func @backward(
// CHECK-NEXT: %gx = aten.mul.Tensor %arg1, %arg0
func.func @joint(%x: tensor<4xf32> {titan.name = "x", titan.role = #titan.role<input>},
                 %t: tensor<4xf32> {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (tensor<4xf32> {titan.name = "y"}, tensor<4xf32> {titan.name = "gx"})
    attributes {titan.joint = 1 : i64} {
  %mask = aten.bernoulli.p %x, 0.5 {titan.names = ["mask"]} : (tensor<4xf32>) -> tensor<4xf32>
  %y = aten.mul.Tensor %x, %mask {titan.names = ["y"]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %gx = aten.mul.Tensor %t, %mask {titan.names = ["gx"]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y, %gx : tensor<4xf32>, tensor<4xf32>
}
