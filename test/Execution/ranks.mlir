// RUN: titan-run --engine=reference %s --ranks=2 --inputs=random:1 --outputs=%t.joint.{rank}.safetensors
// RUN: titan-opt %s --titan-partition=partitioner=min-cut -o %t.halves.mlir
// RUN: titan-run --engine=reference %t.halves.mlir --ranks=2 --inputs=random:1 --compare=%t.joint.{rank}.safetensors 2>&1 | FileCheck %s --check-prefix=SPLIT
// RUN: not titan-run --engine=reference %s --ranks=2 --inputs=random:1 --compare=%t.joint.1.safetensors 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not titan-run --engine=reference %s --ranks=3 2>&1 | FileCheck %s --check-prefix=GROUP
// RUN: not titan-run --engine=reference %s --ranks=2 --outputs=%t.safetensors 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not titan-run --engine=reference %s --memory-limit=40B 2>&1 | FileCheck %s --check-prefix=LIMIT

// A parameter in two shards: gathered for the product, its gradient reduced and
// scattered. Split and joint runs agree on both ranks.
// SPLIT: rank 0: 2 of 2 tensors are equal
// SPLIT: rank 1: 2 of 2 tensors are equal

// The ranks hold data of their own, and so results of their own.
// OTHER: rank 0: '0' differs
// OTHER: rank 0: '1' differs
// OTHER: rank 0: 0 of 2 tensors are equal
// OTHER: rank 1: 2 of 2 tensors are equal

// GROUP: error: cannot execute 'c10d.all_gather_into_tensor': its groups have 2 ranks, of which '--ranks' has to be a multiple, not 3
// NAME: titan-run: error: expected '{rank}' in '--outputs', one file for each of 2 ranks
// LIMIT: error: the inputs of 'joint' need 64 bytes where 0 of 40 are in use; raise '--memory-limit'
func.func @joint(
    %x: tensor<2x4xf32> {titan.name = "x", titan.role = #titan.role<input>},
    %shard: tensor<2x1xf32> {titan.name = "shard", titan.role = #titan.role<param>},
    %g: tensor<2x1xf32> {titan.name = "g", titan.role = #titan.role<tangent>},
    %unread: tensor<4xf32> {titan.name = "unread", titan.role = #titan.role<input>})
    -> (tensor<2x1xf32>, tensor<2x1xf32>) attributes {titan.joint = 1 : i64} {
  %0 = c10d.all_gather_into_tensor %shard, 2, "0" : (tensor<2x1xf32>) -> tensor<4x1xf32>
  %1 = c10d.wait_tensor %0 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %2 = aten.mm %x, %1 : (tensor<2x4xf32>, tensor<4x1xf32>) -> tensor<2x1xf32>
  %3 = aten.t %x : (tensor<2x4xf32>) -> tensor<4x2xf32>
  %4 = aten.mm %3, %g : (tensor<4x2xf32>, tensor<2x1xf32>) -> tensor<4x1xf32>
  %5 = c10d.reduce_scatter_tensor %4, "avg", 2, "0" : (tensor<4x1xf32>) -> tensor<2x1xf32>
  %6 = c10d.wait_tensor %5 : (tensor<2x1xf32>) -> tensor<2x1xf32>
  return %2, %6 : tensor<2x1xf32>, tensor<2x1xf32>
}
