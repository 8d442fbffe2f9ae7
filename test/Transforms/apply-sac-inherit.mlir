// RUN: titan-opt %s --titan-apply-sac='stop=none inherit=getitem,wait region=layer' --split-input-file 2>/dev/null | FileCheck %s
// RUN: titan-opt %s --titan-apply-sac='inherit=getitem' --split-input-file 2>/dev/null | FileCheck %s --check-prefix=GETITEM

// An element that something reads takes the tag of its op, one without a name
// was never there.
// CHECK-LABEL: func @elements
// GETITEM-LABEL: func @elements
func.func @elements(%x: tensor<4x4xf32>, %w: tensor<4xf32>) -> tensor<4x4xf32> attributes {titan.joint = 1} {
  // CHECK: aten._fused_rms_norm
  // CHECK-SAME: titan.ac_graph_id = 0 : i64
  // CHECK-SAME: titan.recompute = #titan.policy<prefer_recompute>
  // CHECK-SAME: titan.result_ac_graph_id = [0, #titan.none]
  // CHECK-SAME: titan.result_recompute = [#titan.policy<prefer_recompute>, #titan.none]
  // GETITEM: titan.result_recompute = [#titan.policy<prefer_recompute>, #titan.none]
  %0:2 = aten._fused_rms_norm %x, [4], %w, 1.0e-5 {titan.names = ["getitem", ""], titan.tuple_name = "_fused_rms_norm"}
    : (tensor<4x4xf32>, tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4x1xf32>)
  // CHECK: aten.relu {{.*}} #titan.policy<prefer_recompute>
  // As the elements are tagged now, one as first output does end the walk.
  // GETITEM: aten.relu %{{.*}} : (
  %1 = aten.relu %0#0 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0#0 : tensor<4x4xf32>
}

// -----

// A wait takes the policy and the region of its collective. Without a tag to
// take it stays as it is.
// CHECK-LABEL: func @waits
// GETITEM-LABEL: func @waits
func.func @waits(%x: tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<4x4xf32>) attributes {titan.joint = 1} {
  // CHECK: c10d.reduce_scatter_tensor {{.*}}titan.ac_graph_id = 3 : i64{{.*}}titan.recompute = #titan.policy<must_save>
  %0 = c10d.reduce_scatter_tensor %x, "sum", 2, "tp" {titan.custom = {ac_region_id = 3 : i64}} : (tensor<4x4xf32>) -> tensor<2x4xf32>
  // CHECK: c10d.wait_tensor {{.*}}{titan.ac_graph_id = 3 : i64, titan.recompute = #titan.policy<must_save>}
  // GETITEM: c10d.wait_tensor {{.*}}{titan.ac_graph_id = 0 : i64, titan.recompute = #titan.policy<prefer_recompute>}
  %1 = c10d.wait_tensor %0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: c10d.wait_tensor %arg0 : (
  %2 = c10d.wait_tensor %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1, %2 : tensor<2x4xf32>, tensor<4x4xf32>
}

// -----

// Regions: what the annotation says, else one a layer, else 0.
// CHECK-LABEL: func @regions
// GETITEM-LABEL: func @regions
func.func @regions(%x: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {titan.joint = 1} {
  // CHECK: aten.relu {{.*}}titan.ac_graph_id = 1 : i64
  // GETITEM: aten.relu {{.*}}titan.ac_graph_id = 0 : i64
  %0 = aten.relu %x {titan.custom = {ac_region_id = 1 : i64}} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: aten.neg {{.*}}titan.ac_graph_id = 2 : i64
  %1 = aten.neg %0 {titan.custom = {ac_region_id = 2 : i64}} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: aten.exp {{.*}}titan.ac_graph_id = 4 : i64
  %2 = aten.exp %1 {titan.module = "layers.3.attention.wq"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: aten.sin {{.*}}titan.ac_graph_id = 0 : i64
  %3 = aten.sin %2 {titan.module = "model.layers.3"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: aten.cos {{.*}}titan.ac_graph_id = 0 : i64
  %4 = aten.cos %3 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %4 : tensor<4x4xf32>
}
