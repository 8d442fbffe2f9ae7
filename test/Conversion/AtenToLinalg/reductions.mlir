// RUN: titan-opt --titan-convert-aten-to-linalg %s | FileCheck %s

// CHECK-DAG: #[[$ALL:.+]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[$OUTER:.+]] = affine_map<(d0, d1, d2) -> (d0, d2)>

// A sum accumulates in f64 and is rounded by the next generic; keepdim is a
// view.
// CHECK-LABEL: func.func @sums_in_f64
func.func @sums_in_f64(%x: tensor<4x8x2xf32>) -> tensor<4x1x2xf32> {
  // CHECK: %[[ZERO:.+]] = linalg.fill {{.*}} -> tensor<4x2xf64>
  // CHECK: %[[SUM:.+]] = linalg.generic {indexing_maps = [#[[$ALL]], #[[$OUTER]]], iterator_types = ["parallel", "reduction", "parallel"]} {{.*}} outs(%[[ZERO]] : tensor<4x2xf64>)
  // CHECK: arith.addf %{{.*}} : f64
  // CHECK: %[[ROUNDED:.+]] = linalg.generic {{.*}} ins(%[[SUM]] : tensor<4x2xf64>)
  // CHECK: arith.truncf %{{.*}} : f64 to f32
  // CHECK: tensor.expand_shape %[[ROUNDED]] {{.*}} into tensor<4x1x2xf32>
  %0 = aten.sum.dim_IntList %x, [1], true : (tensor<4x8x2xf32>) -> tensor<4x1x2xf32>
  return %0 : tensor<4x1x2xf32>
}

// Sixteen elements make each mean.
// CHECK-LABEL: func.func @divides_by_the_count
func.func @divides_by_the_count(%x: tensor<4x8x2xf32>) -> tensor<4xf32> {
  // CHECK: arith.constant 1.600000e+01 : f64
  // CHECK: arith.divf %{{.*}} : f64
  %0 = aten.mean.dim %x, [-1, 1] : (tensor<4x8x2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// NaN is greater than all else, as in PyTorch.
// CHECK-LABEL: func.func @keeps_nan
func.func @keeps_nan(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  // CHECK: arith.constant 0xFF800000 : f32
  // CHECK: arith.maximumf
  %0 = aten.amax %x, [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
