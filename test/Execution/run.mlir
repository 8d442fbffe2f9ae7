// RUN: titan-run --engine=reference %s --inputs=random:1 --outputs=%t.a.safetensors
// RUN: titan-run --engine=reference %s --inputs=random:1 --compare=%t.a.safetensors 2>&1 | FileCheck %s --check-prefix=EQUAL
// RUN: not titan-run --engine=reference %s --inputs=random:2 --compare=%t.a.safetensors 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not titan-run --engine=reference %s --inputs=%t.a.safetensors 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: titan-run --engine=reference %s --profile 2>&1 | FileCheck %s --check-prefix=PROFILE

// The same inputs give the same bits, others do not; the result and the input
// that is written to are both there.
// EQUAL: 2 of 2 tensors are equal
// OTHER-DAG: '0' differs in 6 of 6 elements
// OTHER-DAG: 'input:counter' differs
// OTHER: 0 of 2 tensors are equal

// All inputs that cannot be bound are named at once.
// MISSING: error: 3 inputs of 'step' cannot be bound: 'x' is missing; 'w' is missing; 'counter' is missing

// PROFILE: ms % calls MB GB/s GFLOP/s op
// PROFILE-DAG: 1 {{.*}} aten.mm
// PROFILE-DAG: 1 {{.*}} aten.copy_
// PROFILE: peak [[PEAK:[0-9]+]] bytes of values, predicted [[PEAK]],
func.func @step(%x: tensor<2x4xf32> {titan.name = "x"},
                %w: tensor<4x3xbf16> {titan.name = "w"},
                %counter: tensor<f32> {titan.name = "counter"})
    -> tensor<2x3xbf16> {
  %0 = aten._to_copy %x, dtype = bf16 : (tensor<2x4xf32>) -> tensor<2x4xbf16>
  %1 = aten.mm %0, %w
      : (tensor<2x4xbf16>, tensor<4x3xbf16>) -> tensor<2x3xbf16>
  %2 = aten.add.Tensor %counter, 1 : (tensor<f32>) -> tensor<f32>
  %3 = aten.copy_ %counter, %2 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<2x3xbf16>
}
