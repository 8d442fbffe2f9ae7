// RUN: titan-opt %s --titan-apply-sac='stop=none region=none save-set=none mm-alternate=off save-gathered-params' --split-input-file --verify-diagnostics 2>/dev/null | FileCheck %s

// A gathered dimension is moved to its place by a split whose parts all go into
// one cat: the two are one link, and the cat is the whole parameter.
// CHECK-LABEL: func @split_and_cat
func.func @split_and_cat(%w: tensor<4x2xf32>) -> tensor<4x4xf32> attributes {titan.joint = 1} {
  %0 = aten._to_copy %w, dtype = f32 : (tensor<4x2xf32>) -> tensor<4x2xf32>
  // CHECK: c10d.all_gather_into_tensor {{.*}} #titan.policy<prefer_recompute>
  %1 = c10d.all_gather_into_tensor %0, 2, "fsdp" : (tensor<4x2xf32>) -> tensor<8x2xf32>
  // CHECK: c10d.wait_tensor {{.*}} #titan.policy<prefer_recompute>
  %2 = c10d.wait_tensor %1 : (tensor<8x2xf32>) -> tensor<8x2xf32>
  %3:2 = aten.split.Tensor %2, 4 : (tensor<8x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>)
  // CHECK: aten.cat {{.*}} #titan.policy<must_save>
  %4 = aten.cat [%3#0, %3#1], 1 : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x4xf32>
  // CHECK: aten.t {{.*}} #titan.policy<prefer_recompute>
  %5 = aten.t %4 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %5 : tensor<4x4xf32>
}

// -----

// A part that goes elsewhere, too, ends the chain at the wait.
// CHECK-LABEL: func @split_and_more
func.func @split_and_more(%w: tensor<4x2xf32>) -> (tensor<4x4xf32>, tensor<4x2xf32>) attributes {titan.joint = 2} {
  %0 = c10d.all_gather_into_tensor %w, 2, "fsdp" : (tensor<4x2xf32>) -> tensor<8x2xf32>
  // CHECK: c10d.wait_tensor {{.*}} #titan.policy<must_save>
  %1 = c10d.wait_tensor %0 : (tensor<8x2xf32>) -> tensor<8x2xf32>
  %2:2 = aten.split.Tensor %1, 4 : (tensor<8x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>)
  // CHECK: aten.cat {{.*}} #titan.policy<prefer_recompute>
  %3 = aten.cat [%2#0, %2#1], 1 : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x4xf32>
  %4 = aten.neg %2#1 : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %3, %4 : tensor<4x4xf32>, tensor<4x2xf32>
}

// -----

// A parameter with two readers: each chain has its own whole parameter; an
// activation's gather is none.
// CHECK-LABEL: func @two_chains
func.func @two_chains(%w: tensor<2x4xf32>, %x: tensor<2x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) attributes {titan.joint = 3} {
  %0 = c10d.all_gather_into_tensor %w, 2, "fsdp" : (tensor<2x4xf32>) -> tensor<4x4xf32>
  // CHECK: c10d.wait_tensor {{.*}} #titan.policy<must_save>
  %1 = c10d.wait_tensor %0 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = c10d.all_gather_into_tensor %w, 2, "fsdp" : (tensor<2x4xf32>) -> tensor<4x4xf32>
  // CHECK: c10d.wait_tensor {{.*}} #titan.policy<must_save>
  %3 = c10d.wait_tensor %2 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = aten.add.Tensor %x, %w : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %5 = c10d.all_gather_into_tensor %4, 2, "tp" : (tensor<2x4xf32>) -> tensor<4x4xf32>
  // CHECK: c10d.wait_tensor {{.*}} #titan.policy<prefer_recompute>
  %6 = c10d.wait_tensor %5 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1, %3, %6 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

func.func @two_waits(%w: tensor<2x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) attributes {titan.joint = 2} {
  // expected-error @below {{expected one wait to read the gather 'gather', found 2 ops}}
  %0 = c10d.all_gather_into_tensor %w, 2, "fsdp" {titan.names = ["gather"]} : (tensor<2x4xf32>) -> tensor<4x4xf32>
  %1 = c10d.wait_tensor %0 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = c10d.wait_tensor %0 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

func.func @no_wait(%w: tensor<2x4xf32>) -> tensor<4x4xf32> attributes {titan.joint = 1} {
  // expected-error @below {{expected one wait to read the gather 'gather', found 'aten.neg.default'}}
  %0 = c10d.all_gather_into_tensor %w, 2, "fsdp" {titan.names = ["gather"]} : (tensor<2x4xf32>) -> tensor<4x4xf32>
  %1 = aten.neg %0 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
