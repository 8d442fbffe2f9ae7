// RUN: titan-opt --titan-verify-linalg --split-input-file --verify-diagnostics %s

// expected-error @below {{expected only linalg and what goes with it, found 2 ops without a lowering: "aten.exp" (2 times), "aten.erf" (1 time)}}
module {
  func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
    // expected-note @below {{"aten.exp" stands here}}
    %0 = aten.exp %x : (tensor<8xf32>) -> tensor<8xf32>
    %1 = aten.exp %0 : (tensor<8xf32>) -> tensor<8xf32>
    // expected-note @below {{"aten.erf" stands here}}
    %2 = aten.erf %1 : (tensor<8xf32>) -> tensor<8xf32>
    return %2 : tensor<8xf32>
  }
}

// -----

func.func @fine(%x: f32) -> f32 {
  %0 = arith.addf %x, %x : f32
  return %0 : f32
}
