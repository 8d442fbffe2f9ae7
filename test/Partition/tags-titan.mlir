// What Titan does with tags that PyTorch ignores or stumbles over.
// RUN: titan-opt %s --split-input-file --titan-partition --verify-diagnostics | FileCheck %s

// A9 the other way: a tag on a view is a tag.
// CHECK: func.func @backward(%{{[^,]*}}"view", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
!v = tensor<4xf32>
!m = tensor<2x2xf32>
func.func @saves_tagged_view(
    %p: !v {titan.name = "p", titan.role = #titan.role<input>},
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

// A11: a tuple is one op; to recompute an element is to recompute it.
// CHECK: func.func @backward(%{{[^,]*}}"x", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
// CHECK: lab.multi_out
!m = tensor<4x4xf32>
func.func @tuple_is_one_op(
    %x: !m {titan.name = "x", titan.role = #titan.role<input>},
    %t: !m {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!m, !m) attributes {titan.joint = 1 : i64} {
  %a, %b = titan.torch_op "lab.multi_out"(%x) {args = [#titan.arg<0>],
    titan.names = ["getitem", "getitem_1"], titan.tuple_name = "multi_out",
    titan.result_recompute = [#titan.policy<must_recompute>, #titan.none]} : (!m) -> (!m, !m)
  %y = aten.add.Tensor %a, %b : (!m, !m) -> !m
  %g = aten.mul.Tensor %t, %a : (!m, !m) -> !m
  return %y, %g : !m, !m
}

// -----

// PREFER_SAVE means to save: untagged, sin would be recomputed from x.
// CHECK: func.func @backward(%{{[^,]*}}"sin", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
!m = tensor<4x4xf32>
func.func @prefer_save_saves(
    %x: !m {titan.name = "x", titan.role = #titan.role<input>},
    %t: !m {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!m, !m) attributes {titan.joint = 1 : i64} {
  %s = aten.sin %x {titan.names = ["sin"], titan.recompute = #titan.policy<prefer_save>} : (!m) -> !m
  %y = aten.exp %s : (!m) -> !m
  %g = aten.mul.Tensor %t, %s : (!m, !m) -> !m
  return %y, %g : !m, !m
}

// -----

// Two tags that no plan can keep.
!m = tensor<4x4xf32>
func.func @conflict(
    %x: !m {titan.name = "x", titan.role = #titan.role<input>},
    %t: !m {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!m, !m) attributes {titan.joint = 1 : i64} {
  // expected-error @below {{'getitem' is tagged must_recompute, but it is an element of 'multi_out', which is tagged must_save; keep one of the two tags}}
  %a, %b = titan.torch_op "lab.multi_out"(%x) {args = [#titan.arg<0>],
    titan.names = ["getitem", "getitem_1"], titan.tuple_name = "multi_out",
    titan.recompute = #titan.policy<must_save>,
    titan.result_recompute = [#titan.policy<must_recompute>, #titan.none]} : (!m) -> (!m, !m)
  %y = aten.add.Tensor %a, %b : (!m, !m) -> !m
  %g = aten.mul.Tensor %t, %a : (!m, !m) -> !m
  return %y, %g : !m, !m
}
