// RUN: titan-opt %s --titan-recompute-in-place --split-input-file --verify-diagnostics

// Two layers whose backwards stand apart (torchtitan's test of two regions).
// expected-error @below {{detected 2 disjoint backward regions that require recomputation, but remat supports only one such region in a forward-loss-backward graph; save what all but one of them read}}
func.func @two_regions(%i1: tensor<4xf32>, %i2: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) attributes {titan.joint = 0 : i64} {
  %a = aten.clone %i1 {titan.recompute = #titan.policy<must_recompute>} : (tensor<4xf32>) -> tensor<4xf32>
  %b = aten.clone %i2 {titan.recompute = #titan.policy<must_recompute>} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note @below {{a region begins here}}
  %l = aten.add.Tensor %a, %a {titan.module = "layers.0", titan.phase = #titan.phase<backward>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %n = aten.neg %i1 : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note @below {{a region begins here}}
  %g = aten.mul.Tensor %b, %b {titan.module = "layers.1", titan.phase = #titan.phase<backward>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %l, %n, %g : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// One function has no second state for what is drawn at random.
func.func @random(%x: tensor<4xf32>) -> tensor<4xf32> attributes {titan.joint = 0 : i64} {
  // expected-error @below {{'bernoulli' draws random numbers in a recompute region, which recomputation in one function cannot repeat; move it out of the region, tag it must_save, or split the graph (--partitioner=min-cut), where both runs get one state}}
  %b = aten.bernoulli.p %x, 0.5 {titan.names = ["bernoulli"], titan.recompute = #titan.policy<must_recompute>} : (tensor<4xf32>) -> tensor<4xf32>
  %g = aten.neg %b {titan.phase = #titan.phase<backward>} : (tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

// A buffer that the forward updates: what was read before is saved.
func.func @reads_before_a_write(%buf: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> attributes {titan.joint = 0 : i64} {
  // expected-warning @below {{'v' is saved although its tag asks to recompute it: what it reads is written to before the backward needs it}}
  %v = aten.relu %buf {titan.names = ["v"], titan.recompute = #titan.policy<must_recompute>} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note @below {{it is written here}}
  %w = aten.add_.Tensor %buf, 1 : (tensor<4xf32>) -> tensor<4xf32>
  %g = aten.mul.Tensor %v, %x {titan.phase = #titan.phase<backward>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

// A write to an input happens once.
func.func @writes_to_an_input(%buf: tensor<4xf32>) -> tensor<4xf32> attributes {titan.joint = 0 : i64} {
  // expected-warning @below {{'w' is saved although its tag asks to recompute it: it writes to storage that outlives it}}
  %w = aten.add_.Tensor %buf, 1 {titan.names = ["w"], titan.recompute = #titan.policy<must_recompute>} : (tensor<4xf32>) -> tensor<4xf32>
  %g = aten.neg %w {titan.phase = #titan.phase<backward>} : (tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}
