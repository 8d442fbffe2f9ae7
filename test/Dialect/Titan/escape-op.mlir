// RUN: titan-opt %s | titan-opt - | FileCheck %s

// An op that no dialect models keeps every literal it was called with.
// CHECK-LABEL: func @keeps_literals
func.func @keeps_literals(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: titan.torch_op "lab.fused.default"(%{{.*}}) {args = [#titan.arg<0>, 1, "avg"]} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = titan.torch_op "lab.fused.default"(%x) {args = [#titan.arg<0>, 1, "avg"]} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
