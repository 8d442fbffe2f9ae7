// What an op computes does not depend on its group: the gradient of the
// log-softmax stands in one group with a lookup in the joint function, and
// alone in the forward one.
// RUN: split-file %s %t
// RUN: titan-run %t/joint.mlir --engine=cpu --inputs=random:3 --outputs=%t/joint.safetensors
// RUN: titan-run %t/halves.mlir --engine=cpu --function=forward,backward --inputs=random:3 --outputs=%t/split.safetensors
// RUN: cmp %t/joint.safetensors %t/split.safetensors

//--- joint.mlir
func.func @joint(%x: tensor<40x64xf32> {titan.name = "x", titan.role = #titan.role<input>},
                 %y: tensor<40x64xf32> {titan.name = "y", titan.role = #titan.role<input>})
    -> (tensor<40x64xf32>, tensor<40x64xf32>)
    attributes {titan.joint = 1 : i64, titan.result_positions = array<i64: 0, 1>} {
  %i = aten.arange 40, dtype = i64 {titan.names = ["rows"]} : () -> tensor<40xi64>
  %0 = aten._log_softmax_backward_data %x, %y, 1, f32 {titan.names = ["back"]} : (tensor<40x64xf32>, tensor<40x64xf32>) -> tensor<40x64xf32>
  %1 = aten.embedding %0, %i {titan.names = ["looked"]} : (tensor<40x64xf32>, tensor<40xi64>) -> tensor<40x64xf32>
  return %0, %1 : tensor<40x64xf32>, tensor<40x64xf32>
}

//--- halves.mlir
func.func @forward(%x: tensor<40x64xf32> {titan.name = "x", titan.role = #titan.role<input>},
                   %y: tensor<40x64xf32> {titan.name = "y", titan.role = #titan.role<input>})
    -> (tensor<40x64xf32> {titan.name = "back", titan.role = #titan.role<output>},
        tensor<40x64xf32> {titan.name = "back", titan.role = #titan.role<saved>})
    attributes {titan.result_positions = array<i64: 0, 1>} {
  %0 = aten._log_softmax_backward_data %x, %y, 1, f32 {titan.names = ["back"]} : (tensor<40x64xf32>, tensor<40x64xf32>) -> tensor<40x64xf32>
  return %0, %0 : tensor<40x64xf32>, tensor<40x64xf32>
}
func.func @backward(%0: tensor<40x64xf32> {titan.name = "back", titan.role = #titan.role<saved>})
    -> (tensor<40x64xf32> {titan.role = #titan.role<grad>})
    attributes {titan.result_positions = array<i64: 1>} {
  %i = aten.arange 40, dtype = i64 {titan.names = ["rows"]} : () -> tensor<40xi64>
  %1 = aten.embedding %0, %i {titan.names = ["looked"]} : (tensor<40x64xf32>, tensor<40xi64>) -> tensor<40x64xf32>
  return %1 : tensor<40x64xf32>
}
