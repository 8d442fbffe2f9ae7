// Collectives run once unless a tag says otherwise: A15, A16 and the ones that
// belong to the backward.
// RUN: titan-opt %s --split-input-file --titan-partition=compat=pytorch | FileCheck %s --check-prefixes=CHECK,TORCH
// RUN: titan-opt %s --split-input-file --titan-partition=compat=titan | FileCheck %s --check-prefixes=CHECK,TITAN

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

// A dead collective, all that it needs there in the backward, too. PyTorch takes
// waits for effects and has no tag to tell it otherwise: behind the first op that
// reads a tangent it runs again. Titan's ranks talk once.
// CHECK-LABEL: func.func @forward
// CHECK: c10d.reduce_scatter_tensor
// CHECK: c10d.wait_tensor
// CHECK: func.func @backward
// TORCH: aten.mm %{{.*}}"mm"
// TORCH-NEXT: c10d.reduce_scatter_tensor
// TORCH-NEXT: c10d.wait_tensor
// TORCH-NEXT: aten.mm
// TITAN-NOT: c10d
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

// -----

// The same before the first op that reads a tangent: once under either rules, and
// where it stood.
// CHECK-LABEL: func.func @forward
// CHECK: c10d.all_reduce
// CHECK: c10d.wait_tensor
// CHECK: aten.cos
// CHECK: func.func @backward
// CHECK-NOT: c10d
// CHECK: return
!m = tensor<4x4xf32>
func.func @dead_in_the_forward(
    %x: !m {titan.name = "x", titan.role = #titan.role<input>},
    %t: !m {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!m, !m) attributes {titan.joint = 1 : i64} {
  %r = c10d.all_reduce %x, "sum", "0" {titan.names = ["reduce"]} : (!m) -> !m
  %w = c10d.wait_tensor %r {titan.names = ["wait"]} : (!m) -> !m
  %y = aten.cos %x {titan.names = ["y"]} : (!m) -> !m
  %s = aten.sin %x {titan.names = ["s"]} : (!m) -> !m
  %g = aten.mul.Tensor %t, %s {titan.names = ["g"]} : (!m, !m) -> !m
  return %y, %g : !m, !m
}

// -----

// A dead collective of the backward on a tangent's value runs there, once.
// CHECK-LABEL: func.func @forward
// CHECK-NOT: c10d
// CHECK: func.func @backward
// CHECK: c10d.all_reduce
// CHECK-NEXT: c10d.wait_tensor
// CHECK-NOT: c10d
// CHECK: return
!m = tensor<4x4xf32>
func.func @dead_in_the_backward(
    %x: !m {titan.name = "x", titan.role = #titan.role<input>},
    %t: !m {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!m, !m) attributes {titan.joint = 1 : i64} {
  %y = aten.cos %x {titan.names = ["y"]} : (!m) -> !m
  %s = aten.sin %x {titan.names = ["s"]} : (!m) -> !m
  %g = aten.mul.Tensor %t, %s {titan.names = ["g"]} : (!m, !m) -> !m
  %r = c10d.all_reduce %g, "sum", "0" {titan.names = ["reduce"]} : (!m) -> !m
  %w = c10d.wait_tensor %r {titan.names = ["wait"]} : (!m) -> !m
  %n = aten.neg %g {titan.names = ["n"]} : (!m) -> !m
  return %y, %n : !m, !m
}
