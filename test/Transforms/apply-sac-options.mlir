// RUN: titan-opt %s --titan-apply-sac='save-ops=aten.add.Tensor' 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=LOG --input-file=%t

// A save list of the user's replaces the save set, but not the turns of aten.mm.
// LOG: Applied selective activation checkpointing (SAC) graph pass (2 mm ops found, 1 saved)
// CHECK-LABEL: func @custom_list
func.func @custom_list(%x: tensor<4x4xf32>, %t: tensor<4x4xf32> {titan.role = #titan.role<tangent>})
    -> (tensor<4x4xf32>, tensor<4x4xf32>) attributes {titan.joint = 1} {
  // CHECK: aten.mm {{.*}}titan.ac_graph_id = 0 : i64{{.*}}#titan.policy<must_save>
  %0 = aten.mm %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: aten.add.Tensor {{.*}}titan.ac_graph_id = 0 : i64{{.*}}#titan.policy<must_save>
  %1 = aten.add.Tensor %0, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: aten.mm {{.*}}titan.ac_graph_id = 0 : i64{{.*}}#titan.policy<prefer_recompute>
  %2 = aten.mm %1, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // Behind the first output.
  // CHECK: aten.mm %arg1, %arg0 :
  %3 = aten.mm %t, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2, %3 : tensor<4x4xf32>, tensor<4x4xf32>
}
