// RUN: titan-opt %s --titan-fsdp-reshard-after-fwd --split-input-file | FileCheck %s --check-prefixes=CHECK,FREE
// RUN: titan-opt %s --titan-fsdp-reshard-after-fwd='reshard=false' --split-input-file | FileCheck %s --check-prefixes=CHECK,KEEP

// The gather of a parameter, its wait and the slices of the wait are tagged, the
// cast before it only in the form that the decomposition makes. Tags that are
// there give way.
// CHECK-LABEL: func @gather_of_a_parameter
func.func @gather_of_a_parameter(%w: tensor<2x4xf32>, %x: tensor<4x4xbf16>) -> tensor<4x4xbf16> attributes {titan.joint = 1} {
  // FREE: prims.convert_element_type {{.*}}{titan.ac_graph_id = 100000 : i64, titan.recompute = #titan.policy<must_recompute>}
  // KEEP: prims.convert_element_type {{.*}}{titan.ac_graph_id = 100000 : i64, titan.recompute = #titan.policy<must_save>}
  %0 = prims.convert_element_type %w, bf16 {titan.ac_graph_id = 0 : i64, titan.recompute = #titan.policy<prefer_recompute>} : (tensor<2x4xf32>) -> tensor<2x4xbf16>
  // FREE: c10d.all_gather_into_tensor {{.*}}{titan.ac_graph_id = 100000 : i64, titan.recompute = #titan.policy<must_recompute>}
  // KEEP: c10d.all_gather_into_tensor {{.*}}{titan.ac_graph_id = 100000 : i64, titan.recompute = #titan.policy<must_save>}
  %1 = c10d.all_gather_into_tensor %0, 2, "fsdp" : (tensor<2x4xbf16>) -> tensor<4x4xbf16>
  // FREE: c10d.wait_tensor {{.*}}{titan.ac_graph_id = 100000 : i64, titan.recompute = #titan.policy<must_recompute>}
  // KEEP: c10d.wait_tensor {{.*}}{titan.ac_graph_id = 100000 : i64, titan.recompute = #titan.policy<must_save>}
  %2 = c10d.wait_tensor %1 : (tensor<4x4xbf16>) -> tensor<4x4xbf16>
  // FREE: aten.slice.Tensor {{.*}}{titan.ac_graph_id = 100000 : i64, titan.recompute = #titan.policy<must_recompute>}
  // KEEP: aten.slice.Tensor {{.*}}{titan.ac_graph_id = 100000 : i64, titan.recompute = #titan.policy<must_save>}
  %3 = aten.slice.Tensor %2, 0, 0, 3 : (tensor<4x4xbf16>) -> tensor<3x4xbf16>
  // CHECK: aten.t %{{[a-z0-9_]*}} :
  %4 = aten.t %2 : (tensor<4x4xbf16>) -> tensor<4x4xbf16>
  // CHECK: aten.mm %{{[a-z0-9_]*}}, %{{[a-z0-9_]*}} :
  %5 = aten.mm %x, %4 : (tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xbf16>
  return %5 : tensor<4x4xbf16>
}

// -----

// A cast of aten stays untagged; views on the way to the parameter do no harm.
// CHECK-LABEL: func @through_views_and_casts
func.func @through_views_and_casts(%w: tensor<8xf32>) -> tensor<4x4xbf16> attributes {titan.joint = 1} {
  // CHECK: aten.view %arg0, [2, 4] :
  %0 = aten.view %w, [2, 4] : (tensor<8xf32>) -> tensor<2x4xf32>
  // CHECK: aten._to_copy %{{[a-z0-9_]*}}, dtype = bf16 :
  %1 = aten._to_copy %0, dtype = bf16 : (tensor<2x4xf32>) -> tensor<2x4xbf16>
  // CHECK: c10d.all_gather_into_tensor {{.*}}titan.ac_graph_id = 100000
  %2 = c10d.all_gather_into_tensor %1, 2, "fsdp" : (tensor<2x4xbf16>) -> tensor<4x4xbf16>
  // CHECK: c10d.wait_tensor {{.*}}titan.ac_graph_id = 100000
  %3 = c10d.wait_tensor %2 : (tensor<4x4xbf16>) -> tensor<4x4xbf16>
  return %3 : tensor<4x4xbf16>
}

// -----

// The gather of an activation (two values went into it), of a constant, and one
// that nobody waits for are no gathers of parameters.
// CHECK-LABEL: func @other_gathers
// CHECK-NOT: titan.recompute
func.func @other_gathers(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>, %c: tensor<2x4xf32> {titan.role = #titan.role<constant>})
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) attributes {titan.joint = 3} {
  %0 = aten.add.Tensor %x, %y : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = c10d.all_gather_into_tensor %0, 2, "tp" : (tensor<2x4xf32>) -> tensor<4x4xf32>
  %2 = c10d.wait_tensor %1 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = c10d.all_gather_into_tensor %c, 2, "tp" : (tensor<2x4xf32>) -> tensor<4x4xf32>
  %4 = c10d.wait_tensor %3 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %5 = c10d.all_gather_into_tensor %x, 2, "tp" : (tensor<2x4xf32>) -> tensor<4x4xf32>
  // CHECK: return
  return %2, %4, %5 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
