// Ops without a kernel are listed in one error, with counts and places; the
// emulator runs them on reference kernels and says so.
//
// REQUIRES: libdevice
// RUN: rm -rf %t && mkdir %t
// RUN: %python %tools/expect_exit.py 1 titan-opt %s --emit=ptx --target=sm_80 -o %t/out | FileCheck %s
// RUN: not ls %t/out
// RUN: titan-run %s --engine=reference --inputs=random:1 --outputs=%t/r.safetensors
// RUN: titan-run %s --engine=emulator --inputs=random:1 --compare=%t/r.safetensors --tolerance=1e-6 2>&1 | FileCheck %s --check-prefix=RAN
// RAN: note: without a kernel for the GPU, on reference kernels: 'aten.mm' (2) 'aten.cumsum' (1)
// RAN: 1 of 1 tensors are equal
func.func @f(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: unlowered.mlir:[[# @LINE + 1]]:{{.*}}error: there are no kernels for 'aten.mm' (2), 'aten.cumsum' (1); 'titan-run --engine=emulator' runs these on reference kernels
  %0 = aten.mm %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = aten.relu %0 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = aten.mm %1, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK: unlowered.mlir:[[# @LINE + 1]]:{{.*}}note: 'aten.cumsum' first here
  %3 = aten.cumsum %2, 1 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}
