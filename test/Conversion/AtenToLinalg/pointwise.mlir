// RUN: titan-opt --titan-convert-aten-to-linalg %s | FileCheck %s

// A broadcast is an indexing map.
// CHECK-DAG: #[[$BOTH:.+]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$LAST:.+]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[$COLUMN:.+]] = affine_map<(d0, d1) -> (d0, 0)>
// CHECK-LABEL: func.func @broadcasts_by_maps
func.func @broadcasts_by_maps(%a: tensor<4x8xf32>, %b: tensor<8xf32>, %c: tensor<4x1xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  // CHECK: linalg.generic {indexing_maps = [#[[$BOTH]], #[[$LAST]], #[[$BOTH]]], iterator_types = ["parallel", "parallel"]}
  // CHECK: arith.mulf %{{.*}} : f32
  %0 = aten.mul.Tensor %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  // CHECK: linalg.generic {indexing_maps = [#[[$BOTH]], #[[$COLUMN]], #[[$BOTH]]]
  // CHECK: arith.subf %{{.*}} : f32
  %1 = aten.sub.Tensor %a, %c : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// bf16 is computed in f32 and rounded once.
// CHECK-LABEL: func.func @computes_bf16_in_f32
func.func @computes_bf16_in_f32(%a: tensor<8xbf16>, %b: tensor<8xf32>) -> (tensor<8xbf16>, tensor<8xf32>) {
  // CHECK: %[[X:.+]] = arith.extf %{{.*}} : bf16 to f32
  // CHECK: %[[Y:.+]] = arith.extf %{{.*}} : bf16 to f32
  // CHECK: %[[P:.+]] = arith.mulf %[[X]], %[[Y]] : f32
  // CHECK: %[[R:.+]] = arith.truncf %[[P]] : f32 to bf16
  // CHECK: linalg.yield %[[R]] : bf16
  %0 = aten.mul.Tensor %a, %a : (tensor<8xbf16>, tensor<8xbf16>) -> tensor<8xbf16>
  // CHECK: arith.extf %{{.*}} : bf16 to f32
  // CHECK: arith.addf %{{.*}} : f32
  %1 = aten.add.Tensor %a, %b : (tensor<8xbf16>, tensor<8xf32>) -> tensor<8xf32>
  return %0, %1 : tensor<8xbf16>, tensor<8xf32>
}

// alpha * other is not rounded before it is added.
// CHECK-LABEL: func.func @scales_fused
func.func @scales_fused(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[ALPHA:.+]] = arith.constant 2.500000e+00 : f32
  // CHECK: math.fma %[[ALPHA]], %{{.*}}, %{{.*}} : f32
  %0 = aten.add.Tensor %a, %b, alpha = 2.5 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A literal is rounded to the type it is compared in: 0.1 in bf16 is 0.100097...
// CHECK-LABEL: func.func @compares_in_the_common_type
func.func @compares_in_the_common_type(%a: tensor<8xbf16>, %i: tensor<8xi64>) -> (tensor<8xi1>, tensor<8xi1>) {
  // CHECK: arith.constant 1.000980e-01 : bf16
  // CHECK: arith.cmpf olt, %{{.*}} : f32
  %0 = aten.lt.Scalar %a, 0.1 : (tensor<8xbf16>) -> tensor<8xi1>
  // CHECK: arith.cmpi sle, %{{.*}} : i64
  %1 = aten.le.Scalar %i, 3 : (tensor<8xi64>) -> tensor<8xi1>
  return %0, %1 : tensor<8xi1>, tensor<8xi1>
}

// A formula of several steps is evaluated in f64.
// CHECK-LABEL: func.func @evaluates_formulas_wide
func.func @evaluates_formulas_wide(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[X:.+]] = arith.extf %{{.*}} : f32 to f64
  // CHECK: %[[N:.+]] = arith.negf %[[X]] : f64
  // CHECK: %[[E:.+]] = math.exp %[[N]] : f64
  // CHECK: %[[S:.+]] = arith.addf %{{.*}}, %[[E]] : f64
  // CHECK: %[[Q:.+]] = arith.divf %[[X]], %[[S]] : f64
  // CHECK: arith.truncf %[[Q]] : f64 to f32
  %0 = aten.silu %x : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// An op without a lowering stays.
// CHECK-LABEL: func.func @leaves_the_rest
func.func @leaves_the_rest(%x: tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>> {
  // CHECK: aten.exp
  %0 = aten.exp %x : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
  return %0 : tensor<8xcomplex<f32>>
}
