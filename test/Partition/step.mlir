// A step graph has no tangents: its backward is every op with that phase, from
// the seed on.
// RUN: titan-opt %s --titan-partition | FileCheck %s
// RUN: titan-opt %s --titan-partition=compat=pytorch | FileCheck %s

// CHECK: func.func @forward(%{{[^,]*}}"W", {{[^,]*}}<param>}, %{{[^,]*}}"x", {{[^,]*}}<input>})
// CHECK-NOT: aten.ones_like
// CHECK: func.func @backward(
// CHECK-SAME: "x", {{[^,]*}}<saved>}
// CHECK: aten.ones_like
// CHECK: aten.sin
// CHECK: aten.mm
!m = tensor<4x4xf32>
func.func @step(%w: !m {titan.name = "W", titan.role = #titan.role<param>},
                %x: !m {titan.name = "x", titan.role = #titan.role<input>})
    -> (tensor<f32> {titan.role = #titan.role<output>}, !m {titan.role = #titan.role<grad>})
    attributes {titan.joint = 1 : i64, titan.graph_kind = "step"} {
  %y = aten.mm %x, %w {titan.names = ["mm"]} : (!m, !m) -> !m
  %c = aten.cos %y {titan.names = ["cos"]} : (!m) -> !m
  %l = aten.sum %c {titan.names = ["loss"]} : (!m) -> tensor<f32>
  %s = aten.ones_like %l {titan.names = ["seed"], titan.phase = #titan.phase<backward>} : (tensor<f32>) -> tensor<f32>
  %e = aten.expand %s, [4, 4] {titan.names = ["expand"], titan.phase = #titan.phase<backward>} : (tensor<f32>) -> !m
  %d = aten.sin %y {titan.names = ["sin"], titan.phase = #titan.phase<backward>} : (!m) -> !m
  %n = aten.neg %d {titan.names = ["neg"], titan.phase = #titan.phase<backward>} : (!m) -> !m
  %g = aten.mul.Tensor %e, %n {titan.names = ["mul"], titan.phase = #titan.phase<backward>} : (!m, !m) -> !m
  %xt = aten.permute %x, [1, 0] {titan.names = ["permute"], titan.phase = #titan.phase<backward>} : (!m) -> !m
  %gw = aten.mm %xt, %g {titan.names = ["mm_1"], titan.phase = #titan.phase<backward>} : (!m, !m) -> !m
  return %l, %gw : tensor<f32>, !m
}
