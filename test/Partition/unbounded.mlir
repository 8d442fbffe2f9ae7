// Where no partition is legal: the tag first, then the chain, then the remedy.
// RUN: titan-opt %s --split-input-file --titan-partition=compat=pytorch --verify-diagnostics

// A11: the tuple cannot be recomputed, its element must be. The wording of the
// notes is PyTorch's.
!m = tensor<4x4xf32>
func.func @a11(%x: !m {titan.name = "x", titan.role = #titan.role<input>},
               %t: !m {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!m, !m) attributes {titan.joint = 1 : i64} {
  // expected-error @below {{'getitem' is tagged must_recompute, which leaves no legal partition: a value that the backward needs can be neither saved nor recomputed; remove the tag or tag 'multi_out' must_recompute as well}}
  // expected-note @below {{'multi_out': cannot recompute: not in the recomputable list, cannot save: non-tensor output}}
  // expected-note @below {{'getitem': depends on 'multi_out', must recompute: marked by checkpoint policy}}
  %a, %b = titan.torch_op "lab.multi_out"(%x) {args = [#titan.arg<0>],
    titan.names = ["getitem", "getitem_1"], titan.tuple_name = "multi_out",
    titan.result_recompute = [#titan.policy<must_recompute>, #titan.none]} : (!m) -> (!m, !m)
  %y = aten.add.Tensor %a, %b : (!m, !m) -> !m
  %g = aten.mul.Tensor %t, %a : (!m, !m) -> !m
  return %y, %g : !m, !m
}

// -----

// An input that the runtime overwrites after the forward cannot be saved, and
// nothing makes an input again.
!m = tensor<4x4xf32>
// expected-error @below {{'x' leaves no legal partition: a value that the backward needs can be neither saved nor recomputed; remove what makes 'x' impossible to save}}
// expected-note @below {{'x': cannot recompute: primal input, cannot save: input mutation replayed after forward}}
func.func @epilogue(%x: !m {titan.name = "x", titan.role = #titan.role<input>, titan.epilogue_mutation},
                    %t: !m {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!m, !m) attributes {titan.joint = 1 : i64} {
  %y = aten.mul.Tensor %x, 2 {titan.names = ["mul"]} : (!m) -> !m
  // expected-note @below {{'mul_1': depends on 'x', must be computed in backward: required for gradient}}
  %g = aten.mul.Tensor %t, %x {titan.names = ["mul_1"]} : (!m, !m) -> !m
  return %y, %g : !m, !m
}

// -----

// An effect happens once, whatever a tag says.
!m = tensor<4x4xf32>
!token = tensor<0xf32>
func.func @effect(%k: !token {titan.name = "token", titan.role = #titan.role<token>},
                  %x: !m {titan.name = "x", titan.role = #titan.role<input>},
                  %t: !m {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!token, !m, !m) attributes {titan.joint = 2 : i64} {
  // expected-error @below {{'with_effects' is tagged must_recompute, but it has an effect that must happen once; remove the tag}}
  %k2, %a = titan.torch_op "higher_order.with_effects"(%k, %x)
    {args = [#titan.arg<0>, #titan.python<"torch.ops.lab.log_value.default">, #titan.arg<1>],
     titan.names = ["getitem", "getitem_1"], titan.tuple_name = "with_effects",
     titan.recompute = #titan.policy<must_recompute>} : (!token, !m) -> (!token, !m)
  %y = aten.sin %a : (!m) -> !m
  %g = aten.mul.Tensor %t, %a : (!m, !m) -> !m
  return %k2, %y, %g : !token, !m, !m
}

// -----

// A wrong number of forward outputs: the tangent reaches one of them.
!m = tensor<4x4xf32>
func.func @border(%x: !m {titan.name = "x", titan.role = #titan.role<input>},
                  %t: !m {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!m, !m) attributes {titan.joint = 2 : i64} {
  %y = aten.sin %x {titan.names = ["sin"]} : (!m) -> !m
  // expected-error @below {{'mul' is a forward output, but it needs a tangent or an op of the backward; give the number of forward outputs with --num-forward-outputs}}
  %g = aten.mul.Tensor %t, %x {titan.names = ["mul"]} : (!m, !m) -> !m
  return %y, %g : !m, !m
}

// -----

!m = tensor<4x4xf32>
// expected-error @below {{function 'inference' has no backward to split off; give the joint graph of the training step (TORCH_LOGS=aot_joint_graph prints it)}}
func.func @inference(%x: !m {titan.name = "x", titan.role = #titan.role<input>}) -> !m
    attributes {titan.joint = 1 : i64, titan.graph_kind = "forward"} {
  %y = aten.sin %x : (!m) -> !m
  return %y : !m
}

// -----

// expected-error @below {{expected one joint function to partition, found 0; mark it with 'titan.joint', the number of its forward outputs}}
module {
}
