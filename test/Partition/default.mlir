// The default partitioner leaves ops where they were written.
// RUN: titan-opt %s --split-input-file --titan-partition='partitioner=default compat=pytorch' | FileCheck %s
// RUN: titan-opt %s --split-input-file --titan-partition='partitioner=default' | FileCheck %s

// Each value that the backward reads is saved, cos chain or not.
// CHECK: func.func @backward(%{{[^,]*}}"p", {{[^,]*}}<saved>}, %{{[^,]*}}"a", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
!v = tensor<4xf32>
func.func @chain(%p: !v {titan.name = "p", titan.role = #titan.role<input>},
                 %t: !v {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!v, !v) attributes {titan.joint = 1 : i64} {
  %a = aten.cos %p {titan.names = ["a"], titan.phase = #titan.phase<forward>} : (!v) -> !v
  %b = aten.cos %a {titan.names = ["b"], titan.phase = #titan.phase<forward>} : (!v) -> !v
  %s1 = aten.sin %a {titan.phase = #titan.phase<backward>} : (!v) -> !v
  %g1 = aten.mul.Tensor %t, %s1 {titan.phase = #titan.phase<backward>} : (!v, !v) -> !v
  %s0 = aten.sin %p {titan.phase = #titan.phase<backward>} : (!v) -> !v
  %g0 = aten.mul.Tensor %g1, %s0 {titan.phase = #titan.phase<backward>} : (!v, !v) -> !v
  return %b, %g0 : !v, !v
}

// -----

// A tensor of which the backward only asks the size: the size is saved.
// CHECK: func.func @backward(%{{[^,]*}}"sym_size", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
func.func @sizes(%p: tensor<?xf32> {titan.name = "p", titan.role = #titan.role<input>},
                 %t: tensor<f32> {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (tensor<f32>, tensor<?xf32>) attributes {titan.joint = 1 : i64} {
  %s = aten.sum %p {titan.names = ["sum"], titan.phase = #titan.phase<forward>} : (tensor<?xf32>) -> tensor<f32>
  %n = aten.sym_size.int %p, 0 {titan.names = ["sym_size"], titan.phase = #titan.phase<backward>} : (tensor<?xf32>) -> index
  %g = aten.expand %t, [%n] {titan.names = ["expand"], titan.phase = #titan.phase<backward>} : (tensor<f32>, index) -> tensor<?xf32>
  return %s, %g : tensor<f32>, tensor<?xf32>
}
