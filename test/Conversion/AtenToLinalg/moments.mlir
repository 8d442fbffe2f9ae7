// RUN: titan-opt --titan-convert-aten-to-linalg --titan-verify-linalg %s | FileCheck %s

// Eight elements, one less in the divisor; the mean is the second result.
// CHECK-LABEL: func.func @variance
func.func @variance(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: arith.addf %{{.*}} : f64
  // CHECK: arith.constant 8.000000e+00 : f64
  // CHECK: arith.subf %{{.*}} : f64
  // CHECK: arith.mulf %{{.*}} : f64
  // CHECK: arith.constant 7.000000e+00 : f64
  %0, %1 = aten.var_mean.correction %x, [1], correction = 1 : (tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// The first place that holds the extreme or NaN: the least of their numbers.
// CHECK-LABEL: func.func @first_greatest
func.func @first_greatest(%x: tensor<4x8xf32>) -> tensor<4xi64> {
  // CHECK: %[[TOPS:.+]] = linalg.generic
  // CHECK: arith.maximumf
  // CHECK: linalg.generic {{.*}} ins(%arg0, %[[TOPS]] : tensor<4x8xf32>, tensor<4xf32>) outs(%{{.*}} : tensor<4xi64>)
  // CHECK: arith.cmpf oeq
  // CHECK: arith.cmpf uno
  // CHECK: linalg.index 1
  // CHECK: arith.minsi
  %0 = aten.argmax %x, 1 : (tensor<4x8xf32>) -> tensor<4xi64>
  return %0 : tensor<4xi64>
}

// An infinite norm is an extreme, the second root of squares summed in f64.
// CHECK-LABEL: func.func @norms
func.func @norms(%x: tensor<4x8xbf16>) -> (tensor<4xbf16>, tensor<bf16>) {
  // CHECK: math.absf
  // CHECK: arith.maximumf %{{.*}} : f64
  // CHECK: linalg.generic {{.*}}iterator_types = ["reduction", "reduction"]} {{.*}} outs(%{{.*}} : tensor<f64>)
  // CHECK: math.sqrt %{{.*}} : f64
  %0 = aten.linalg_vector_norm %x, inf, [1] : (tensor<4x8xbf16>) -> tensor<4xbf16>
  %1 = aten.linalg_vector_norm %x, 2.0 : (tensor<4x8xbf16>) -> tensor<bf16>
  return %0, %1 : tensor<4xbf16>, tensor<bf16>
}
