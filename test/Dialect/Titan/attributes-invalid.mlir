// RUN: titan-opt %s --split-input-file --verify-diagnostics

// Each attribute has its kind and its place.

func.func @policy_is_a_policy(%a: tensor<2xf32>) {
  // expected-error @below {{expected 'titan.recompute' to be a #titan.policy, found "must_save"}}
  %0 = aten.relu %a {titan.recompute = "must_save"} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @policy_needs_a_result(%a: tensor<i1>) {
  // expected-error @below {{has a policy but no result that could be saved or recomputed}}
  aten._assert_async.msg %a, "message" {titan.recompute = #titan.policy<must_save>} : (tensor<i1>) -> ()
  return
}

// -----

func.func @region_is_a_number(%a: tensor<2xf32>) {
  // expected-error @below {{expected 'titan.ac_graph_id' to be an i64, found "0"}}
  %0 = aten.relu %a {titan.ac_graph_id = "0"} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @phase_is_a_phase(%a: tensor<2xf32>) {
  // expected-error @below {{expected 'titan.phase' to be a #titan.phase, found "forward"}}
  %0 = aten.relu %a {titan.phase = "forward"} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @a_name_for_each_result(%a: tensor<2xf32>) {
  // expected-error @below {{expected an element of 'titan.names' for each of the 1 results, found 2}}
  %0 = aten.relu %a {titan.names = ["relu", "relu_1"]} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @names_are_strings(%a: tensor<2xf32>) {
  // expected-error @below {{expected the elements of 'titan.names' to be strings, found 1}}
  %0 = aten.relu %a {titan.names = [1]} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @a_layout_for_each_result(%a: tensor<2xf32>) {
  // expected-error @below {{expected an element of 'titan.layouts' for each of the 1 results, found 0}}
  %0 = aten.relu %a {titan.layouts = []} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @a_policy_for_each_result(%a: tensor<2xf32>) {
  // expected-error @below {{expected the elements of 'titan.result_recompute' to be #titan.policy or #titan.none, found unit}}
  %0 = aten.relu %a {titan.result_recompute = [unit]} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// expected-error @below {{expected a number of forward outputs, found -1}}
func.func @counts_forward_outputs(%a: tensor<2xf32>) -> tensor<2xf32> attributes {titan.joint = -1 : i64} {
  return %a : tensor<2xf32>
}

// -----

func.func @joint_is_a_function(%a: tensor<2xf32>) {
  // expected-error @below {{expected 'titan.joint' on a function}}
  %0 = aten.relu %a {titan.joint = 1 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// expected-error @below {{expected a position for each of the 1 results, found 2}}
func.func @a_position_for_each_result(%a: tensor<2xf32>) -> tensor<2xf32> attributes {titan.result_positions = array<i64: 0, 1>} {
  return %a : tensor<2xf32>
}

// -----

// expected-error @below {{expected 'titan.graph_kind' to be "joint", "step", "forward" or "backward", found "sideways"}}
func.func @kind_is_known(%a: tensor<2xf32>) attributes {titan.graph_kind = "sideways"} {
  return
}

// -----

// expected-error @below {{expected 'titan.role' of argument 0 to be a #titan.role, found "param"}}
func.func @role_is_a_role(%a: tensor<2xf32> {titan.role = "param"}) {
  return
}

// -----

// expected-error @below {{expected the tangent 'tangents_1' to have the role tangent, found #titan.role<param>}}
func.func @tangent_is_no_parameter(%a: tensor<2xf32> {titan.name = "tangents_1", titan.role = #titan.role<param>}) {
  return
}

// -----

// expected-error @below {{expected 'titan.layout' of argument 0 to be a #titan.layout, found "cuda:0"}}
func.func @layout_is_a_layout(%a: tensor<2xf32> {titan.layout = "cuda:0"}) {
  return
}
