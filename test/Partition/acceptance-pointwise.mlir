// The acceptance graphs of pointwise chains, under PyTorch's rules: A1, A2, A9,
// A14, A21, A22. The expected sets are PyTorch's own tests' or follow by hand.
// RUN: titan-opt %s --split-input-file --titan-partition=compat=pytorch | FileCheck %s

// A1: of y = cos(cos(cos(p))) only p is saved; the rest is recomputed.
// CHECK: func.func @forward(%{{[^,]*}}"p", {{[^,]*}}<input>}) -> (
// CHECK-SAME: "cos_2", {{[^,]*}}<output>}, {{[^,]*}}"p", {{[^,]*}}<saved>})
// CHECK: func.func @backward(%{{[^,]*}}"p", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>}) -> ({{[^,]*}}"mul_2", {{[^,]*}}<grad>})
!v = tensor<4xf32>
func.func @a1(%p: !v {titan.name = "p", titan.role = #titan.role<input>},
              %t: !v {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!v {titan.name = "cos_2", titan.role = #titan.role<output>},
        !v {titan.name = "mul_2", titan.role = #titan.role<grad>})
    attributes {titan.joint = 1 : i64} {
  %a = aten.cos %p : (!v) -> !v
  %b = aten.cos %a : (!v) -> !v
  %c = aten.cos %b : (!v) -> !v
  %s2 = aten.sin %b : (!v) -> !v
  %n2 = aten.neg %s2 : (!v) -> !v
  %g2 = aten.mul.Tensor %t, %n2 : (!v, !v) -> !v
  %s1 = aten.sin %a : (!v) -> !v
  %n1 = aten.neg %s1 : (!v) -> !v
  %g1 = aten.mul.Tensor %g2, %n1 : (!v, !v) -> !v
  %s0 = aten.sin %p : (!v) -> !v
  %n0 = aten.neg %s0 : (!v) -> !v
  %g0 = aten.mul.Tensor %g1, %n0 : (!v, !v) -> !v
  return %c, %g0 : !v, !v
}

// -----

// A2: the third sum is saved, not the four inputs it comes from.
// CHECK: func.func @backward(%{{[^,]*}}"add_2", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
!v = tensor<4xf32>
func.func @a2(%a: !v {titan.name = "a", titan.role = #titan.role<input>},
              %b: !v {titan.name = "b", titan.role = #titan.role<input>},
              %c: !v {titan.name = "c", titan.role = #titan.role<input>},
              %d: !v {titan.name = "d", titan.role = #titan.role<input>},
              %t: !v {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!v, !v, !v, !v, !v) attributes {titan.joint = 1 : i64} {
  %x0 = aten.add.Tensor %a, %b {titan.names = ["add"]} : (!v, !v) -> !v
  %x1 = aten.add.Tensor %x0, %c {titan.names = ["add_1"]} : (!v, !v) -> !v
  %x2 = aten.add.Tensor %x1, %d {titan.names = ["add_2"]} : (!v, !v) -> !v
  %c0 = aten.cos %x2 {titan.names = ["cos"]} : (!v) -> !v
  %c1 = aten.cos %c0 {titan.names = ["cos_1"]} : (!v) -> !v
  %s1 = aten.sin %c0 : (!v) -> !v
  %n1 = aten.neg %s1 : (!v) -> !v
  %g1 = aten.mul.Tensor %t, %n1 : (!v, !v) -> !v
  %s0 = aten.sin %x2 : (!v) -> !v
  %n0 = aten.neg %s0 : (!v) -> !v
  %g0 = aten.mul.Tensor %g1, %n0 : (!v, !v) -> !v
  return %c1, %g0, %g0, %g0, %g0 : !v, !v, !v, !v, !v
}

// -----

// A9: a tag on a view says nothing to PyTorch; p is saved.
// CHECK: func.func @backward(%{{[^,]*}}"p", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
!v = tensor<4xf32>
!m = tensor<2x2xf32>
func.func @a9(%p: !v {titan.name = "p", titan.role = #titan.role<input>},
              %t: !m {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!m, !v) attributes {titan.joint = 1 : i64} {
  %x = aten.view %p, [2, 2] {titan.names = ["view"], titan.recompute = #titan.policy<must_save>} : (!v) -> !m
  %y = aten.cos %x {titan.names = ["cos"]} : (!m) -> !m
  %s = aten.sin %x : (!m) -> !m
  %n = aten.neg %s : (!m) -> !m
  %g = aten.mul.Tensor %t, %n : (!m, !m) -> !m
  %gp = aten.view %g, [4] : (!m) -> !v
  return %y, %gp : !m, !v
}

// -----

// A14: a gradient that is an input as it came is saved, though no tangent
// reaches it.
// CHECK: func.func @backward(%{{[^,]*}}"q", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
!v = tensor<4xf32>
func.func @a14(%p: !v {titan.name = "p", titan.role = #titan.role<input>},
               %q: !v {titan.name = "q", titan.role = #titan.role<input>},
               %t: !v {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!v, !v, !v) attributes {titan.joint = 1 : i64} {
  %y = aten.add.Tensor %p, %q : (!v, !v) -> !v
  %g = aten.neg %t : (!v) -> !v
  return %y, %g, %q : !v, !v, !v
}

// -----

// A21: 1 and 1.0 are two numbers; a third sum with 1 is the first.
// CHECK: func.func @forward
// CHECK: aten.add.Tensor %{{.*}}, 1 {
// CHECK: aten.add.Tensor %{{.*}}, 1.0
// CHECK-NOT: aten.add
// CHECK: func.func @backward
!v = tensor<4xf32>
func.func @a21(%p: !v {titan.name = "p", titan.role = #titan.role<input>},
               %t: !v {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!v, !v) attributes {titan.joint = 1 : i64} {
  %x = aten.add.Tensor %p, 1 {titan.names = ["add"]} : (!v) -> !v
  %y = aten.add.Tensor %p, 1.0 {titan.names = ["add_1"]} : (!v) -> !v
  %z = aten.add.Tensor %p, 1 {titan.names = ["add_2"]} : (!v) -> !v
  %xy = aten.mul.Tensor %x, %y : (!v, !v) -> !v
  %xyz = aten.mul.Tensor %xy, %z : (!v, !v) -> !v
  return %xyz, %t : !v, !v
}

// -----

// A22: two equal values that are both returned stay two.
// CHECK: func.func @forward
// CHECK-COUNT-2: aten.sin
// CHECK: func.func @backward
!v = tensor<4xf32>
func.func @a22(%p: !v {titan.name = "p", titan.role = #titan.role<input>},
               %t: !v {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!v, !v, !v) attributes {titan.joint = 2 : i64} {
  %x = aten.sin %p {titan.names = ["sin"]} : (!v) -> !v
  %y = aten.sin %p {titan.names = ["sin_1"]} : (!v) -> !v
  %c = aten.cos %p : (!v) -> !v
  %g = aten.mul.Tensor %t, %c : (!v, !v) -> !v
  return %x, %y, %g : !v, !v, !v
}
