// A weight in shards: gathered, waited for, used; the backward needs it gathered.
// RUN: titan-opt %s --titan-partition=compat=pytorch --split-input-file | FileCheck %s
// RUN: titan-opt %s --titan-partition --split-input-file | FileCheck %s

// Without tags the gathered weight is saved: one gather in all, since ranks that
// decided differently would wait for each other for ever.
// CHECK-LABEL: func.func @forward(
// CHECK: c10d.all_gather_into_tensor
// CHECK-NEXT: %w = c10d.wait_tensor
// CHECK: return %y, {{.*}}%{{w|wt}}
// CHECK-LABEL: func.func @backward(
// CHECK-NOT: c10d.all_gather_into_tensor
// CHECK: c10d.reduce_scatter_tensor
// CHECK-NEXT: c10d.wait_tensor
// CHECK-NOT: c10d
// CHECK: return
func.func @joint(%p: tensor<2x4xf32> {titan.name = "p", titan.role = #titan.role<param>},
                 %x: tensor<8x4xf32> {titan.name = "x", titan.role = #titan.role<input>},
                 %t: tensor<8x4xf32> {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (tensor<8x4xf32> {titan.name = "y"}, tensor<2x4xf32> {titan.name = "gp"}, tensor<8x4xf32> {titan.name = "gx"})
    attributes {titan.joint = 1 : i64} {
  %ag = c10d.all_gather_into_tensor %p, 2, "0" {titan.names = ["ag"]} : (tensor<2x4xf32>) -> tensor<4x4xf32>
  %w = c10d.wait_tensor %ag {titan.names = ["w"]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = aten.mm %x, %w {titan.names = ["y"]} : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %wt = aten.t %w {titan.names = ["wt"]} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %gx = aten.mm %t, %wt {titan.names = ["gx"]} : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %xt = aten.t %x {titan.names = ["xt"]} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %gw = aten.mm %xt, %t {titan.names = ["gw"]} : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %rs = c10d.reduce_scatter_tensor %gw, "sum", 2, "0" {titan.names = ["rs"]} : (tensor<4x4xf32>) -> tensor<2x4xf32>
  %gp = c10d.wait_tensor %rs {titan.names = ["gp"]} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y, %gp, %gx : tensor<8x4xf32>, tensor<2x4xf32>, tensor<8x4xf32>
}

// -----

// With the chain tagged the shard is saved and gathered again: two gathers.
// CHECK-LABEL: func.func @forward(
// CHECK: c10d.all_gather_into_tensor
// CHECK-NEXT: c10d.wait_tensor
// CHECK: return %y, %arg0, %arg1
// CHECK-LABEL: func.func @backward(
// CHECK-SAME: %arg0: tensor<2x4xf32> {titan.name = "p", titan.role = #titan.role<saved>}
// CHECK: %ag = c10d.all_gather_into_tensor %arg0
// CHECK-NEXT: %w = c10d.wait_tensor %ag
// CHECK-NEXT: %wt = aten.t %w
// CHECK-NEXT: %gx = aten.mm %arg2, %wt
// CHECK: c10d.reduce_scatter_tensor
func.func @joint(%p: tensor<2x4xf32> {titan.name = "p", titan.role = #titan.role<param>},
                 %x: tensor<8x4xf32> {titan.name = "x", titan.role = #titan.role<input>},
                 %t: tensor<8x4xf32> {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (tensor<8x4xf32> {titan.name = "y"}, tensor<2x4xf32> {titan.name = "gp"}, tensor<8x4xf32> {titan.name = "gx"})
    attributes {titan.joint = 1 : i64} {
  %ag = c10d.all_gather_into_tensor %p, 2, "0" {titan.names = ["ag"], titan.recompute = #titan.policy<must_recompute>} : (tensor<2x4xf32>) -> tensor<4x4xf32>
  %w = c10d.wait_tensor %ag {titan.names = ["w"], titan.recompute = #titan.policy<must_recompute>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = aten.mm %x, %w {titan.names = ["y"]} : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %wt = aten.t %w {titan.names = ["wt"], titan.recompute = #titan.policy<must_recompute>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %gx = aten.mm %t, %wt {titan.names = ["gx"]} : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %xt = aten.t %x {titan.names = ["xt"], titan.recompute = #titan.policy<must_recompute>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %gw = aten.mm %xt, %t {titan.names = ["gw"]} : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %rs = c10d.reduce_scatter_tensor %gw, "sum", 2, "0" {titan.names = ["rs"]} : (tensor<4x4xf32>) -> tensor<2x4xf32>
  %gp = c10d.wait_tensor %rs {titan.names = ["gp"]} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y, %gp, %gx : tensor<8x4xf32>, tensor<2x4xf32>, tensor<8x4xf32>
}
