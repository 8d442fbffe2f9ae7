// RUN: titan-opt --titan-convert-aten-to-linalg --titan-verify-linalg %s | FileCheck %s

// A row for each index: from the end where it is negative, never outside.
// CHECK-LABEL: func.func @takes_rows
func.func @takes_rows(%w: tensor<16x4xf32>, %i: tensor<2x3xi64>) -> tensor<2x3x4xf32> {
  // CHECK: linalg.generic {{.*}} ins(%arg1 : tensor<2x3xi64>) outs(%{{.*}} : tensor<2x3x4xf32>)
  // CHECK: ^bb0(%[[I:[^:]+]]: i64
  // CHECK: arith.constant 0 : i64
  // CHECK: arith.cmpi slt, %[[I]]
  // CHECK: arith.select
  // CHECK: arith.maxsi
  // CHECK: %[[SAFE:.+]] = arith.minsi
  // CHECK: %[[ROW:.+]] = arith.index_cast %[[SAFE]]
  // CHECK: %[[COLUMN:.+]] = linalg.index 2
  // CHECK: tensor.extract %arg0[%[[ROW]], %[[COLUMN]]] : tensor<16x4xf32>
  %0 = aten.embedding %w, %i : (tensor<16x4xf32>, tensor<2x3xi64>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// Indices of dimensions that do not stand together go to the front.
// CHECK-LABEL: func.func @indexes_apart
func.func @indexes_apart(%x: tensor<5x6x7xf32>, %i: tensor<3xi64>, %j: tensor<2x1xi64>) -> tensor<2x3x6xf32> {
  // CHECK: linalg.generic {{.*}} ins(%arg1, %arg2 : tensor<3xi64>, tensor<2x1xi64>)
  // CHECK: %[[MIDDLE:.+]] = linalg.index 2
  // CHECK: tensor.extract %arg0[%{{.*}}, %[[MIDDLE]], %{{.*}}] : tensor<5x6x7xf32>
  %0 = aten.index.Tensor %x, [%i, none, %j] : (tensor<5x6x7xf32>, tensor<3xi64>, tensor<2x1xi64>) -> tensor<2x3x6xf32>
  return %0 : tensor<2x3x6xf32>
}

// The loss of an ignored target is zero whatever its score is.
// CHECK-LABEL: func.func @likelihood
func.func @likelihood(%x: tensor<4x10xf32>, %t: tensor<4xi64>) -> (tensor<f32>, tensor<f32>) {
  // CHECK: arith.constant 9 : i64
  // CHECK: tensor.extract %arg0[%{{.*}}, %{{.*}}] : tensor<4x10xf32>
  // CHECK: arith.constant -100 : i64
  // CHECK: linalg.generic {{.*}}iterator_types = ["reduction"]} {{.*}} outs(%{{.*}} : tensor<f64>)
  // CHECK: arith.divf %{{.*}} : f64
  %0, %1 = aten.nll_loss_forward %x, %t, none, 1, -100 : (tensor<4x10xf32>, tensor<4xi64>) -> (tensor<f32>, tensor<f32>)
  return %0, %1 : tensor<f32>, tensor<f32>
}
