// Elements by element: accesses of 16 bytes where elements lie in order, from
// places that 16 divides; narrower ones elsewhere. Functions come from
// libdevice, none stays unresolved.
//
// REQUIRES: libdevice
// RUN: rm -rf %t && titan-opt %s --emit=ptx --target=sm_80 -o %t
// RUN: FileCheck %s < %t/in_order.ptx --check-prefix=ORDER
// RUN: FileCheck %s < %t/narrow.ptx --check-prefix=NARROW
// RUN: FileCheck %s < %t/shifted.ptx --check-prefix=SHIFTED
// RUN: FileCheck %s < %t/flags.ptx --check-prefix=FLAGS
// RUN: titan-opt %s --emit=ptx --target=sm_90a -o %t && FileCheck %s < %t/narrow.ptx --check-prefix=HOPPER
// RUN: titan-opt %s --emit=ptx --target=sm_100a -o %t && FileCheck %s < %t/narrow.ptx --check-prefix=BLACKWELL

// ORDER: .target sm_80
// ORDER-NOT: .extern
// ORDER: .visible .entry titan_kernel_in_order
// ORDER: .maxntid 256
// ORDER: ld.global{{.*}}.v4.{{[bf]}}32
// ORDER: ld.global{{.*}}.v4.{{[bf]}}32
// ORDER: mul.rn.f32
// ORDER: add.rn.f32
// ORDER: st.global.v4.{{[bf]}}32
func.func @in_order(%x: tensor<64x256xf32>, %y: tensor<64x256xf32>) -> tensor<64x256xf32> {
  %0 = aten.mul.Tensor %x, %y : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  %1 = aten.add.Tensor %0, %x : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  return %1 : tensor<64x256xf32>
}

// Eight elements of two bytes.
// NARROW-NOT: .extern
// NARROW: .visible .entry titan_kernel_narrow
// NARROW-DAG: cvt.rn.bf16{{(x2)?}}.f32
// NARROW-DAG: st.global.v4.b32
// NARROW-DAG: ld.global{{.*}}.v4.b32
// NARROW-NOT: {{ld|st}}.global{{.*}}.b16
// HOPPER: .target sm_90a
// HOPPER: st.global.v4.b32
// BLACKWELL: .target sm_100a
// BLACKWELL: st.global.v4.b32
func.func @narrow(%x: tensor<64x256xbf16>) -> tensor<64x256xbf16> {
  %0 = aten.silu %x : (tensor<64x256xbf16>) -> tensor<64x256xbf16>
  return %0 : tensor<64x256xbf16>
}

// The slice begins at the second element: no vector of its is in place.
// SHIFTED: .visible .entry
// SHIFTED-NOT: ld.global{{.*}}.v
// SHIFTED: st.global.v4
func.func @shifted(%x: tensor<4097xf32>) -> tensor<4096xf32> {
  %0 = aten.slice.Tensor %x, 0, 1, 4097 : (tensor<4097xf32>) -> tensor<4096xf32>
  %1 = aten.neg %0 : (tensor<4096xf32>) -> tensor<4096xf32>
  return %1 : tensor<4096xf32>
}

// Bools are bytes, integers have 64 bits.
// FLAGS: ld.global{{.*}}.v2.{{[bsu]}}64
// FLAGS: st.global{{.*}}b{{32|64}}
func.func @flags(%x: tensor<4096xi64>) -> tensor<4096xi1> {
  %0 = aten.gt.Scalar %x, 3 : (tensor<4096xi64>) -> tensor<4096xi1>
  return %0 : tensor<4096xi1>
}
