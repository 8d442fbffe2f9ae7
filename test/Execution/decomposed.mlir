// What a decomposition computes is what the op computes, up to rounding.
// RUN: titan-opt %s --titan-inductor-decomposition -o %t.mlir 2>/dev/null
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: titan-run --engine=reference %s --inputs=random:1 --outputs=%t.safetensors
// RUN: titan-run --engine=reference %t.mlir --inputs=random:1 --compare=%t.safetensors --tolerance=2e-6

// None of the ops is left.
// CHECK-LABEL: func @joint
// CHECK-NOT: {{_softmax|_backward|gelu|silu|norm|nll_loss|aten.t |transpose|rsub|masked_fill|square|linear|stack|_like|arange}}
// CHECK: return
module attributes {titan.device = "cpu"} {
func.func @joint(%x: tensor<4x8xf32> {titan.name = "x", titan.role = #titan.role<input>},
                 %w: tensor<8xf32> {titan.name = "w", titan.role = #titan.role<param>},
                 %b: tensor<8xf32> {titan.name = "b", titan.role = #titan.role<param>},
                 %v: tensor<8x8xf32> {titan.name = "v", titan.role = #titan.role<param>},
                 %r: tensor<4x1xf32> {titan.name = "r", titan.role = #titan.role<input>},
                 %g: tensor<4x8xf32> {titan.name = "g", titan.role = #titan.role<tangent>},
                 %s: tensor<f32> {titan.name = "s", titan.role = #titan.role<tangent>})
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>,
        tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x1xf32>, tensor<f32>, tensor<4x8xf32>, tensor<8x4xf32>,
        tensor<2x4x8xf32>, tensor<4x8xf32>,
        tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>,
        tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>,
        tensor<4x8xf32>, tensor<8xf32>, tensor<4x8xf32>, tensor<10x8xf32>, tensor<6x8xf32>, tensor<4x8xf32>)
    attributes {titan.joint = 13 : i64} {
  %silu = aten.silu %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %gelu = aten.gelu %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %tanh = aten.gelu %x, approximate = "tanh" : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %soft = aten._softmax %x, 1, false : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %log = aten._log_softmax %x, -1, false : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %ln:3 = aten.native_layer_norm %x, [8], %w, %b, 1.0e-5 : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x1xf32>, tensor<4x1xf32>)
  %rms:2 = aten._fused_rms_norm %x, [8], %w, 1.0e-5 : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x1xf32>)
  %ids = aten.arange 4, dtype = i64 : () -> tensor<4xi64>
  %nll:2 = aten.nll_loss_forward %log, %ids, none, 1, 2 : (tensor<4x8xf32>, tensor<4xi64>) -> (tensor<f32>, tensor<f32>)
  %lin = aten.linear %x, %v, %b : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %t = aten.t %x : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %stack = aten.stack [%x, %g] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<2x4x8xf32>
  %square = aten.square %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %rsub = aten.rsub.Scalar %square, 1, 2 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %mask = aten.gt.Scalar %g, 0 : (tensor<4x8xf32>) -> tensor<4x8xi1>
  %fill = aten.masked_fill.Scalar %rsub, %mask, 3 : (tensor<4x8xf32>, tensor<4x8xi1>) -> tensor<4x8xf32>
  %dsilu = aten.silu_backward %g, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %dgelu = aten.gelu_backward %g, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %dtanh = aten.gelu_backward %g, %x, approximate = "tanh" : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %dsig = aten.sigmoid_backward %g, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %dth = aten.tanh_backward %g, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %dsoft = aten._softmax_backward_data %g, %soft, 1, f32 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %dlog = aten._log_softmax_backward_data %g, %log, 1, f32 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %dln:3 = aten.native_layer_norm_backward %g, %x, [8], %r, %r, %w, %b, [true, true, true] : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  %drms:2 = aten._fused_rms_norm_backward %g, %x, [8], %r, %w, [true, true] : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x1xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  %dnll = aten.nll_loss_backward %s, %log, %ids, none, 1, 2, %nll#1 : (tensor<f32>, tensor<4x8xf32>, tensor<4xi64>, tensor<f32>) -> tensor<4x8xf32>
  %demb = aten.embedding_dense_backward %g, %ids, 10, 1, false : (tensor<4x8xf32>, tensor<4xi64>) -> tensor<10x8xf32>
  %dslice = aten.slice_backward %g, [6, 8], 0, 1, 5, 1 : (tensor<4x8xf32>) -> tensor<6x8xf32>
  %dthr = aten.threshold_backward %g, %x, 0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %silu, %gelu, %tanh, %soft, %log, %ln#0, %rms#0, %ln#2, %nll#0, %lin, %t, %stack, %fill,
         %dsilu, %dgelu, %dtanh, %dsig, %dth, %dsoft, %dlog, %dln#0, %dln#1, %dln#2,
         %drms#0, %drms#1, %dnll, %demb, %dslice, %dthr
    : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>,
      tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x1xf32>, tensor<f32>, tensor<4x8xf32>, tensor<8x4xf32>,
      tensor<2x4x8xf32>, tensor<4x8xf32>,
      tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>,
      tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>,
      tensor<4x8xf32>, tensor<8xf32>, tensor<4x8xf32>, tensor<10x8xf32>, tensor<6x8xf32>, tensor<4x8xf32>
}
}
