// DEFINE: %{policy} = stop=none inherit=getitem,wait region=none boundary-save forward-only save-symbols save-set=head mm-alternate=per-layer
// RUN: titan-opt %s --titan-apply-sac='%{policy}' 2>/dev/null | FileCheck %s --check-prefixes=CHECK,EAGER
// RUN: titan-opt %s --titan-apply-sac='stop=none mm-alternate=per-layer force-shapes=gate' 2>/dev/null | FileCheck %s --check-prefixes=CHECK,FORCED
// RUN: titan-opt %s --titan-apply-sac='stop=none mm-alternate=per-layer save-ops=aten.relu' 2>/dev/null | FileCheck %s --check-prefix=LISTED
// RUN: titan-opt %s --titan-apply-sac='stop=none mm-alternate=per-layer force-shapes=nowhere' 2>&1 | FileCheck %s --check-prefix=NOWHERE

// NOWHERE: warning: no matrix product in a layer's module that contains 'nowhere': force-shapes has no effect

// The count of products begins anew with each layer and takes linear layers in.
// A forced shape is that of the weight, [in, out]: 4x4 forces both products of
// layer 0 with such a weight, and they take no turn. Where the save list has no
// product, none is saved.
// CHECK-LABEL: func @layers
// LISTED-LABEL: func @layers
func.func @layers(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>, %v: tensor<4x8xf32>, %u: tensor<8x4xf32>, %b: tensor<8x8xf32>) -> tensor<4x8xf32> attributes {titan.joint = 1} {
  // EAGER: aten.mm {{.*}} #titan.policy<must_save>
  // FORCED: aten.mm {{.*}} #titan.policy<prefer_recompute>
  // LISTED: aten.mm {{.*}} #titan.policy<prefer_recompute>
  %0 = aten.mm %x, %w {titan.module = "layers.0.moe.router.gate"} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // EAGER: aten.mm {{.*}} #titan.policy<prefer_recompute>
  // FORCED: aten.mm {{.*}} #titan.policy<prefer_recompute>
  %1 = aten.mm %0, %w {titan.module = "layers.0.attention.wq"} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // The third product, or the first that counts.
  // CHECK: aten.mm {{.*}} #titan.policy<must_save>
  %2 = aten.mm %1, %v {titan.module = "layers.0.output"} : (tensor<4x4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  // A linear layer's weight is stored transposed: 8x4 there is [4, 8].
  // CHECK: aten.linear {{.*}} #titan.policy<prefer_recompute>
  %3 = aten.linear %1, %u {titan.module = "layers.0.output"} : (tensor<4x4xf32>, tensor<8x4xf32>) -> tensor<4x8xf32>
  // Outside the layers the count goes on.
  // CHECK: aten.mm {{.*}} #titan.policy<must_save>
  %4 = aten.mm %3, %b {titan.module = "norm"} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  // CHECK: aten.mm {{.*}} #titan.policy<must_save>
  // LISTED: aten.relu {{.*}} #titan.policy<must_save>
  %5 = aten.mm %4, %b {titan.module = "layers.1.wq"} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %6 = aten.relu %5 {titan.module = "layers.1.wq"} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: aten.mm {{.*}} #titan.policy<prefer_recompute>
  %7 = aten.mm %6, %b {titan.module = "layers.1.wk"} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return %7 : tensor<4x8xf32>
}
