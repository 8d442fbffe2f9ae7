// What is missing is named, and nothing is written.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %python %tools/expect_exit.py 2 titan-opt %s --emit=ptx --target=sm_80 --cuda-path=%t -o %t/out | FileCheck %s --check-prefix=LIBDEVICE
// RUN: %python %tools/expect_exit.py 2 titan-opt %s --emit=ptx --target=sm_12 -o %t/out | FileCheck %s --check-prefix=CHIP
// RUN: %python %tools/expect_exit.py 2 titan-run %s --engine=emulator --function=f --target=sm_12 | FileCheck %s --check-prefix=CHIP
// RUN: %python %tools/expect_exit.py 2 titan-run %s --engine=emulator --function=f --cuda-path=%t | FileCheck %s --check-prefix=LIBDEVICE
// RUN: not ls %t/out
// LIBDEVICE: error: cannot find the functions that kernels call: there is no '{{.*}}nvvm/libdevice/libdevice.10.bc'; give the CUDA toolkit's folder with '--cuda-path' or CUDA_HOME
// CHIP: error: there is no target 'sm_12'; use one of sm_80, sm_86, sm_89, sm_90, sm_90a, sm_100, sm_100a
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = aten.neg %x : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
