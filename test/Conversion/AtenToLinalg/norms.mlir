// RUN: titan-opt --titan-convert-aten-to-linalg --titan-verify-linalg %s | FileCheck %s

// CHECK-DAG: #[[$ALL:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$ROWS:.+]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[$COLUMNS:.+]] = affine_map<(d0, d1) -> (d1)>

// The greatest of each row, exponentials in f32, their sum in f64, shares.
// CHECK-LABEL: func.func @softmax_of_rows
func.func @softmax_of_rows(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: %[[TOPS:.+]] = linalg.generic {indexing_maps = [#[[$ALL]], #[[$ROWS]]], iterator_types = ["parallel", "reduction"]}
  // CHECK: arith.maximumf %{{.*}} : f32
  // CHECK: %[[EXPS:.+]] = linalg.generic {{.*}} ins(%arg0, %[[TOPS]] : tensor<4x8xf32>, tensor<4xf32>)
  // CHECK: math.exp %{{.*}} : f32
  // CHECK: %[[SUMS:.+]] = linalg.generic {{.*}}"reduction"]} ins(%[[EXPS]] : tensor<4x8xf32>) outs(%{{.*}} : tensor<4xf64>)
  // CHECK: arith.addf %{{.*}} : f64
  // CHECK: linalg.generic {{.*}} ins(%[[EXPS]], %[[SUMS]]
  // CHECK: arith.divf
  %0 = aten._softmax %x, -1, false : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// The sum of the exponentials needs no tensor of them.
// CHECK-LABEL: func.func @log_softmax_of_rows
func.func @log_softmax_of_rows(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  // CHECK: arith.maximumf %{{.*}} : f32
  // CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<4xf64>)
  // CHECK: %[[EXP:.+]] = math.exp %{{.*}} : f32
  // CHECK-NEXT: arith.extf %[[EXP]] : f32 to f64
  // CHECK: math.log %{{.*}} : f64
  // CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<4x8xbf16>)
  %0 = aten._log_softmax %x, 1, false : (tensor<4x8xbf16>) -> tensor<4x8xbf16>
  return %0 : tensor<4x8xbf16>
}

// Rows of eight: mean and deviation stay f64 until they are results; the weight
// is read along the columns.
// CHECK-LABEL: func.func @layer_norm_of_rows
func.func @layer_norm_of_rows(%x: tensor<4x8xbf16>, %w: tensor<8xbf16>, %b: tensor<8xbf16>) -> (tensor<4x8xbf16>, tensor<4x1xf32>, tensor<4x1xf32>) {
  // CHECK: arith.constant 8.000000e+00 : f64
  // CHECK: math.sqrt %{{.*}} : f64
  // CHECK: linalg.generic {indexing_maps = [#[[$ALL]], #[[$ROWS]], #[[$ROWS]], #[[$COLUMNS]], #[[$COLUMNS]], #[[$ALL]]]
  // CHECK: tensor.expand_shape {{.*}} into tensor<4x1xf32>
  // CHECK: tensor.expand_shape {{.*}} into tensor<4x1xf32>
  %y, %mean, %rstd = aten.native_layer_norm %x, [8], %w, %b, 1.0e-05 : (tensor<4x8xbf16>, tensor<8xbf16>, tensor<8xbf16>) -> (tensor<4x8xbf16>, tensor<4x1xf32>, tensor<4x1xf32>)
  return %y, %mean, %rstd : tensor<4x8xbf16>, tensor<4x1xf32>, tensor<4x1xf32>
}

// The gradient of the weight is summed over rows.
// CHECK-LABEL: func.func @rms_norm_gradient
func.func @rms_norm_gradient(%g: tensor<4x8xf32>, %x: tensor<4x8xf32>, %rstd: tensor<4x1xf32>, %w: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>) {
  // CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]}
  // CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]}
  // CHECK: linalg.generic {{.*}}#[[$COLUMNS]]], iterator_types = ["reduction", "parallel"]} {{.*}} outs(%{{.*}} : tensor<8xf64>)
  %0, %1 = aten._fused_rms_norm_backward %g, %x, [8], %rstd, %w, [true, true] : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x1xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  return %0, %1 : tensor<4x8xf32>, tensor<8xf32>
}
