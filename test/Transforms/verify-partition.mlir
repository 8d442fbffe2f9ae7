// RUN: titan-opt %s --titan-verify-partition --split-input-file --verify-diagnostics

// A partition that keeps its word: x and the symbol cross, in their own orders.
func.func @forward(%s0: index {titan.name = "s0", titan.role = #titan.role<input>},
                   %x: tensor<?xf32> {titan.name = "x", titan.role = #titan.role<param>})
    -> (tensor<?xf32> {titan.name = "y", titan.role = #titan.role<output>},
        tensor<?xf32> {titan.name = "x", titan.role = #titan.role<saved>},
        index {titan.name = "s0", titan.role = #titan.role<saved>}) {
  %y = titan.torch_op "lab.f"(%x) {args = [#titan.arg<0>], titan.names = ["y"]} : (tensor<?xf32>) -> tensor<?xf32>
  return %y, %x, %s0 : tensor<?xf32>, tensor<?xf32>, index
}
func.func @backward(%s0: index {titan.name = "s0", titan.role = #titan.role<saved>},
                    %x: tensor<?xf32> {titan.name = "x", titan.role = #titan.role<saved>},
                    %t: tensor<?xf32> {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (tensor<?xf32> {titan.name = "g", titan.role = #titan.role<grad>})
    attributes {titan.result_positions = array<i64: 1>} {
  %y = titan.torch_op "lab.f"(%x) {args = [#titan.arg<0>], titan.names = ["y"], titan.recompute = #titan.policy<must_recompute>} : (tensor<?xf32>) -> tensor<?xf32>
  %g = titan.torch_op "lab.g"(%y, %t, %s0) {args = [#titan.arg<0>, #titan.arg<1>, #titan.arg<2>], titan.names = ["g"]} : (tensor<?xf32>, tensor<?xf32>, index) -> tensor<?xf32>
  return %g : tensor<?xf32>
}

// -----

// P1: a parameter reaches the backward unsaved. P3: a tangent in the forward.
// expected-error @below {{the partition breaks its contract in 2 places}}
func.func @forward(
    // expected-error @below {{argument 't' of the forward is tangent, which only the backward may take}}
    %t: tensor<4xf32> {titan.name = "t", titan.role = #titan.role<tangent>}) {
  return
}
func.func @backward(
    // expected-error @below {{argument 'w' of the backward is param, expected a saved value, a tangent, a seed, a token or a constant}}
    %w: tensor<4xf32> {titan.name = "w", titan.role = #titan.role<param>}) {
  return
}

// -----

// P2: types differ.
// expected-error @+2 {{the saved values that the forward returns are not those that the backward takes: counts or types differ}}
// expected-error @below {{the partition breaks its contract in 1 place}}
func.func @forward(%x: tensor<4xf32>) -> (tensor<4xf32> {titan.role = #titan.role<saved>}) {
  return %x : tensor<4xf32>
}
func.func @backward(%x: tensor<4xf16> {titan.role = #titan.role<saved>}) {
  return
}

// -----

// P2: names differ, which types cannot show.
// expected-error @below {{the partition breaks its contract in 2 places}}
func.func @forward(%a: tensor<4xf32>, %b: tensor<4xf32>)
    -> (tensor<4xf32> {titan.name = "a", titan.role = #titan.role<saved>},
        tensor<4xf32> {titan.name = "b", titan.role = #titan.role<saved>}) {
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}
func.func @backward(
    // expected-error @below {{saved value 'b' of the backward is 'a' in the forward}}
    %b: tensor<4xf32> {titan.name = "b", titan.role = #titan.role<saved>},
    // expected-error @below {{saved value 'a' of the backward is 'b' in the forward}}
    %a: tensor<4xf32> {titan.name = "a", titan.role = #titan.role<saved>}) {
  return
}

// -----

// P3 and P7: results of the wrong kind, saved values before outputs.
// expected-error @+4 {{result 1 of the forward is output, expected saved values behind the outputs}}
// expected-error @+3 {{result 2 of the forward is a gradient}}
// expected-error @+8 {{result 0 of the backward is output, expected gradients and mutations}}
// expected-error @below {{the partition breaks its contract in 3 places}}
func.func @forward(%x: tensor<4xf32>)
    -> (tensor<4xf32> {titan.role = #titan.role<saved>},
        tensor<4xf32> {titan.role = #titan.role<output>},
        tensor<4xf32> {titan.role = #titan.role<grad>}) {
  return %x, %x, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
func.func @backward(%x: tensor<4xf32> {titan.role = #titan.role<saved>})
    -> (tensor<4xf32> {titan.role = #titan.role<output>}) {
  return %x : tensor<4xf32>
}

// -----

// P6: the source says where an op belongs.
// expected-error @below {{the partition breaks its contract in 2 places}}
func.func @forward(%x: tensor<4xf32>) -> (tensor<4xf32> {titan.role = #titan.role<saved>}) {
  // expected-error @below {{'b' is in the forward, but tagged must_be_in_backward}}
  %b = titan.torch_op "lab.f"(%x) {args = [#titan.arg<0>], titan.names = ["b"], titan.phase = #titan.phase<must_be_in_backward>} : (tensor<4xf32>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}
func.func @backward(%x: tensor<4xf32> {titan.role = #titan.role<saved>}) {
  // expected-error @below {{'f' is in the backward, but tagged must_be_in_forward}}
  %f = titan.torch_op "lab.f"(%x) {args = [#titan.arg<0>], titan.names = ["f"], titan.phase = #titan.phase<must_be_in_forward>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// P7: positions of one function ascend.
// expected-error @+3 {{expected ascending 'titan.result_positions' of 'backward', one a result}}
// expected-error @below {{the partition breaks its contract in 1 place}}
func.func @forward() { return }
func.func @backward(%t: tensor<4xf32> {titan.role = #titan.role<tangent>})
    -> (tensor<4xf32>, tensor<4xf32>) attributes {titan.result_positions = array<i64: 3, 2>} {
  return %t, %t : tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error @below {{expected a function 'backward' with a body; run titan-partition first}}
module {
  func.func @forward() { return }
}

// -----

// P8 and P9 from what the partition left in the module: 'b' is gone, 'c' runs
// before 'a'. A tuple is known by any of its names, a tagged copy has no place in
// the order.
// expected-error @+4 {{'b' has an effect and runs in no function}}
// expected-error @+3 {{'tuple_1' has an effect and runs in no function}}
// expected-error @+8 {{collective 'a' runs after 'c', but before it in the joint function}}
// expected-error @+3 {{the partition breaks its contract in 3 places}}
module attributes {titan.effects = ["a", "b", "c", "d", ["e0", "e1"],
                                    ["tuple_1", "f0"]]} {
func.func @forward(
    %x: tensor<4xf32> {titan.name = "x", titan.role = #titan.role<param>})
    -> (tensor<4xf32> {titan.name = "x", titan.role = #titan.role<saved>}) {
  %c = c10d.all_reduce %x, "sum", "0" {titan.names = ["c"]} : (tensor<4xf32>) -> tensor<4xf32>
  %a = c10d.all_reduce %c, "sum", "0" {titan.names = ["a"]} : (tensor<4xf32>) -> tensor<4xf32>
  %d = c10d.all_reduce %a, "sum", "0" {titan.names = ["d"]} : (tensor<4xf32>) -> tensor<4xf32>
  return %x : tensor<4xf32>
}
func.func @backward(
    %x: tensor<4xf32> {titan.name = "x", titan.role = #titan.role<saved>})
    -> (tensor<4xf32> {titan.role = #titan.role<grad>}) {
  %e = c10d.all_reduce %x, "sum", "0" {titan.names = ["e1"]} : (tensor<4xf32>) -> tensor<4xf32>
  %d = c10d.all_reduce %e, "sum", "0" {titan.names = ["d"], titan.recompute = #titan.policy<must_recompute>} : (tensor<4xf32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}
}

// -----

// expected-error @below {{expected 'titan.effects' to be an array of names and of arrays of names; partition again}}
module attributes {titan.effects = ["a", 1]} {
// expected-error @below {{the partition breaks its contract in 1 place}}
func.func @forward() {
  return
}
func.func @backward() {
  return
}
}
