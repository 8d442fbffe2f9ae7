// RUN: titan-opt %s | FileCheck %s
// RUN: titan-opt %s | titan-opt - | FileCheck %s
// RUN: titan-opt %s --emit=bytecode -o %t.mlirbc && titan-opt %t.mlirbc | FileCheck %s

// An argument is a value, a literal, a list or `none`, in the schema's order;
// what stands after the schema's star says its name.

// CHECK-LABEL: func @literal_in_a_tensor_place
func.func @literal_in_a_tensor_place(%x: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK: aten.sub.Tensor 1.000000e+00, %{{.*}} : (tensor<2xf32>) -> tensor<2xf32>
  %0 = aten.sub.Tensor 1.0, %x : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK: aten.add.Tensor %{{.*}}, 2, alpha = 1.500000e+00 : (tensor<2xf32>) -> tensor<2xf32>
  %1 = aten.add.Tensor %0, 2, alpha = 1.5 : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// CHECK-LABEL: func @extreme_numbers
func.func @extreme_numbers(%x: tensor<2xf32>) {
  // CHECK: aten.mul.Tensor %{{.*}}, -inf :
  %0 = aten.mul.Tensor %x, -inf : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK: aten.mul.Tensor %{{.*}}, nan :
  %1 = aten.mul.Tensor %x, nan : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK: aten.mul.Tensor %{{.*}}, -0.000000e+00 :
  %2 = aten.mul.Tensor %x, -0.0 : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK: aten.mul.Tensor %{{.*}}, 1.6777217{{0*}}e+07 :
  %3 = aten.mul.Tensor %x, 16777217.0 : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK: aten.slice.Tensor %{{.*}}, 0, 1, 9223372036854775807 :
  %4 = aten.slice.Tensor %x, 0, 1, 9223372036854775807 : (tensor<2xf32>) -> tensor<1xf32>
  return
}

// CHECK-LABEL: func @symbolic_sizes
func.func @symbolic_sizes(%x: tensor<?x6xf32>, %s: index) {
  // CHECK: aten.view %{{.*}}, [%{{.*}}, 2, -1] : (tensor<?x6xf32>, index) -> tensor<?x2x3xf32>
  %0 = aten.view %x, [%s, 2, -1] : (tensor<?x6xf32>, index) -> tensor<?x2x3xf32>
  // CHECK: aten.full [], 0 : () -> tensor<i64>
  %1 = aten.full [], 0 : () -> tensor<i64>
  return
}

// CHECK-LABEL: func @absent_arguments
func.func @absent_arguments(%x: tensor<2x3xf32>, %i: tensor<2xi64>, %w: tensor<1x3x8xf32>, %k: tensor<4x3x3xf32>) {
  // CHECK: aten.clamp %{{.*}}, none, 5 :
  %0 = aten.clamp %x, none, 5 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: aten.index.Tensor %{{.*}}, [none, %{{.*}}] :
  %1 = aten.index.Tensor %x, [none, %i] : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  // CHECK: aten.convolution %{{.*}}, %{{.*}}, none, [1], [0], [1], false, [0], 1 :
  %2 = aten.convolution %w, %k, none, [1], [0], [1], false, [0], 1 : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  // CHECK: aten.sum.dim_IntList %{{.*}}, none, dtype = f64 :
  %3 = aten.sum.dim_IntList %x, none, dtype = f64 : (tensor<2x3xf32>) -> tensor<f64>
  return
}

// CHECK-LABEL: func @strings_and_dtypes
func.func @strings_and_dtypes(%x: tensor<2xf32>) {
  // CHECK: aten._to_copy %{{.*}}, dtype = f8E4M3FN, layout = "strided", device = "cuda:0" :
  %0 = aten._to_copy %x, dtype = f8E4M3FN, layout = "strided", device = "cuda:0" : (tensor<2xf32>) -> tensor<2xf8E4M3FN>
  // CHECK: aten.clone %{{.*}}, memory_format = "contiguous_format" :
  %1 = aten.clone %x, memory_format = "contiguous_format" : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// A dimension that is not known agrees with every other.
// CHECK-LABEL: func @unknown_sizes
func.func @unknown_sizes(%x: tensor<?x3xbf16>, %y: tensor<3x?xbf16>, %z: tensor<?xf32>) {
  // CHECK: aten.mm
  %0 = aten.mm %x, %y : (tensor<?x3xbf16>, tensor<3x?xbf16>) -> tensor<4x5xbf16>
  // CHECK: aten.add.Tensor
  %1 = aten.add.Tensor %x, %z : (tensor<?x3xbf16>, tensor<?xf32>) -> tensor<?x3xf32>
  // CHECK: c10d.reduce_scatter_tensor
  %2 = c10d.reduce_scatter_tensor %x, "avg", 4, "0" : (tensor<?x3xbf16>) -> tensor<?x3xbf16>
  return
}
