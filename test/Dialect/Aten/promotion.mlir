// RUN: titan-opt %s -o /dev/null

// PyTorch's rules of promotion, as the verifier knows them: each of these is what
// torch.result_type gives.

func.func @promotes(%b: tensor<2xi1>, %u: tensor<2xui8>, %c: tensor<2xi8>, %i: tensor<2xi64>,
                    %h: tensor<2xf16>, %f: tensor<2xf32>, %z: tensor<2xcomplex<f32>>,
                    %h0: tensor<f16>, %f0: tensor<f32>, %i0: tensor<i64>, %s: index) {
  %0 = aten.add.Tensor %b, %b : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  %1 = aten.add.Tensor %b, %u : (tensor<2xi1>, tensor<2xui8>) -> tensor<2xui8>
  // A byte with and a byte without sign need 16 bits.
  %2 = aten.add.Tensor %u, %c : (tensor<2xui8>, tensor<2xi8>) -> tensor<2xi16>
  %3 = aten.add.Tensor %c, %i : (tensor<2xi8>, tensor<2xi64>) -> tensor<2xi64>
  // A floating point type wins over every integer.
  %4 = aten.add.Tensor %i, %h : (tensor<2xi64>, tensor<2xf16>) -> tensor<2xf16>
  %5 = aten.add.Tensor %h, %f : (tensor<2xf16>, tensor<2xf32>) -> tensor<2xf32>
  %6 = aten.mul.Tensor %f, %z : (tensor<2xf32>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  // Rank 0 decides only where its category is higher.
  %7 = aten.mul.Tensor %h, %f0 : (tensor<2xf16>, tensor<f32>) -> tensor<2xf16>
  %8 = aten.mul.Tensor %i, %h0 : (tensor<2xi64>, tensor<f16>) -> tensor<2xf16>
  %9 = aten.mul.Tensor %c, %i0 : (tensor<2xi8>, tensor<i64>) -> tensor<2xi8>
  // So do numbers, below rank 0.
  %10 = aten.mul.Tensor %c, 3 : (tensor<2xi8>) -> tensor<2xi8>
  %11 = aten.mul.Tensor %b, 3 : (tensor<2xi1>) -> tensor<2xi64>
  %12 = aten.mul.Tensor %i, 0.5 : (tensor<2xi64>) -> tensor<2xf32>
  %13 = aten.mul.Tensor %h0, 0.5 : (tensor<f16>) -> tensor<f16>
  %14 = aten.mul.Tensor %u, %s : (tensor<2xui8>, index) -> tensor<2xui8>
  %15 = aten.div.Tensor %i, 2 : (tensor<2xi64>) -> tensor<2xf32>
  return
}
