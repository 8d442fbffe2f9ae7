// RUN: titan-opt %s --titan-partition | FileCheck %s

// The forward overwrites the buffer, so that what was computed from its old value
// is saved, although the tag asks for recomputation.
// CHECK-LABEL: func.func @forward
// CHECK: %exp = aten.exp
// CHECK: aten.copy_
// CHECK: return %mul, %exp
// CHECK-LABEL: func.func @backward
// CHECK-NOT: aten.exp
// CHECK: aten.mul.Tensor
func.func @joint(%x: tensor<4xf32> {titan.name = "x", titan.role = #titan.role<input>},
                 %b: tensor<4xf32> {titan.name = "b", titan.role = #titan.role<buffer>},
                 %t: tensor<4xf32> {titan.name = "tangents_1", titan.role = #titan.role<tangent>})
    -> (tensor<4xf32>, tensor<4xf32>) attributes {titan.joint = 1 : i64} {
  %0 = aten.exp %b {titan.names = ["exp"], titan.recompute = #titan.policy<must_recompute>, titan.ac_graph_id = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = aten.mul.Tensor %x, %0 {titan.names = ["mul"]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = aten.add.Tensor %b, 1.0 {titan.names = ["add"]} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = aten.mul.Tensor %t, %0 {titan.names = ["grad"]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = aten.copy_ %b, %2 {titan.names = ["copy_"]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1, %3 : tensor<4xf32>, tensor<4xf32>
}
