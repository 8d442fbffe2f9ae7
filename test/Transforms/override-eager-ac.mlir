// RUN: titan-opt %s --titan-override-eager-ac --split-input-file 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=LOG --input-file=%t --implicit-check-not=overriding
// RUN: titan-opt %s --titan-override-eager-ac='mode=full' --split-input-file 2>&1 | FileCheck %s --check-prefix=FULL

// Tags that eager checkpointing left go, on ops and on results alike, and the
// mode says so; one message a graph, however many tags.
// LOG: apply_sac graph pass is enabled, overriding eager AC mode to none
// CHECK: module attributes {titan.ac_mode = "none"}
// CHECK-LABEL: func @tagged
// CHECK-NOT: titan.recompute
// CHECK-NOT: titan.ac_graph_id
// CHECK-NOT: titan.result_recompute
// CHECK: return
module {
  func.func @tagged(%x: tensor<4x4xf32>) -> tensor<2x4xf32> attributes {titan.joint = 1} {
    %0 = aten.relu %x {titan.ac_graph_id = 3 : i64, titan.recompute = #titan.policy<must_recompute>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %1:2 = aten.split.Tensor %0, 2 {titan.recompute = #titan.policy<prefer_recompute>, titan.result_recompute = [#titan.policy<must_save>, #titan.none]} : (tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
    return %1#0 : tensor<2x4xf32>
  }
}

// -----

// The mode alone is enough.
// LOG: apply_sac graph pass is enabled, overriding eager AC mode to none
// CHECK: module attributes {titan.ac_mode = "none"}
module attributes {titan.ac_mode = "selective"} {
  func.func @mode(%x: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {titan.joint = 1} {
    %0 = aten.relu %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}

// -----

// Mode none and no tags: nothing to do, nothing to say.
// CHECK: module attributes {titan.ac_mode = "none"}
module attributes {titan.ac_mode = "none"} {
  func.func @quiet(%x: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {titan.joint = 1} {
    %0 = aten.relu %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}

// FULL-COUNT-3: apply_sac graph pass is enabled, overriding eager AC mode to none
