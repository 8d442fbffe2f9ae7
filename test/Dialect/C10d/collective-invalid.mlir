// RUN: titan-opt %s --split-input-file --verify-diagnostics

// Collectives.

func.func @gather_multiplies(%a: tensor<2x3xf32>) {
  // expected-error @below {{expected the result to have shape [8, 3], found [2, 3]}}
  %0 = c10d.all_gather_into_tensor %a, 4, "0" : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_divides(%a: tensor<8x3xf32>) {
  // expected-error @below {{expected the result to have shape [2, 3], found [8, 3]}}
  %0 = c10d.reduce_scatter_tensor %a, "sum", 4, "0" : (tensor<8x3xf32>) -> tensor<8x3xf32>
  return
}

// -----

func.func @scatter_evenly(%a: tensor<6x3xf32>) {
  // expected-error @below {{expected dimension 0 to divide by the group size 4, found 6}}
  %0 = c10d.reduce_scatter_tensor %a, "sum", 4, "0" : (tensor<6x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @group_has_ranks(%a: tensor<2xf32>) {
  // expected-error @below {{expected a positive group size, found 0}}
  %0 = c10d.all_gather_into_tensor %a, 0, "0" : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @group_has_a_name(%a: tensor<2xf32>) {
  // expected-error @below {{expected the name of a group, found none}}
  %0 = c10d.all_reduce %a, "sum", "" : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduction_is_known(%a: tensor<2xf32>) {
  // expected-error @below {{expected a reduction of 'sum', 'avg', 'product', 'min', 'max', 'band', 'bor' or 'bxor', found 'add'}}
  %0 = c10d.all_reduce %a, "add", "0" : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_keeps_type(%a: tensor<2xf32>) {
  // expected-error @below {{expected the result to hold 'f32', found 'bf16'}}
  %0 = c10d.all_reduce %a, "sum", "0" : (tensor<2xf32>) -> tensor<2xbf16>
  return
}

// -----

func.func @coalesced_each(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{expected result 1 to have shape [6], found [3]}}
  %0:2 = c10d.all_gather_into_tensor_coalesced [%a, %b], 2, "0" : (tensor<2xf32>, tensor<3xf32>) -> (tensor<4xf32>, tensor<3xf32>)
  return
}

// -----

func.func @splits_add_up(%a: tensor<4xf32>) {
  // expected-error @below {{expected input splits that add up to 4, found 3}}
  %0 = c10d.all_to_all_single %a, [2, 2], [2, 1], "0" : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @splits_give_the_result(%a: tensor<4xf32>) {
  // expected-error @below {{expected the result to have shape [5], found [4]}}
  %0 = c10d.all_to_all_single %a, [3, 2], [2, 2], "0" : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @splits_for_each_rank(%a: tensor<4xf32>) {
  // expected-error @below {{expected as many output splits as input splits, found 1 and 2}}
  %0 = c10d.all_to_all_single %a, [4], [2, 2], "0" : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @broadcast_from_a_rank(%a: tensor<4xf32>) {
  // expected-error @below {{expected a rank as the source, found -1}}
  %0 = c10d.broadcast %a, -1, "0" : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @wait_keeps_type(%a: tensor<2xf32>) {
  // expected-error @below {{expected the result to have shape [2], found [3]}}
  %0 = c10d.wait_tensor %a : (tensor<2xf32>) -> tensor<3xf32>
  return
}
