// Titan counts storage: once, and only where nothing else keeps it alive.
// RUN: titan-opt %s --split-input-file --titan-partition | FileCheck %s
// RUN: titan-opt %s --split-input-file --titan-partition=compat=pytorch | FileCheck %s --check-prefix=TORCH

// Two views of one tensor: the tensor is saved, once. To PyTorch, saving it keeps
// it from being fused, which weighs as much as a view for each use.
// CHECK: func.func @backward(%{{[^,]*}}"clone", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
// TORCH: func.func @backward(%{{[^,]*}}"view", {{[^,]*}}<saved>}, %{{[^,]*}}"permute", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
!m = tensor<4x4xf32>
!v = tensor<16xf32>
func.func @one_storage(
    %x: !m {titan.name = "x", titan.role = #titan.role<input>},
    %t: !v {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!v, !v, !m) attributes {titan.joint = 1 : i64} {
  %p = aten.clone %x {titan.names = ["clone"], titan.recompute = #titan.policy<must_save>} : (!m) -> !m
  %flat = aten.view %p, [16] {titan.names = ["view"]} : (!m) -> !v
  %y = aten.sin %flat {titan.names = ["sin"]} : (!v) -> !v
  %gv = titan.torch_op "lab.dot"(%t, %flat) {args = [#titan.arg<0>, #titan.arg<1>]} : (!v, !v) -> !v
  %pt = aten.permute %p, [1, 0] {titan.names = ["permute"]} : (!m) -> !m
  %gm = titan.torch_op "lab.outer"(%t, %pt) {args = [#titan.arg<0>, #titan.arg<1>]} : (!v, !m) -> !m
  return %y, %gv, %gm : !v, !v, !m
}

// -----

// A forward output is alive anyway: saving y costs nothing, saving x2 would.
// x itself is an input, but the op that makes x2 must not run twice.
// CHECK: func.func @backward(%{{[^,]*}}"y", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
!m = tensor<4x4xf32>
func.func @outputs_are_free(
    %x: !m {titan.name = "x", titan.role = #titan.role<input>},
    %t: !m {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!m, !m) attributes {titan.joint = 1 : i64} {
  %x2 = aten.mm %x, %x {titan.names = ["mm"]} : (!m, !m) -> !m
  %y = aten.sigmoid %x2 {titan.names = ["y"]} : (!m) -> !m
  %g = aten.sigmoid_backward %t, %y : (!m, !m) -> !m
  return %y, %g : !m, !m
}

// -----

// An fp8 copy of a weight is smaller than the weight, which is there anyway
// (pytorch#141881). PyTorch knows it of parameters alone; of an input it saves
// the copy.
// CHECK: func.func @backward(%{{[^,]*}}"x", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
// TORCH: func.func @backward(%{{[^,]*}}"cast", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
!m = tensor<4x4xf32>
!h = tensor<4x4xf16>
func.func @inputs_are_free(
    %x: !m {titan.name = "x", titan.role = #titan.role<input>},
    %t: !h {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!h, !h) attributes {titan.joint = 1 : i64} {
  %c = prims.convert_element_type %x, f16 {titan.names = ["cast"]} : (!m) -> !h
  %y = aten.mm %c, %c {titan.names = ["mm"]} : (!h, !h) -> !h
  %g = aten.mm %t, %c {titan.names = ["mm_1"]} : (!h, !h) -> !h
  return %y, %g : !h, !h
}

// -----

// A random op that PyTorch's list of three does not know is drawn once.
// CHECK: func.func @forward
// CHECK: aten.bernoulli
// CHECK: func.func @backward(%{{[^,]*}}"bernoulli", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
// CHECK-NOT: aten.bernoulli
!m = tensor<4x4xf32>
func.func @draws_once(
    %x: !m {titan.name = "x", titan.role = #titan.role<input>},
    %t: !m {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!m, !m) attributes {titan.joint = 1 : i64} {
  %b = aten.bernoulli.p %x, 0.5 {titan.names = ["bernoulli"]} : (!m) -> !m
  %y = aten.mul.Tensor %x, %b : (!m, !m) -> !m
  %g = aten.mul.Tensor %t, %b : (!m, !m) -> !m
  return %y, %g : !m, !m
}
