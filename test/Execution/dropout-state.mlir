// A recomputed dropout draws its mask again. With the state carried, the split
// run equals the joint run; with an op that draws for itself it must not.
// RUN: titan-opt %s --titan-partition=partitioner=min-cut -o %t.halves.mlir
// RUN: FileCheck %s --input-file=%t.halves.mlir
// RUN: titan-run --engine=reference %s --inputs=random:1 --outputs=%t.joint.safetensors
// RUN: titan-run --engine=reference %t.halves.mlir --inputs=random:1 --compare=%t.joint.safetensors
// RUN: sed -E 's/titan.torch_op "higher_order.run_with_rng_state"\(%%arg1, %%arg0\).*/aten.native_dropout %%arg0, 5.0e-01, true : (tensor<64xf32>) -> (tensor<64xf32>, tensor<64xi1>)/' %t.halves.mlir > %t.broken.mlir
// RUN: not titan-run --engine=reference %t.broken.mlir --inputs=random:1 --compare=%t.joint.safetensors 2>&1 | FileCheck %s --check-prefix=BROKEN

// CHECK: run_and_save_rng_state
// CHECK: run_with_rng_state
// BROKEN: '1' differs in
func.func @joint(%x: tensor<64xf32> {titan.name = "x", titan.role = #titan.role<input>},
                 %t: tensor<64xf32> {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (tensor<64xf32>, tensor<64xf32>) attributes {titan.joint = 1 : i64} {
  %0:2 = aten.native_dropout %x, 5.000000e-01, true {titan.names = ["out", "mask"], titan.tuple_name = "drop", titan.recompute = #titan.policy<must_recompute>, titan.ac_graph_id = 1 : i64}
      : (tensor<64xf32>) -> (tensor<64xf32>, tensor<64xi1>)
  %1 = aten.mul.Tensor %t, %0#1 {titan.names = ["masked"]} : (tensor<64xf32>, tensor<64xi1>) -> tensor<64xf32>
  %2 = aten.mul.Tensor %1, 2.000000e+00 {titan.names = ["grad"]} : (tensor<64xf32>) -> tensor<64xf32>
  return %0#0, %2 : tensor<64xf32>, tensor<64xf32>
}
