// Kernels for a GPU compute in the emulator what the reference engine does:
// sums along rows (of a warp, and of a block), across them, and of all, sizes
// that no vector divides, permutations, parts put together, narrow types,
// lookups, bools, integers, functions, and a result that is another result.
//
// REQUIRES: libdevice
// RUN: titan-run %s --engine=reference --inputs=random:3 --outputs=%t.safetensors
// RUN: titan-run %s --engine=emulator --inputs=random:3 --compare=%t.safetensors --tolerance=1e-6 2>&1 | FileCheck %s
// RUN: titan-run %s --engine=emulator --target=sm_90a --threads=3 --inputs=random:3 --outputs=%t.3.safetensors
// RUN: titan-run %s --engine=emulator --target=sm_90a --threads=1 --inputs=random:3 --outputs=%t.1.safetensors
// RUN: cmp %t.1.safetensors %t.3.safetensors
// CHECK-NOT: note:
// CHECK: 12 of 12 tensors are equal
func.func @f(%x: tensor<37x51xf32>, %w: tensor<51xf32>, %g: tensor<37x51xf32>,
             %h: tensor<3x5x17xbf16>, %big: tensor<3x5000xf32>)
    -> (tensor<37x51xf32>, tensor<51xf32>, tensor<37x51xf32>, tensor<f32>,
        tensor<51x37xf32>, tensor<74x51xf32>, tensor<5x51xbf16>,
        tensor<5000xf32>, tensor<3x5000xf32>, tensor<37x51xi1>, tensor<37xi64>,
        tensor<f32>) {
  %0 = aten.mul.Tensor %x, %x : (tensor<37x51xf32>, tensor<37x51xf32>) -> tensor<37x51xf32>
  %1 = aten.mean.dim %0, [-1], true : (tensor<37x51xf32>) -> tensor<37x1xf32>
  %2 = aten.add.Tensor %1, 1.0e-5 : (tensor<37x1xf32>) -> tensor<37x1xf32>
  %3 = aten.rsqrt %2 : (tensor<37x1xf32>) -> tensor<37x1xf32>
  %4 = aten.mul.Tensor %x, %3 : (tensor<37x51xf32>, tensor<37x1xf32>) -> tensor<37x51xf32>
  %5 = aten.mul.Tensor %4, %w : (tensor<37x51xf32>, tensor<51xf32>) -> tensor<37x51xf32>
  %6 = aten.mul.Tensor %g, %4 : (tensor<37x51xf32>, tensor<37x51xf32>) -> tensor<37x51xf32>
  %7 = aten.sum.dim_IntList %6, [0] : (tensor<37x51xf32>) -> tensor<51xf32>
  %8 = aten.silu %g : (tensor<37x51xf32>) -> tensor<37x51xf32>
  %9 = aten.mul.Tensor %8, %x : (tensor<37x51xf32>, tensor<37x51xf32>) -> tensor<37x51xf32>
  %10 = aten.sum %9 : (tensor<37x51xf32>) -> tensor<f32>
  %11 = aten.t %5 : (tensor<37x51xf32>) -> tensor<51x37xf32>
  %12 = aten.exp %11 : (tensor<51x37xf32>) -> tensor<51x37xf32>
  %13 = aten.cat [%x, %9] : (tensor<37x51xf32>, tensor<37x51xf32>) -> tensor<74x51xf32>
  %14 = aten.transpose.int %h, 0, 1 : (tensor<3x5x17xbf16>) -> tensor<5x3x17xbf16>
  %15 = aten.mul.Tensor %14, 1.5 : (tensor<5x3x17xbf16>) -> tensor<5x3x17xbf16>
  %16 = aten.view %15, [5, 51] : (tensor<5x3x17xbf16>) -> tensor<5x51xbf16>
  %17 = aten.tanh %16 : (tensor<5x51xbf16>) -> tensor<5x51xbf16>
  %18 = aten.amax %big, [0] : (tensor<3x5000xf32>) -> tensor<5000xf32>
  %19 = aten._softmax %big, 1, false : (tensor<3x5000xf32>) -> tensor<3x5000xf32>
  %20 = aten.gt.Scalar %x, 0.25 : (tensor<37x51xf32>) -> tensor<37x51xi1>
  %21 = aten.argmax %x, 1 : (tensor<37x51xf32>) -> tensor<37xi64>
  return %5, %7, %9, %10, %12, %13, %17, %18, %19, %20, %21, %10 : tensor<37x51xf32>, tensor<51xf32>, tensor<37x51xf32>, tensor<f32>, tensor<51x37xf32>, tensor<74x51xf32>, tensor<5x51xbf16>, tensor<5000xf32>, tensor<3x5000xf32>, tensor<37x51xi1>, tensor<37xi64>, tensor<f32>
}
