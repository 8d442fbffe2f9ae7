// A forward and a backward run one after the other take the joint function's
// inputs by name and write the joint function's keys.
// RUN: split-file %s %t
// RUN: titan-run --engine=reference %t/joint.mlir --inputs=random:3 --outputs=%t/joint.safetensors
// RUN: titan-run --engine=reference %t/halves.mlir --function=forward,backward --inputs=random:3 --outputs=%t/split.safetensors
// RUN: cmp %t/joint.safetensors %t/split.safetensors
// RUN: titan-run --engine=reference %t/halves.mlir --inputs=random:3 --outputs=%t/default.safetensors
// RUN: cmp %t/joint.safetensors %t/default.safetensors
// RUN: not titan-run --engine=reference %t/halves.mlir --function=backward --inputs=random:3 2>&1 | FileCheck %s

// CHECK: error: the saved value 'exp' is an argument, but no result of the forward function

//--- joint.mlir
func.func @joint(%x: tensor<4xf32> {titan.name = "x", titan.role = #titan.role<input>},
                 %t: tensor<4xf32> {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (tensor<4xf32>, tensor<4xf32>)
    attributes {titan.joint = 1 : i64, titan.result_positions = array<i64: 0, 2>} {
  %0 = aten.exp %x {titan.names = ["exp"]} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = aten.mul.Tensor %0, %t {titan.names = ["mul"]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

//--- halves.mlir
func.func @forward(%x: tensor<4xf32> {titan.name = "x", titan.role = #titan.role<input>})
    -> (tensor<4xf32> {titan.name = "exp", titan.role = #titan.role<output>},
        tensor<4xf32> {titan.name = "exp", titan.role = #titan.role<saved>})
    attributes {titan.result_positions = array<i64: 0, 1>} {
  %0 = aten.exp %x {titan.names = ["exp"]} : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %0 : tensor<4xf32>, tensor<4xf32>
}
func.func @backward(%e: tensor<4xf32> {titan.name = "exp", titan.role = #titan.role<saved>},
                    %t: tensor<4xf32> {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (tensor<4xf32> {titan.role = #titan.role<grad>})
    attributes {titan.result_positions = array<i64: 2>} {
  %0 = aten.mul.Tensor %e, %t {titan.names = ["mul"]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
