// One remark a decision, at the place of the value, with reason and bytes.
// RUN: titan-opt %s --titan-partition=compat=pytorch --remarks-filter='titan.*' \
// RUN:   --remark-format=emitRemark --verify-diagnostics -o /dev/null

func.func @joint(
    // expected-remark @below {{saved: 'x': }}
    %x: tensor<1024xf32> {titan.name = "x", titan.role = #titan.role<input>},
    %t: tensor<1024xf32> {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (tensor<1024xf32> {titan.name = "y"}, tensor<1024xf32> {titan.name = "gx"})
    attributes {titan.joint = 1 : i64} {
  // expected-remark @below {{recomputed: 'c': marked must_recompute; 4.0 KiB", bytes=4096}}
  %c = aten.cos %x {titan.names = ["c"], titan.recompute = #titan.policy<must_recompute>} : (tensor<1024xf32>) -> tensor<1024xf32>
  %y = aten.cos %c {titan.names = ["y"]} : (tensor<1024xf32>) -> tensor<1024xf32>
  %gx = aten.mul.Tensor %t, %c {titan.names = ["gx"]} : (tensor<1024xf32>, tensor<1024xf32>) -> tensor<1024xf32>
  return %y, %gx : tensor<1024xf32>, tensor<1024xf32>
}
