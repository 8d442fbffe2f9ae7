// RUN: titan-opt %s --titan-apply-sac='save-ops=aten.add.Tensor' 2>%t | FileCheck %s --check-prefixes=CHECK,ADD
// RUN: FileCheck %s --check-prefix=LOG --input-file=%t
// RUN: titan-opt %s --titan-apply-sac='save-ops=torch.ops.aten.relu.default,aten::add.Tensor' 2>/dev/null | FileCheck %s --check-prefixes=CHECK,BOTH
// RUN: titan-opt %s --titan-apply-sac='save-set=none' 2>/dev/null | FileCheck %s --check-prefixes=CHECK,NONE

// A save list replaces the save set, but the turns of aten.mm win over both: the
// first product is saved though no list has it.
// LOG: Applied selective activation checkpointing (SAC) graph pass (2 mm ops found, 1 saved)
// CHECK-LABEL: func @custom_list
func.func @custom_list(%x: tensor<4x4xf32>, %t: tensor<4x4xf32> {titan.role = #titan.role<tangent>})
    -> (tensor<4x4xf32>, tensor<4x4xf32>) attributes {titan.joint = 1} {
  // CHECK: aten.mm {{.*}} #titan.policy<must_save>
  %0 = aten.mm %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // ADD: aten.add.Tensor {{.*}} #titan.policy<must_save>
  // BOTH: aten.add.Tensor {{.*}} #titan.policy<must_save>
  // NONE: aten.add.Tensor {{.*}} #titan.policy<prefer_recompute>
  %1 = aten.add.Tensor %0, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // ADD: aten.relu {{.*}} #titan.policy<prefer_recompute>
  // BOTH: aten.relu {{.*}} #titan.policy<must_save>
  // NONE: aten.relu {{.*}} #titan.policy<prefer_recompute>
  %2 = aten.relu %1 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: aten.mm {{.*}} #titan.policy<prefer_recompute>
  %3 = aten.mm %2, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: aten.mm %arg1, %arg0 :
  %4 = aten.mm %t, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %3, %4 : tensor<4x4xf32>, tensor<4x4xf32>
}
