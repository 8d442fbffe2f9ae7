// RUN: titan-opt %s --titan-verify-joint --split-input-file --verify-diagnostics

// A joint function as the importer makes it.
func.func @joint(%p: tensor<4xf32> {titan.name = "p", titan.role = #titan.role<param>},
                 %t: tensor<4xf32> {titan.name = "t", titan.role = #titan.role<tangent>},
                 %c: tensor<f32> {titan.name = "c", titan.role = #titan.role<constant>})
    -> (tensor<4xf32> {titan.role = #titan.role<output>},
        tensor<4xf32> {titan.role = #titan.role<grad>})
    attributes {titan.joint = 1 : i64, titan.result_positions = array<i64: 0, 2>} {
  %y = titan.torch_op "lab.f"(%p, %c) {args = [#titan.arg<0>, #titan.arg<1>]} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %g = titan.torch_op "lab.g"(%y, %t) {args = [#titan.arg<0>, #titan.arg<1>]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y, %g : tensor<4xf32>, tensor<4xf32>
}

// -----

// J1: one joint function.
// expected-error @below {{expected one function with 'titan.joint', found 2}}
module {
  // expected-note @below {{'a' is one}}
  func.func @a(%p: tensor<4xf32>) attributes {titan.joint = 0 : i64} { return }
  // expected-note @below {{'b' is one}}
  func.func @b(%p: tensor<4xf32>) attributes {titan.joint = 0 : i64} { return }
}

// -----

// J2: roles. Every offender is reported, then their number.
// expected-error @below {{the joint function breaks its contract in 4 places}}
func.func @joint(
    // expected-error @below {{argument 'p' has the role grad, which is a result's}}
    %p: tensor<4xf32> {titan.name = "p", titan.role = #titan.role<grad>},
    %c: tensor<f32> {titan.name = "c", titan.role = #titan.role<constant>},
    // expected-error @below {{argument 't' stands behind a constant}}
    %t: tensor<4xf32> {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (tensor<4xf32> {titan.role = #titan.role<grad>},
        tensor<4xf32> {titan.role = #titan.role<output>})
    attributes {titan.joint = 1 : i64} {
  // expected-error @+2 {{result 0 has the role grad, expected output or mutation as one before the border at 1}}
  // expected-error @+1 {{result 1 has the role output, expected grad or mutation as one behind the border at 1}}
  return %p, %t : tensor<4xf32>, tensor<4xf32>
}

// -----

// J2: the border lies within the results.
// expected-error @+2 {{'titan.joint' says 2 forward outputs, the function has 1 results}}
// expected-error @below {{the joint function breaks its contract in 1 place}}
func.func @joint(%p: tensor<4xf32>) -> tensor<4xf32> attributes {titan.joint = 2 : i64} {
  return %p : tensor<4xf32>
}

// -----

// J2: positions ascend, one a result.
// expected-error @+2 {{expected 'titan.result_positions' to ascend}}
// expected-error @below {{the joint function breaks its contract in 1 place}}
func.func @joint(%p: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    attributes {titan.joint = 2 : i64, titan.result_positions = array<i64: 1, 0>} {
  return %p, %p : tensor<4xf32>, tensor<4xf32>
}

// -----

// J3: what a tangent reaches is no forward output.
// expected-error @below {{the joint function breaks its contract in 1 place}}
func.func @joint(%p: tensor<4xf32>,
                 %t: tensor<4xf32> {titan.name = "tangents_1", titan.role = #titan.role<tangent>})
    -> tensor<4xf32> attributes {titan.joint = 1 : i64} {
  // expected-error @below {{forward output 'g' (result 0) needs tangent 'tangents_1'; give the number of forward outputs that the graph has (--num-forward-outputs)}}
  %g = titan.torch_op "lab.g"(%p, %t) {args = [#titan.arg<0>, #titan.arg<1>], titan.names = ["g"]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

// J4: a dialect of a later phase.
// expected-error @below {{the joint function breaks its contract in 1 place}}
func.func @joint(%p: tensor<4xf32>) -> tensor<4xf32> attributes {titan.joint = 1 : i64} {
  // expected-error @below {{'builtin.unrealized_conversion_cast' is no op of a joint graph, expected the dialects aten, prims, c10d and titan}}
  %0 = builtin.unrealized_conversion_cast %p : tensor<4xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// J6: the source says forward, the data says backward.
// expected-error @below {{the joint function breaks its contract in 1 place}}
func.func @joint(%p: tensor<4xf32>,
                 %t: tensor<4xf32> {titan.name = "tangents_1", titan.role = #titan.role<tangent>})
    -> tensor<4xf32> attributes {titan.joint = 0 : i64} {
  // expected-error @below {{'lab.g' must be in the forward but needs tangent 'tangents_1'}}
  %g = titan.torch_op "lab.g"(%p, %t) {args = [#titan.arg<0>, #titan.arg<1>], titan.phase = #titan.phase<must_be_in_forward>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

// J3: a view of what the backward writes to an input is the input.
func.func @joint(%buf: tensor<4xf32> {titan.name = "buf", titan.role = #titan.role<buffer>},
                 %t: tensor<4xf32> {titan.name = "tangents_1", titan.role = #titan.role<tangent>})
    -> tensor<4xf32> attributes {titan.joint = 1 : i64} {
  %w = aten.copy_ %buf, %t {titan.phase = #titan.phase<must_be_in_backward>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %v = aten.view %w, [4] : (tensor<4xf32>) -> tensor<4xf32>
  return %v : tensor<4xf32>
}

// -----

// J5: a write to an input happens once.
// expected-error @below {{the joint function breaks its contract in 1 place}}
func.func @joint(%buf: tensor<4xf32> {titan.name = "buf", titan.role = #titan.role<buffer>},
                 %x: tensor<4xf32> {titan.name = "x", titan.role = #titan.role<input>})
    -> tensor<4xf32> attributes {titan.joint = 1 : i64} {
  // expected-error @below {{'aten.copy_' writes to argument 'buf' and is tagged must_recompute, which would write twice; tag it must_save}}
  %w = aten.copy_ %buf, %x {titan.recompute = #titan.policy<must_recompute>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %x : tensor<4xf32>
}
