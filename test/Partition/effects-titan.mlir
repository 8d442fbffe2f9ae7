// RUN: titan-opt %s --split-input-file --titan-partition | FileCheck %s

// u = buf * x would be computed from the new buf after the forward wrote it
// (pytorch#197039): it is saved, though its inputs cost nothing.
// CHECK: func.func @backward(%{{[^,]*}}"u", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
!m = tensor<4x4xf32>
func.func @reads_before_write(
    %buf: !m {titan.name = "buf", titan.role = #titan.role<buffer>},
    %x: !m {titan.name = "x", titan.role = #titan.role<input>},
    %t: !m {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!m, !m) attributes {titan.joint = 1 : i64} {
  %u = aten.mul.Tensor %buf, %x {titan.names = ["u"]} : (!m, !m) -> !m
  %y = aten.sin %u {titan.names = ["y"]} : (!m) -> !m
  %g = aten.mul.Tensor %t, %u {titan.names = ["g"]} : (!m, !m) -> !m
  %n = aten.add.Tensor %buf, 1 {titan.names = ["n"]} : (!m) -> !m
  %w = aten.copy_ %buf, %n {titan.names = ["copy_"]} : (!m, !m) -> !m
  return %y, %g : !m, !m
}

// -----

// A gather of the backward that needs no tangent stays in the backward: moved
// to the forward, the gathered weight would be saved (pytorch#146693).
// CHECK: func.func @forward
// CHECK-NOT: c10d
// CHECK: func.func @backward(%{{[^,]*}}"W", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
// CHECK: c10d.all_gather_into_tensor
!s = tensor<2x4xf32>
!m = tensor<4x4xf32>
func.func @gathers_in_backward(
    %x: !m {titan.name = "x", titan.role = #titan.role<input>},
    %w: !s {titan.name = "W", titan.role = #titan.role<param>},
    %t: !m {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!m, !m) attributes {titan.joint = 1 : i64} {
  %y = aten.sin %x {titan.names = ["sin"]} : (!m) -> !m
  %a = c10d.all_gather_into_tensor %w, 2, "0" {titan.names = ["gather"], titan.phase = #titan.phase<backward>} : (!s) -> !m
  %v = c10d.wait_tensor %a {titan.names = ["wait"], titan.phase = #titan.phase<backward>} : (!m) -> !m
  %g = aten.mm %t, %v {titan.names = ["mm"], titan.phase = #titan.phase<backward>} : (!m, !m) -> !m
  return %y, %g : !m, !m
}
