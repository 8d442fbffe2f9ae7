// RUN: titan-opt %s --titan-inductor-decomposition 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=LOG --input-file=%t

// The formulas are those that PyTorch 2.15 traces with Inductor's table.
// LOG: Applying decompositions to joint graph
// LOG-NEXT: Decompositions applied successfully to joint graph

// The last op has the name of what it replaces, the others that name with a
// suffix; phase, module and annotations go to all, a clash gets a number.
// CHECK-LABEL: func @silu(
func.func @silu(%x: tensor<4x8xf32> {titan.name = "silu_exp"}) -> tensor<4x8xf32> attributes {titan.joint = 1} {
  // CHECK: %silu_neg = aten.neg %arg0 {titan.custom = {a = 1 : i64}, titan.module = "layers.0", titan.names = ["silu_neg"], titan.phase = #titan.phase<forward>}
  // CHECK: %silu_exp_1 = aten.exp %silu_neg {{.*}}titan.module = "layers.0"
  // CHECK: %silu_add = aten.add.Tensor %silu_exp_1, 1 {
  // CHECK: %silu = aten.div.Tensor %arg0, %silu_add {titan.custom = {a = 1 : i64}, titan.module = "layers.0", titan.names = ["silu"], titan.phase = #titan.phase<forward>}
  // CHECK: return %silu
  %0 = aten.silu %x {titan.custom = {a = 1 : i64}, titan.module = "layers.0", titan.names = ["silu"], titan.phase = #titan.phase<forward>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Half precision is computed in f32, unknown sizes stay unknown.
// CHECK-LABEL: func @silu_half(
func.func @silu_half(%x: tensor<?x8xbf16>) -> tensor<?x8xbf16> attributes {titan.joint = 1} {
  // CHECK: %[[X:.*]] = prims.convert_element_type %arg0, f32 : (tensor<?x8xbf16>) -> tensor<?x8xf32>
  // CHECK: aten.neg %[[X]]
  // CHECK: %[[D:.*]] = aten.div.Tensor %[[X]], {{.*}} -> tensor<?x8xf32>
  // CHECK: prims.convert_element_type %[[D]], bf16 : (tensor<?x8xf32>) -> tensor<?x8xbf16>
  %0 = aten.silu %x : (tensor<?x8xbf16>) -> tensor<?x8xbf16>
  return %0 : tensor<?x8xbf16>
}

// A tag to recompute goes to every piece, a tag to save to the last alone.
// CHECK-LABEL: func @tags(
func.func @tags(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {titan.joint = 2} {
  // CHECK: aten.sub.Tensor 1, %arg1 :
  // CHECK: aten.mul.Tensor %arg1, %{{[0-9]*}} :
  // CHECK: aten.mul.Tensor %arg0, %{{[0-9]*}} {titan.ac_graph_id = 1 : i64, titan.recompute = #titan.policy<must_save>}
  %0 = aten.sigmoid_backward %x, %y {titan.ac_graph_id = 1 : i64, titan.recompute = #titan.policy<must_save>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: aten.mul.Tensor %arg1, %arg1 {titan.ac_graph_id = 2 : i64, titan.recompute = #titan.policy<must_recompute>}
  // CHECK: aten.sub.Tensor 1, {{.*}}must_recompute
  // CHECK: aten.mul.Tensor %arg0, {{.*}}must_recompute
  %1 = aten.tanh_backward %x, %y {titan.ac_graph_id = 2 : i64, titan.recompute = #titan.policy<must_recompute>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @silu_backward(
func.func @silu_backward(%g: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> attributes {titan.joint = 1} {
  // CHECK: %[[S:.*]] = aten.sigmoid %arg1
  // CHECK: %[[GS:.*]] = aten.mul.Tensor %arg0, %[[S]]
  // CHECK: %[[R:.*]] = aten.sub.Tensor 1, %[[S]]
  // CHECK: %[[XR:.*]] = aten.mul.Tensor %arg1, %[[R]]
  // CHECK: %[[A:.*]] = aten.add.Tensor %[[XR]], 1
  // CHECK: aten.mul.Tensor %[[GS]], %[[A]]
  %0 = aten.silu_backward %g, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @gelu(
func.func @gelu(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {titan.joint = 2} {
  // CHECK: %[[H:.*]] = aten.mul.Tensor %arg0, 5.000000e-01
  // CHECK: %[[S:.*]] = aten.mul.Tensor %arg0, 7.071067811865{{.*}}e-01
  // CHECK: %[[E:.*]] = aten.erf %[[S]]
  // CHECK: %[[A:.*]] = aten.add.Tensor %[[E]], 1
  // CHECK: aten.mul.Tensor %[[H]], %[[A]]
  %0 = aten.gelu %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: aten.mul.Tensor %{{.*}}, 4.4715{{.*}}-02
  // CHECK: aten.mul.Tensor %{{.*}}, 7.978845608028{{.*}}e-01
  // CHECK: aten.tanh
  %1 = aten.gelu %x, approximate = "tanh" : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @gelu_backward(
func.func @gelu_backward(%g: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> attributes {titan.joint = 1} {
  // CHECK: %[[E:.*]] = aten.erf
  // CHECK: %[[A:.*]] = aten.add.Tensor %[[E]], 1
  // CHECK: %[[F:.*]] = aten.mul.Tensor %[[A]], 5.0
  // CHECK: %[[XX:.*]] = aten.mul.Tensor %arg1, %arg1
  // CHECK: %[[M:.*]] = aten.mul.Tensor %[[XX]], -5.0
  // CHECK: %[[P:.*]] = aten.exp %[[M]]
  // CHECK: %[[D:.*]] = aten.mul.Tensor %[[P]], 3.989422804014{{.*}}e-01
  // CHECK: %[[XD:.*]] = aten.mul.Tensor %arg1, %[[D]]
  // CHECK: %[[S:.*]] = aten.add.Tensor %[[F]], %[[XD]]
  // CHECK: aten.mul.Tensor %arg0, %[[S]]
  %0 = aten.gelu_backward %g, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @threshold_backward(
func.func @threshold_backward(%g: tensor<4xbf16>, %x: tensor<4xbf16>) -> tensor<4xbf16> attributes {titan.joint = 1} {
  // CHECK: %[[L:.*]] = aten.le.Scalar %arg1, 0 : (tensor<4xbf16>) -> tensor<4xi1>
  // CHECK: %[[Z:.*]] = aten.full [], 0.0{{.*}}, dtype = bf16 : () -> tensor<bf16>
  // CHECK: aten.where.self %[[L]], %[[Z]], %arg0
  %0 = aten.threshold_backward %g, %x, 0 : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// CHECK-LABEL: func @casts(
func.func @casts(%x: tensor<4xf32>) -> (tensor<4xbf16>, tensor<4xbf16>, tensor<4xf32>) attributes {titan.joint = 3} {
  // CHECK: %cast = prims.convert_element_type %arg0, bf16
  %0 = aten._to_copy %x, dtype = bf16 {titan.names = ["cast"]} : (tensor<4xf32>) -> tensor<4xbf16>
  // To the host: the smaller type travels.
  // CHECK: %host_convert_element_type = prims.convert_element_type %arg0, bf16
  // CHECK: %host = prims.device_put %host_convert_element_type, "cpu"
  %1 = aten._to_copy %x, dtype = bf16, device = "cpu" {titan.names = ["host"], titan.layouts = [#titan.layout<device = "cpu">]} : (tensor<4xf32>) -> tensor<4xbf16>
  // A copy into another layout stays.
  // CHECK: aten._to_copy %arg0, memory_format = "contiguous_format"
  %2 = aten._to_copy %x, memory_format = "contiguous_format" : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xbf16>, tensor<4xbf16>, tensor<4xf32>
}

// CHECK-LABEL: func @arithmetic(
func.func @arithmetic(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>, %m: tensor<4x4xi1>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) attributes {titan.joint = 5} {
  // CHECK: aten.sub.Tensor 1, %arg0
  %0 = aten.rsub.Scalar %x, 1 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: %[[S:.*]] = aten.mul.Tensor %arg0, 2
  // CHECK: aten.sub.Tensor %arg1, %[[S]]
  %1 = aten.rsub.Tensor %x, %y, alpha = 2 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: %[[V:.*]] = aten.full [], -1.0
  // CHECK: aten.where.self %arg2, %[[V]], %arg0
  %2 = aten.masked_fill.Scalar %x, %m, -1 : (tensor<4x4xf32>, tensor<4x4xi1>) -> tensor<4x4xf32>
  // CHECK: aten.pow.Tensor_Scalar %arg0, 2
  %3 = aten.square %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: %[[T:.*]] = aten.permute %arg1, [1, 0]
  // CHECK: aten.mm %arg0, %[[T]]
  %4 = aten.linear %x, %y : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %1, %2, %3, %4 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// Ops outside the table and functions outside the joint graph stay.
// CHECK-LABEL: func @untouched(
func.func @untouched(%x: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {titan.joint = 1} {
  // CHECK: aten.relu
  %0 = aten.relu %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
// CHECK-LABEL: func @not_joint(
func.func @not_joint(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK: aten.silu
  %0 = aten.silu %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
