// RUN: titan-opt %s --titan-inductor-decomposition 2>/dev/null | FileCheck %s

// Softmax, norms, losses, dropout, as PyTorch 2.15 traces them with Inductor's
// table.
module attributes {titan.device = "cuda:0"} {

// CHECK-LABEL: func @softmax(
func.func @softmax(%x: tensor<4x8xbf16>) -> (tensor<4x8xbf16>, tensor<4x8xbf16>) attributes {titan.joint = 2} {
  // CHECK: %[[X:.*]] = prims.convert_element_type %arg0, f32
  // CHECK: %[[A:.*]] = aten.amax %[[X]], [-1], true {{.*}}: (tensor<4x8xf32>) -> tensor<4x1xf32>
  // CHECK: %[[S:.*]] = aten.sub.Tensor %[[X]], %[[A]]
  // CHECK: %[[E:.*]] = aten.exp %[[S]]
  // CHECK: %[[T:.*]] = aten.sum.dim_IntList %[[E]], [-1], true
  // CHECK: %[[D:.*]] = aten.div.Tensor %[[E]], %[[T]]
  // CHECK: %p = prims.convert_element_type %[[D]], bf16
  %0 = aten._softmax %x, -1, false {titan.names = ["p"]} : (tensor<4x8xbf16>) -> tensor<4x8xbf16>
  // CHECK: aten.amax
  // CHECK: %[[S2:.*]] = aten.sub.Tensor
  // CHECK: %[[E2:.*]] = aten.exp %[[S2]]
  // CHECK: %[[T2:.*]] = aten.sum.dim_IntList %[[E2]], [1], true
  // CHECK: %[[L:.*]] = aten.log %[[T2]]
  // CHECK: aten.sub.Tensor %[[S2]], %[[L]]
  %1 = aten._log_softmax %x, 1, false : (tensor<4x8xbf16>) -> tensor<4x8xbf16>
  return %0, %1 : tensor<4x8xbf16>, tensor<4x8xbf16>
}

// CHECK-LABEL: func @softmax_backward(
func.func @softmax_backward(%g: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) attributes {titan.joint = 2} {
  // CHECK: %[[M:.*]] = aten.mul.Tensor %arg0, %arg1
  // CHECK: %[[S:.*]] = aten.sum.dim_IntList %[[M]], [-1], true
  // CHECK: %[[N:.*]] = aten.neg %arg1
  // CHECK: prims.fma %[[N]], %[[S]], %[[M]]
  %0 = aten._softmax_backward_data %g, %y, -1, f32 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: %[[E:.*]] = aten.exp %arg1
  // CHECK: %[[T:.*]] = aten.sum.dim_IntList %arg0, [-1], true
  // CHECK: %[[P:.*]] = aten.mul.Tensor %[[E]], %[[T]]
  // CHECK: aten.sub.Tensor %arg0, %[[P]]
  %1 = aten._log_softmax_backward_data %g, %y, -1, f32 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// Each result keeps its name.
// CHECK-LABEL: func @layer_norm(
func.func @layer_norm(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x1xf32>, tensor<4x1xf32>) attributes {titan.joint = 3} {
  // CHECK: %ln_var_mean, %mean = aten.var_mean.correction %arg0, [1], correction = 0, keepdim = true
  // CHECK: %ln_add = aten.add.Tensor %ln_var_mean, 1.0{{.*}}-05
  // CHECK: %rstd = aten.rsqrt %ln_add
  // CHECK: %ln_sub = aten.sub.Tensor %arg0, %mean
  // CHECK: %ln_mul = aten.mul.Tensor %ln_sub, %rstd
  // CHECK: %ln_mul_1 = aten.mul.Tensor %ln_mul, %arg1
  // CHECK: %out = aten.add.Tensor %ln_mul_1, %arg2
  // CHECK: return %out, %mean, %rstd
  %0:3 = aten.native_layer_norm %x, [8], %w, %b, 1.0e-5 {titan.names = ["out", "mean", "rstd"], titan.tuple_name = "ln"} : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x1xf32>, tensor<4x1xf32>)
  return %0#0, %0#1, %0#2 : tensor<4x8xf32>, tensor<4x1xf32>, tensor<4x1xf32>
}

// CHECK-LABEL: func @layer_norm_backward(
func.func @layer_norm_backward(%g: tensor<4x8xf32>, %x: tensor<4x8xf32>, %m: tensor<4x1xf32>, %r: tensor<4x1xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>)
    -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) attributes {titan.joint = 3} {
  // CHECK: %[[C:.*]] = aten.sub.Tensor %arg1, %arg2
  // CHECK: %[[N:.*]] = aten.mul.Tensor %[[C]], %arg3
  // CHECK: %[[G:.*]] = aten.mul.Tensor %arg0, %arg4
  // CHECK: %[[G8:.*]] = aten.mul.Tensor %[[G]], 8
  // CHECK: %[[SG:.*]] = aten.sum.dim_IntList %[[G]], [1], true
  // CHECK: %[[GN:.*]] = aten.mul.Tensor %[[G]], %[[N]]
  // CHECK: %[[SGN:.*]] = aten.sum.dim_IntList %[[GN]], [1], true
  // CHECK: %[[P:.*]] = aten.mul.Tensor %[[N]], %[[SGN]]
  // CHECK: %[[D:.*]] = aten.sub.Tensor %[[G8]], %[[SG]]
  // CHECK: %[[DD:.*]] = aten.sub.Tensor %[[D]], %[[P]]
  // CHECK: %[[F:.*]] = aten.div.Tensor %arg3, 8
  // CHECK: %[[GI:.*]] = aten.mul.Tensor %[[F]], %[[DD]]
  // CHECK: %[[WN:.*]] = aten.mul.Tensor %arg0, %[[N]]
  // CHECK: %[[GW:.*]] = aten.sum.dim_IntList %[[WN]], [0] : (tensor<4x8xf32>) -> tensor<8xf32>
  // CHECK: %[[GB:.*]] = aten.sum.dim_IntList %arg0, [0]
  // CHECK: return %[[GI]], %[[GW]], %[[GB]]
  %0:3 = aten.native_layer_norm_backward %g, %x, [8], %m, %r, %w, %b, [true, true, true] : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %0#0, %0#1, %0#2 : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>
}

// Rows may be of unknown number; an unused statistic is not made twice.
// CHECK-LABEL: func @rms_norm(
func.func @rms_norm(%x: tensor<?x8xbf16>, %w: tensor<8xbf16>) -> tensor<?x8xbf16> attributes {titan.joint = 1} {
  // CHECK: %[[X:.*]] = prims.convert_element_type %arg0, f32
  // CHECK: %[[Q:.*]] = aten.pow.Tensor_Scalar %[[X]], 2
  // CHECK: %[[M:.*]] = aten.mean.dim %[[Q]], [1], true : (tensor<?x8xf32>) -> tensor<?x1xf32>
  // CHECK: %[[A:.*]] = aten.add.Tensor %[[M]]
  // CHECK: %[[R:.*]] = aten.rsqrt %[[A]]
  // CHECK: %[[N:.*]] = aten.mul.Tensor %[[X]], %[[R]]
  // CHECK: %[[W:.*]] = prims.convert_element_type %arg1, f32
  // CHECK: %[[O:.*]] = aten.mul.Tensor %[[N]], %[[W]] : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  // CHECK: prims.convert_element_type %[[O]], bf16
  %0:2 = aten._fused_rms_norm %x, [8], %w, 1.0e-5 : (tensor<?x8xbf16>, tensor<8xbf16>) -> (tensor<?x8xbf16>, tensor<?x1xf32>)
  return %0#0 : tensor<?x8xbf16>
}

// CHECK-LABEL: func @rms_norm_backward(
func.func @rms_norm_backward(%g: tensor<4x8xf32>, %x: tensor<4x8xf32>, %r: tensor<4x1xf32>, %w: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>) attributes {titan.joint = 2} {
  // CHECK: %[[N:.*]] = aten.mul.Tensor %arg1, %arg2
  // CHECK: %[[G:.*]] = aten.mul.Tensor %arg0, %arg3
  // CHECK: %[[NG:.*]] = aten.mul.Tensor %[[N]], %[[G]]
  // CHECK: %[[S:.*]] = aten.sum.dim_IntList %[[NG]], [1], true
  // CHECK: %[[D:.*]] = aten.div.Tensor %[[N]], 8
  // CHECK: %[[P:.*]] = aten.mul.Tensor %[[D]], %[[S]]
  // CHECK: %[[I:.*]] = aten.sub.Tensor %[[G]], %[[P]]
  // CHECK: aten.mul.Tensor %[[I]], %arg2
  // CHECK: %[[WN:.*]] = aten.mul.Tensor %arg0, %[[N]]
  // CHECK: aten.sum.dim_IntList %[[WN]], [0]
  %0:2 = aten._fused_rms_norm_backward %g, %x, [8], %r, %w, [true, true] : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x1xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  return %0#0, %0#1 : tensor<4x8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func @nll_loss(
func.func @nll_loss(%x: tensor<4x8xf32>, %t: tensor<4xi64>) -> (tensor<f32>, tensor<f32>) attributes {titan.joint = 2} {
  // CHECK: %[[Z:.*]] = aten.full [], 0, dtype = i64
  // CHECK: %[[NE:.*]] = aten.ne.Scalar %arg1, -100
  // CHECK: %[[T:.*]] = aten.where.self %[[NE]], %arg1, %[[Z]]
  // CHECK: %[[C:.*]] = aten.unsqueeze %[[T]], 1
  // CHECK: %[[G:.*]] = aten.gather %arg0, 1, %[[C]] : (tensor<4x8xf32>, tensor<4x1xi64>) -> tensor<4x1xf32>
  // CHECK: %[[R:.*]] = aten.squeeze.dim %[[G]], 1
  // CHECK: aten.neg %[[R]]
  // CHECK: %[[E:.*]] = aten.where.self {{.*}} -> tensor<4xf32>
  // CHECK: aten.sum %{{.*}} : (tensor<4xi1>) -> tensor<i64>
  // CHECK: %[[N:.*]] = prims.convert_element_type {{.*}}, f32
  // CHECK: %[[S:.*]] = aten.sum %[[E]]
  // CHECK: %[[L:.*]] = aten.div.Tensor %[[S]], %[[N]]
  // CHECK: return %[[L]], %[[N]]
  %0:2 = aten.nll_loss_forward %x, %t, none, 1, -100 : (tensor<4x8xf32>, tensor<4xi64>) -> (tensor<f32>, tensor<f32>)
  return %0#0, %0#1 : tensor<f32>, tensor<f32>
}

// CHECK-LABEL: func @nll_loss_backward(
func.func @nll_loss_backward(%g: tensor<f32>, %x: tensor<4x8xf32>, %t: tensor<4xi64>, %n: tensor<f32>) -> tensor<4x8xf32> attributes {titan.joint = 1} {
  // CHECK: %[[D:.*]] = aten.div.Tensor %arg0, %arg3
  // CHECK: %[[Z:.*]] = aten.full [4, 8], 0
  // CHECK: %[[M:.*]] = aten.scatter.value %[[Z]], 1, %{{.*}}, -1.0
  // CHECK: %[[W:.*]] = aten.where.self %{{.*}}, %[[D]], %{{.*}} -> tensor<4x1xf32>
  // CHECK: aten.mul.Tensor %[[M]], %[[W]] {{.*}} -> tensor<4x8xf32>
  %0 = aten.nll_loss_backward %g, %x, %t, none, 1, -100, %n : (tensor<f32>, tensor<4x8xf32>, tensor<4xi64>, tensor<f32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func @dropout(
func.func @dropout(%x: tensor<4x8xf32>, %t: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) attributes {titan.joint = 1} {
  // CHECK: %drop_rand = aten.rand [4, 8], dtype = f32, device = "cuda:0"
  // CHECK: %mask = aten.gt.Scalar %drop_rand, 2.5{{.*}}-01
  // CHECK: %drop_mul = aten.mul.Tensor %mask, %arg0
  // CHECK: %kept = aten.mul.Tensor %drop_mul, 1.333333333333333
  %0:2 = aten.native_dropout %x, 0.25, true {titan.names = ["kept", "mask"], titan.tuple_name = "drop"} : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi1>)
  // CHECK: %[[F:.*]] = prims.convert_element_type %mask, f32
  // CHECK: %[[S:.*]] = aten.mul.Tensor %[[F]], 2.0
  // CHECK: aten.mul.Tensor %arg1, %[[S]]
  %1 = aten.native_dropout_backward %t, %0#1, 2.0 : (tensor<4x8xf32>, tensor<4x8xi1>) -> tensor<4x8xf32>
  // CHECK: aten.native_dropout %arg0, 2.5{{.*}}, false
  %2:2 = aten.native_dropout %x, 0.25, false : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi1>)
  return %0#0, %1, %2#0 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}
}
