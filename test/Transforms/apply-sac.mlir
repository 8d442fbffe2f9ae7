// RUN: titan-opt %s --titan-apply-sac --split-input-file 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=LOG --input-file=%t
// RUN: titan-opt %s --titan-apply-sac --titan-apply-sac --split-input-file 2>/dev/null | FileCheck %s

// The defaults: torchtitan's first apply_sac. A second run changes nothing.

// What is in no save set is recomputed, in region 0.
// LOG: Applied selective activation checkpointing (SAC) graph pass (0 mm ops found, 0 saved)
// CHECK-LABEL: func @recomputes_what_is_not_in_the_set
func.func @recomputes_what_is_not_in_the_set(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {titan.joint = 1} {
  // CHECK: aten.add.Tensor %{{.*}} {titan.ac_graph_id = 0 : i64, titan.recompute = #titan.policy<prefer_recompute>}
  %0 = aten.add.Tensor %x, %y : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: aten.relu %{{.*}} {titan.ac_graph_id = 0 : i64, titan.recompute = #titan.policy<prefer_recompute>}
  %1 = aten.relu %0 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// Every op of the graph is in region 0, whatever its policy.
// LOG: (1 mm ops found, 1 saved)
// CHECK-LABEL: func @one_region
func.func @one_region(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {titan.joint = 1} {
  // CHECK: aten.add.Tensor {{.*}} {titan.ac_graph_id = 0 : i64, titan.recompute = #titan.policy<prefer_recompute>}
  %0 = aten.add.Tensor %x, %y : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: aten.mm {{.*}} {titan.ac_graph_id = 0 : i64, titan.recompute = #titan.policy<must_save>}
  %1 = aten.mm %0, %y : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: aten.relu {{.*}} {titan.ac_graph_id = 0 : i64, titan.recompute = #titan.policy<prefer_recompute>}
  %2 = aten.relu %1 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// -----

// Products take turns; max is saved each time.
// LOG: (3 mm ops found, 2 saved)
// CHECK-LABEL: func @every_second_product
func.func @every_second_product(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<f32>) attributes {titan.joint = 2} {
  // CHECK: aten.mm {{.*}} #titan.policy<must_save>
  %0 = aten.mm %x, %y : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: aten.max {{.*}} #titan.policy<must_save>
  %1 = aten.max %0 : (tensor<4x4xf32>) -> tensor<f32>
  // CHECK: aten.mm {{.*}} #titan.policy<prefer_recompute>
  %2 = aten.mm %0, %y : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: aten.add.Tensor {{.*}} #titan.policy<prefer_recompute>
  %3 = aten.add.Tensor %2, %y : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: aten.mm {{.*}} #titan.policy<must_save>
  %4 = aten.mm %3, %y : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %4, %1 : tensor<4x4xf32>, tensor<f32>
}

// -----

// An element of a tuple has no tag of its own.
// LOG: (0 mm ops found, 0 saved)
// CHECK-LABEL: func @elements_stay_untagged
func.func @elements_stay_untagged(%x: tensor<4x4xf32>) -> tensor<2x4xf32> attributes {titan.joint = 1} {
  // CHECK: aten.split.Tensor {{.*}} {titan.ac_graph_id = 0 : i64, titan.recompute = #titan.policy<prefer_recompute>} :
  %0:2 = aten.split.Tensor %x, 2 : (tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  // CHECK: aten.relu {{.*}} #titan.policy<prefer_recompute>
  %1 = aten.relu %0#0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// -----

// A module without a joint function is left alone.
// CHECK-LABEL: func @no_joint_function
func.func @no_joint_function(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: aten.relu %arg0 :
  %0 = aten.relu %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
