// Collectives run once unless a tag says otherwise: A15, A16 and the ones that
// belong to the backward.
// RUN: titan-opt %s --split-input-file --titan-partition=compat=pytorch | FileCheck %s
// RUN: titan-opt %s --split-input-file --titan-partition=compat=titan | FileCheck %s

// A15, untagged: the gathered weight is saved, one gather overall.
// CHECK-LABEL: func.func @forward
// CHECK-COUNT-1: c10d.all_gather_into_tensor
// CHECK: func.func @backward(%{{[^,]*}}"wait", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
// CHECK-NOT: c10d.all_gather_into_tensor
!s = tensor<2x4xf32>
!m = tensor<4x4xf32>
func.func @a15(%w: !s {titan.name = "W", titan.role = #titan.role<param>},
               %x: !m {titan.name = "x", titan.role = #titan.role<input>},
               %t: !m {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!m, !m) attributes {titan.joint = 1 : i64} {
  %a = c10d.all_gather_into_tensor %w, 2, "0" {titan.names = ["gather"]} : (!s) -> !m
  %full = c10d.wait_tensor %a {titan.names = ["wait"]} : (!m) -> !m
  %y = aten.mm %x, %full {titan.names = ["mm"]} : (!m, !m) -> !m
  %g = aten.mm %t, %full {titan.names = ["mm_1"]} : (!m, !m) -> !m
  return %y, %g : !m, !m
}

// -----

// A15, the chain tagged: the shard is saved and gathered again.
// CHECK-LABEL: func.func @forward
// CHECK-COUNT-1: c10d.all_gather_into_tensor
// CHECK: func.func @backward(%{{[^,]*}}"W", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
// CHECK: c10d.all_gather_into_tensor
!s = tensor<2x4xf32>
!m = tensor<4x4xf32>
func.func @a15_tagged(%w: !s {titan.name = "W", titan.role = #titan.role<param>},
                      %x: !m {titan.name = "x", titan.role = #titan.role<input>},
                      %t: !m {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!m, !m) attributes {titan.joint = 1 : i64} {
  %a = c10d.all_gather_into_tensor %w, 2, "0" {titan.names = ["gather"], titan.recompute = #titan.policy<must_recompute>} : (!s) -> !m
  %full = c10d.wait_tensor %a {titan.names = ["wait"], titan.recompute = #titan.policy<must_recompute>} : (!m) -> !m
  %y = aten.mm %x, %full {titan.names = ["mm"]} : (!m, !m) -> !m
  %g = aten.mm %t, %full {titan.names = ["mm_1"]} : (!m, !m) -> !m
  return %y, %g : !m, !m
}

// -----

// A16: what the backward does not read of a reduce_scatter is not saved.
// CHECK-LABEL: func.func @forward
// CHECK: c10d.reduce_scatter_tensor
// CHECK: c10d.wait_tensor
// CHECK: func.func @backward(%{{[^,]*}}"x", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
// CHECK-NOT: c10d
!s = tensor<2x4xf32>
!m = tensor<4x4xf32>
func.func @a16(%x: !m {titan.name = "x", titan.role = #titan.role<input>},
               %w: !m {titan.name = "W", titan.role = #titan.role<param>},
               %t: !m {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!m, !m) attributes {titan.joint = 1 : i64} {
  %y = aten.mm %x, %w {titan.names = ["mm"]} : (!m, !m) -> !m
  %r = c10d.reduce_scatter_tensor %y, "sum", 2, "0" {titan.names = ["scatter"]} : (!m) -> !s
  %v = c10d.wait_tensor %r {titan.names = ["wait"]} : (!s) -> !s
  %g = aten.mm %t, %x {titan.names = ["mm_1"]} : (!m, !m) -> !m
  return %y, %g : !m, !m
}

// -----

// All that the collective needs is there in the backward, too; it still talks to
// the other ranks once.
// CHECK-LABEL: func.func @forward
// CHECK: c10d.reduce_scatter_tensor
// CHECK: func.func @backward
// CHECK-NOT: c10d
// CHECK: return
!s = tensor<2x4xf32>
!m = tensor<4x4xf32>
func.func @talks_once(
    %x: !m {titan.name = "x", titan.role = #titan.role<input>},
    %t: !m {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!m, !m) attributes {titan.joint = 1 : i64} {
  %g0 = aten.sin %t {titan.names = ["sin"]} : (!m) -> !m
  %y = aten.mm %x, %x {titan.names = ["mm"]} : (!m, !m) -> !m
  %r = c10d.reduce_scatter_tensor %y, "sum", 2, "0" {titan.names = ["scatter"]} : (!m) -> !s
  %w = c10d.wait_tensor %r {titan.names = ["wait"]} : (!s) -> !s
  %g = aten.mm %g0, %x {titan.names = ["mm_1"]} : (!m, !m) -> !m
  return %y, %g : !m, !m
}
