// Small graphs whose saved sets follow by hand from each compatibility's rules.
// Values have 64 bytes unless said; PyTorch weighs 64, 70, 77, 85, ... with the
// distance to the backward, twice that where all users could be fused.
// RUN: titan-opt %s --split-input-file --titan-partition=compat=pytorch | FileCheck %s --check-prefixes=CHECK,TORCH
// RUN: titan-opt %s --split-input-file --titan-partition=compat=pt2.2 | FileCheck %s --check-prefixes=CHECK,OLD
// RUN: titan-opt %s --split-input-file --titan-partition=compat=titan | FileCheck %s --check-prefixes=CHECK,TITAN

// A chain of fusible ops. Today: x, at 103, is the cheapest. In 2.2 the first
// sine is more than three steps away and banned; behind it d, at 140, is. To
// Titan x costs nothing.
// TORCH: func.func @backward(%{{[^,]*}}"x", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
// OLD: func.func @backward(%{{[^,]*}}"d", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
// TITAN: func.func @backward(%{{[^,]*}}"x", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
!m = tensor<4x4xf32>
func.func @chain(%x: !m {titan.name = "x", titan.role = #titan.role<input>},
                 %t: !m {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!m, !m) attributes {titan.joint = 1 : i64} {
  %a = aten.sin %x {titan.names = ["a"]} : (!m) -> !m
  %b = aten.cos %a {titan.names = ["b"]} : (!m) -> !m
  %c = aten.exp %b {titan.names = ["c"]} : (!m) -> !m
  %d = aten.neg %c {titan.names = ["d"]} : (!m) -> !m
  %y = aten.exp %d {titan.names = ["y"]} : (!m) -> !m
  %g = aten.mul.Tensor %t, %d {titan.names = ["g"]} : (!m, !m) -> !m
  return %y, %g : !m, !m
}

// -----

// A view of a product: at 70 it is cheaper than the product at 77. Titan saves
// the product, whose storage the view would keep alive all the same.
// TORCH: func.func @backward(%{{[^,]*}}"permute", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
// OLD: func.func @backward(%{{[^,]*}}"permute", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
// TITAN: func.func @backward(%{{[^,]*}}"mm", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
!m = tensor<4x4xf32>
func.func @view_of_product(%x: !m {titan.name = "x", titan.role = #titan.role<input>},
                           %t: !m {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!m, !m) attributes {titan.joint = 1 : i64} {
  %p = aten.mm %x, %x {titan.names = ["mm"]} : (!m, !m) -> !m
  %v = aten.permute %p, [1, 0] {titan.names = ["permute"]} : (!m) -> !m
  %y = aten.sin %v {titan.names = ["y"]} : (!m) -> !m
  %g = aten.mm %t, %v {titan.names = ["g"]} : (!m, !m) -> !m
  return %y, %g : !m, !m
}

// -----

// What is gathered from a buffer. Today it is gathered again: buffers are free.
// 2.2 did not list gather, and buffers were not free.
// TORCH: func.func @backward(%{{[^,]*}}"x", {{[^,]*}}<saved>}, %{{[^,]*}}"i", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
// OLD: func.func @backward(%{{[^,]*}}"gather", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
// TITAN: func.func @backward(%{{[^,]*}}"x", {{[^,]*}}<saved>}, %{{[^,]*}}"i", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
!m = tensor<4x4xf32>
!i = tensor<4x4xi64>
func.func @gathered(%x: !m {titan.name = "x", titan.role = #titan.role<buffer>},
                    %i: !i {titan.name = "i", titan.role = #titan.role<buffer>},
                    %t: !m {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!m, !m) attributes {titan.joint = 1 : i64} {
  %a = aten.gather %x, 0, %i {titan.names = ["gather"]} : (!m, !i) -> !m
  %y = aten.sin %a {titan.names = ["y"]} : (!m) -> !m
  %g = aten.mul.Tensor %t, %a {titan.names = ["g"]} : (!m, !m) -> !m
  return %y, %g : !m, !m
}

// -----

// 16 bytes out of 128 are under a quarter: nobody sums again.
// CHECK: func.func @backward(%{{[^,]*}}"sum", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
!v = tensor<4xf32>
func.func @reduction(%x: tensor<4x8xf32> {titan.name = "x", titan.role = #titan.role<input>},
                     %t: !v {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!v, !v) attributes {titan.joint = 1 : i64} {
  %s = aten.sum.dim_IntList %x, [1] {titan.names = ["sum"]} : (tensor<4x8xf32>) -> !v
  %y = aten.exp %s {titan.names = ["y"]} : (!v) -> !v
  %g = aten.mul.Tensor %t, %s {titan.names = ["g"]} : (!v, !v) -> !v
  return %y, %g : !v, !v
}

// -----

// A tag overrides every ban.
// CHECK: func.func @backward(%{{[^,]*}}"x", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
// CHECK: aten.mm %{{[^,]*}}, %{{[^ ]*}} {{.*}}"mm"
!m = tensor<4x4xf32>
func.func @tagged(%x: !m {titan.name = "x", titan.role = #titan.role<input>},
                  %t: !m {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!m, !m) attributes {titan.joint = 1 : i64} {
  %p = aten.mm %x, %x {titan.names = ["mm"], titan.recompute = #titan.policy<must_recompute>} : (!m, !m) -> !m
  %y = aten.sin %p {titan.names = ["y"]} : (!m) -> !m
  %g = aten.mm %t, %p {titan.names = ["g"]} : (!m, !m) -> !m
  return %y, %g : !m, !m
}

// -----

// A8 with W a parameter. Today it is free; in 2.2 the last view weighs least and
// is closest to the sink.
// TORCH: func.func @backward(%{{[^,]*}}"x", {{[^,]*}}<saved>}, %{{[^,]*}}"W", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
// OLD: func.func @backward(%{{[^,]*}}"x", {{[^,]*}}<saved>}, %{{[^,]*}}"permute_1", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
// TITAN: func.func @backward(%{{[^,]*}}"x", {{[^,]*}}<saved>}, %{{[^,]*}}"W", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
!m = tensor<4x4xf32>
func.func @parameter(%x: !m {titan.name = "x", titan.role = #titan.role<input>},
                     %w: !m {titan.name = "W", titan.role = #titan.role<param>},
                     %t: !m {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!m, !m, !m) attributes {titan.joint = 1 : i64} {
  %wt = aten.permute %w, [1, 0] {titan.names = ["permute"]} : (!m) -> !m
  %y = aten.mm %x, %wt {titan.names = ["y"]} : (!m, !m) -> !m
  %wtt = aten.permute %wt, [1, 0] {titan.names = ["permute_1"]} : (!m) -> !m
  %gx = aten.mm %t, %wtt {titan.names = ["gx"]} : (!m, !m) -> !m
  %tt = aten.permute %t, [1, 0] {titan.names = ["permute_2"]} : (!m) -> !m
  %gw = aten.mm %tt, %x {titan.names = ["gw"]} : (!m, !m) -> !m
  return %y, %gx, %gw : !m, !m, !m
}
