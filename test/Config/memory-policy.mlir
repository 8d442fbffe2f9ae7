// RUN: titan-opt %s --memory-policy=default 2>%t | FileCheck %s --check-prefixes=CHECK,FREE
// RUN: FileCheck %s --check-prefix=LOG --input-file=%t
// RUN: titan-opt %s --memory-policy=default --fsdp-reshard-after-forward=never 2>/dev/null | FileCheck %s --check-prefixes=CHECK,KEEP
// RUN: titan-opt %s --memory-policy=default --fsdp-reshard-after-forward=always 2>/dev/null | FileCheck %s --check-prefixes=CHECK,FREE
// RUN: titan-opt %s --memory-policy=full 2>/dev/null | FileCheck %s --check-prefix=FULL
// RUN: titan-opt %s --memory-policy=full --full-recompute-save-ops='layers.*.wq :: aten.mm.default | x::aten.mm.default' 2>/dev/null | FileCheck %s --check-prefix=SELECTED
// RUN: not titan-opt %s --memory-policy=default --full-recompute-save-ops='layers.*::aten.mm.default' 2>&1 | FileCheck %s --check-prefix=DEFAULT
// RUN: not titan-opt %s --memory-policy=full --full-recompute-save-ops='layers.*::aten.mm' 2>&1 | FileCheck %s --check-prefix=PACKET
// RUN: not titan-opt %s --memory-policy=sac_and_offload 2>&1 | FileCheck %s --check-prefix=OFFLOAD

// A memory policy is apply_sac with the policy's options. The decision on
// gathered parameters is then the policy's: no gather is tagged apart.

// LOG: Applied selective activation checkpointing (SAC) graph pass.
// LOG-NEXT: Layer non-layer:
// DEFAULT: --compile.full_recompute_save_ops requires --compile.memory_policy full
// PACKET: Ops in --compile.full_recompute_save_ops must name a specific overload or higher-order op, got 'aten.mm'
// OFFLOAD: sac_and_offload

// CHECK-LABEL: func @joint
// CHECK-NOT: titan.ac_graph_id
func.func @joint(%w: tensor<4x4xf32>, %x: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {titan.joint = 1} {
  // CHECK: c10d.all_gather_into_tensor {{.*}} #titan.policy<prefer_recompute>
  %0 = c10d.all_gather_into_tensor %w, 1, "0" : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // FREE: c10d.wait_tensor {{.*}} #titan.policy<prefer_recompute>
  // KEEP: c10d.wait_tensor {{.*}} #titan.policy<must_save>
  %1 = c10d.wait_tensor %0 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: aten.mm {{.*}} #titan.policy<must_save>
  // FULL: aten.mm {{.*}} #titan.policy<must_recompute>
  // SELECTED: aten.mm {{.*}} #titan.policy<must_save>
  %2 = aten.mm %x, %1 {titan.module = "layers.0.wq"} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: aten.mm {{.*}} #titan.policy<must_save>
  // FULL: aten.mm {{.*}} #titan.policy<must_recompute>
  // SELECTED: aten.mm {{.*}} #titan.policy<must_recompute>
  %3 = aten.mm %2, %x {titan.module = "layers.0.wo"} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}
