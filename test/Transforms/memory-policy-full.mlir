// DEFINE: %{policy} = stop=none inherit=getitem,wait region=none boundary-save forward-only save-symbols save-set=none mm-alternate=off recompute=must save-random
// RUN: titan-opt %s --titan-apply-sac='%{policy}' 2>/dev/null | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: titan-opt %s --titan-apply-sac='%{policy} save-selectors=layers.*.moe.router.gate::aten.mm.default,layers.*.attention.inner_attention::higher_order.flex_attention,layers.7.attention.wo::torch.ops.aten.mm.default' \
// RUN:   2>/dev/null | FileCheck %s --check-prefixes=CHECK,SOME

// Everything is recomputed, products and attention too; what draws random
// numbers is saved, and what the selectors say.
// CHECK-LABEL: func @full
func.func @full(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<f32>, tensor<4x4xf32>, tensor<4x4xbf16>, tensor<4x4xf32>) attributes {titan.joint = 5} {
  // NONE: aten.mm {{.*}} #titan.policy<must_recompute>
  // SOME: aten.mm {{.*}} #titan.policy<must_save>
  %0 = aten.mm %x, %x {titan.module = "layers.0.moe.router.gate"} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: aten.mm {{.*}} #titan.policy<must_recompute>
  %1 = aten.mm %0, %x {titan.module = "layers.0.attention.wkv_a"} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: aten._to_copy {{.*}} #titan.policy<must_recompute>
  %2 = aten._to_copy %1, dtype = bf16 {titan.module = "layers.0.moe.router.gate"} : (tensor<4x4xf32>) -> tensor<4x4xbf16>
  // NONE: "higher_order.flex_attention"{{.*}} #titan.policy<must_recompute>
  // SOME: "higher_order.flex_attention"{{.*}} #titan.policy<must_save>
  %3 = titan.torch_op "higher_order.flex_attention"(%2) {args = [#titan.arg<0>], titan.module = "layers.0.attention.inner_attention"} : (tensor<4x4xbf16>) -> tensor<4x4xbf16>
  // CHECK: aten.linear {{.*}} #titan.policy<must_recompute>
  %4 = aten.linear %1, %x {titan.module = "layers.0.feed_forward"} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: aten.max {{.*}} #titan.policy<must_recompute>
  %5 = aten.max %4 {titan.module = "layers.0.feed_forward"} : (tensor<4x4xf32>) -> tensor<f32>
  // CHECK: aten.native_dropout {{.*}}titan.recompute = #titan.policy<must_save>
  %6:2 = aten.native_dropout %4, 0.5, true {titan.module = "layers.0.feed_forward"} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xi1>)
  // The layer's last value: the next layer reads it to recompute.
  // CHECK: aten.add.Tensor {{.*}} #titan.policy<must_save>
  %7 = aten.add.Tensor %6#0, %4 {titan.module = "layers.0.feed_forward"} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: aten.relu {{.*}} #titan.policy<must_recompute>
  %8 = aten.relu %7 {titan.module = "layers.1.attention"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // NONE: aten.mm {{.*}} #titan.policy<must_recompute>
  // SOME: aten.mm {{.*}} #titan.policy<must_save>
  %9 = aten.mm %x, %x {titan.module = "layers.7.attention.wo"} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: aten.mm {{.*}} #titan.policy<must_recompute>
  %10 = aten.mm %x, %x {titan.module = "layers.8.attention.wo"} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %10, %5, %9, %3, %8 : tensor<4x4xf32>, tensor<f32>, tensor<4x4xf32>, tensor<4x4xbf16>, tensor<4x4xf32>
}
