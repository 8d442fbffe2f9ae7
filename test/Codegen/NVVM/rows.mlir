// Rows: a warp takes a short row and combines by shuffles alone, a block takes
// a long one and combines warps through shared memory. A row's sum is in a
// register when the row is scaled by it.
//
// REQUIRES: libdevice
// RUN: rm -rf %t && titan-opt %s --emit=ptx --target=sm_80 -o %t
// RUN: FileCheck %s < %t/short.ptx --check-prefix=SHORT
// RUN: FileCheck %s < %t/long.ptx --check-prefix=LONG
// RUN: FileCheck %s < %t/columns.ptx --check-prefix=COLUMNS
// RUN: FileCheck %s < %t/manifest.json --check-prefix=MANIFEST

// SHORT-NOT: .shared
// SHORT: .maxntid 128
// SHORT: ld.global{{.*}}.v4
// SHORT: shfl.sync.bfly.b32
// SHORT-NOT: bar.sync
func.func @short(%x: tensor<512x256xf32>) -> tensor<512x256xf32> {
  %0 = aten._softmax %x, 1, false : (tensor<512x256xf32>) -> tensor<512x256xf32>
  return %0 : tensor<512x256xf32>
}

// LONG: .maxntid 256
// LONG: .shared {{.*}}_partials[64]
// LONG: shfl.sync.bfly.b32
// LONG: st.shared
// LONG: bar.sync
// LONG: ld.shared
// LONG: st.global.v4
func.func @long(%x: tensor<16x4096xf32>) -> tensor<16x4096xf32> {
  %0 = aten._softmax %x, 1, false : (tensor<16x4096xf32>) -> tensor<16x4096xf32>
  return %0 : tensor<16x4096xf32>
}

// Neighbouring threads read neighbouring columns, and need not wait.
// COLUMNS-NOT: shfl.sync
// COLUMNS-NOT: bar.sync
// COLUMNS: st.global
func.func @columns(%x: tensor<512x4096xf32>) -> tensor<4096xf32> {
  %0 = aten.sum.dim_IntList %x, [0] : (tensor<512x4096xf32>) -> tensor<4096xf32>
  return %0 : tensor<4096xf32>
}

// MANIFEST: "calls": [
// MANIFEST: "group": "titan_kernel_short_0"
// MANIFEST: "file": "short.ptx"
// MANIFEST: "block": [
// MANIFEST-NEXT: 128,
// MANIFEST: "grid": [
// MANIFEST-NEXT: 128,
// MANIFEST: "kernel": "titan_kernel_short_0_0"
// MANIFEST: "buffer": 0,
// MANIFEST-NEXT: "kind": "argument",
// MANIFEST-NEXT: "type": "tensor<512x256xf32>"
// MANIFEST: "buffer": 1,
// MANIFEST-NEXT: "kind": "result",
// MANIFEST: "buffer": 2,
// MANIFEST-NEXT: "bytes": 2048,
// MANIFEST-NEXT: "kind": "scratch"
// MANIFEST: "location": "{{.*}}rows.mlir:{{[0-9]+}}",
// MANIFEST-NEXT: "op": "aten._softmax"
// MANIFEST: "schema": "titan.kernels/1",
// MANIFEST-NEXT: "target": "sm_80"
