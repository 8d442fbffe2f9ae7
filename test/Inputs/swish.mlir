func.func @joint(
    %x: tensor<64x256xf32> {titan.name = "x", titan.role = #titan.role<input>},
    %w: tensor<256x256xf32> {titan.name = "w", titan.role = #titan.role<param>},
    %t: tensor<64x256xf32> {titan.name = "tangents_1", titan.role = #titan.role<tangent>})
    -> (tensor<64x256xf32> {titan.role = #titan.role<output>},
        tensor<256x256xf32> {titan.role = #titan.role<grad>})
    attributes {titan.joint = 1 : i64, titan.result_positions = array<i64: 0, 1>} {
  %h = aten.mm %x, %w {titan.names = ["h"]} : (tensor<64x256xf32>, tensor<256x256xf32>) -> tensor<64x256xf32>
  %s = aten.sigmoid %h {titan.names = ["s"]} : (tensor<64x256xf32>) -> tensor<64x256xf32>
  %y = aten.mul.Tensor %h, %s {titan.names = ["y"]} : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  %a = aten.mul.Tensor %t, %s {titan.names = ["a"]} : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  %b = aten.mul.Tensor %t, %h {titan.names = ["b"]} : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  %c = aten.sigmoid_backward %b, %s {titan.names = ["c"]} : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  %g = aten.add.Tensor %a, %c {titan.names = ["g"]} : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  %xt = aten.permute %x, [1, 0] {titan.names = ["xt"]} : (tensor<64x256xf32>) -> tensor<256x64xf32>
  %dw = aten.mm %xt, %g {titan.names = ["dw"]} : (tensor<256x64xf32>, tensor<64x256xf32>) -> tensor<256x256xf32>
  return %y, %dw : tensor<64x256xf32>, tensor<256x256xf32>
}
