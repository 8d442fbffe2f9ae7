// The mask that only the backward reads is saved, not drawn again, although
// nothing says where the ops were written.
// RUN: titan-opt %s --titan-partition=partitioner=default -o %t.titan.mlir
// RUN: FileCheck %s --input-file=%t.titan.mlir
// RUN: titan-opt %s '--titan-partition=partitioner=default compat=pytorch' -o %t.pytorch.mlir
// RUN: FileCheck %s --input-file=%t.pytorch.mlir
// RUN: titan-run --engine=reference %s --inputs=random:1 --outputs=%t.joint.safetensors
// RUN: titan-run --engine=reference %t.titan.mlir --inputs=random:1 --compare=%t.joint.safetensors
// RUN: titan-run --engine=reference %t.pytorch.mlir --inputs=random:1 --compare=%t.joint.safetensors

// CHECK: func.func @backward
// CHECK-SAME: titan.name = "mask"
// CHECK-NOT: native_dropout
func.func @joint(%x: tensor<64xf32> {titan.name = "x", titan.role = #titan.role<input>},
                 %t: tensor<64xf32> {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (tensor<64xf32>, tensor<64xf32>) attributes {titan.joint = 1 : i64} {
  %0:2 = aten.native_dropout %x, 5.000000e-01, true {titan.names = ["out", "mask"], titan.tuple_name = "drop"}
      : (tensor<64xf32>) -> (tensor<64xf32>, tensor<64xi1>)
  %1 = aten.mul.Tensor %t, %0#1 {titan.names = ["masked"]} : (tensor<64xf32>, tensor<64xi1>) -> tensor<64xf32>
  return %0#0, %1 : tensor<64xf32>, tensor<64xf32>
}
