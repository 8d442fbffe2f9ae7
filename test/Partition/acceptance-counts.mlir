// A6 and A7: how many values cross where shapes are symbolic, in PyTorch's own
// tests' programs.
// RUN: titan-opt %s --split-input-file --titan-partition=compat=pytorch | FileCheck %s
// RUN: titan-opt %s --split-input-file --titan-partition='compat=pytorch partitioner=default' | FileCheck %s --check-prefix=DEFAULT

// A6: cat([expand(a), b, c]). Forward 3 in, 4 out; backward 4 in, 3 out; what is
// saved are three numbers.
// CHECK: func.func @backward(%arg0: index {{[^,]*}}"n", {{[^,]*}}, %arg1: index {{[^,]*}}"b0", {{[^,]*}}, %arg2: index {{[^,]*}}"c0", {{[^,]*}}, %arg3: tensor<?x?xf32> {{[^,]*}}"t", {{[^,]*}}<tangent>}) -> (tensor<?xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
!v = tensor<?xf32>
!m = tensor<?x?xf32>
func.func @a6(%a: !v {titan.name = "a", titan.role = #titan.role<input>},
              %b: !m {titan.name = "b", titan.role = #titan.role<input>},
              %c: !m {titan.name = "c", titan.role = #titan.role<input>},
              %t: !m {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!m, !v, !m, !m) attributes {titan.joint = 1 : i64} {
  %n = aten.sym_size.int %a, 0 {titan.names = ["n"], titan.phase = #titan.phase<forward>} : (!v) -> index
  %b0 = aten.sym_size.int %b, 0 {titan.names = ["b0"], titan.phase = #titan.phase<forward>} : (!m) -> index
  %c0 = aten.sym_size.int %c, 0 {titan.names = ["c0"], titan.phase = #titan.phase<forward>} : (!m) -> index
  %x = titan.sym "s1 + s2" = "@0 + @1"(%b0, %c0) {titan.names = ["sum"], titan.phase = #titan.phase<forward>} : (index, index) -> index
  %e = aten.expand %a, [%x, %n] {titan.names = ["expand"], titan.phase = #titan.phase<forward>} : (!v, index, index) -> !m
  %y = aten.cat [%e, %b, %c] {titan.names = ["cat"], titan.phase = #titan.phase<forward>} : (!m, !m, !m) -> !m
  %u = titan.sym "2*s1 + s2" = "@0 + @1"(%x, %b0) {titan.names = ["end1"], titan.phase = #titan.phase<backward>} : (index, index) -> index
  %w = titan.sym "2*s1 + 2*s2" = "@0 + @1"(%u, %c0) {titan.names = ["end2"], titan.phase = #titan.phase<backward>} : (index, index) -> index
  %s0 = aten.slice.Tensor %t, 0, 0, %x {titan.phase = #titan.phase<backward>} : (!m, index) -> !m
  %s1 = aten.slice.Tensor %t, 0, %x, %u {titan.phase = #titan.phase<backward>} : (!m, index, index) -> !m
  %s2 = aten.slice.Tensor %t, 0, %u, %w {titan.phase = #titan.phase<backward>} : (!m, index, index) -> !m
  %r = aten.sum.dim_IntList %s0, [0], true {titan.phase = #titan.phase<backward>} : (!m) -> !m
  %ga = aten.view %r, [%n] {titan.phase = #titan.phase<backward>} : (!m, index) -> !v
  %gb = aten.clone %s1 : (!m) -> !m
  %gc = aten.clone %s2 : (!m) -> !m
  return %y, %ga, %gb, %gc : !m, !v, !m, !m
}

// -----

// A7: two products behind it. Forward 4 in; min-cut saves 4 tensors and 3
// numbers (12 out, 9 in), default also the sum of two sizes (13 out, 10 in).

// CHECK: func.func @backward(%arg0: index {{[^,]*}}"n", {{.*}} %arg1: index {{[^,]*}}"b0", {{.*}} %arg2: index {{[^,]*}}"c0", {{.*}} %arg6: tensor{{[^,]*}}, titan.role = #titan.role<saved>}, %arg7: tensor{{[^,]*}}, titan.role = #titan.role<tangent>}, %arg8: tensor{{[^,]*}}, titan.role = #titan.role<tangent>}) -> (tensor<?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x1xf32>)
// DEFAULT: func.func @backward(
// DEFAULT: func.func @backward(%arg0: index {{[^,]*}}"n", {{.*}} %arg1: index {{[^,]*}}"b0", {{.*}} %arg2: index {{[^,]*}}"c0", {{.*}} %arg3: index {{[^,]*}}"sum", {{.*}} %arg7: tensor{{[^,]*}}, titan.role = #titan.role<saved>}, %arg8: tensor{{[^,]*}}, titan.role = #titan.role<tangent>}, %arg9: tensor{{[^,]*}}, titan.role = #titan.role<tangent>}) -> (tensor<?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x1xf32>)
!v = tensor<?xf32>
!m = tensor<?x?xf32>
!c = tensor<?x1xf32>
!r = tensor<1x?xf32>
func.func @a7(%a: !v {titan.name = "a", titan.role = #titan.role<input>},
              %b: !m {titan.name = "b", titan.role = #titan.role<input>},
              %c: !m {titan.name = "c", titan.role = #titan.role<input>},
              %d: !c {titan.name = "d", titan.role = #titan.role<input>},
              %t0: !m {titan.name = "t0", titan.role = #titan.role<tangent>},
              %t1: !m {titan.name = "t1", titan.role = #titan.role<tangent>})
    -> (!m, index, index, !m, !m, !v, !m, !m, !c) attributes {titan.joint = 5 : i64} {
  %n = aten.sym_size.int %a, 0 {titan.names = ["n"], titan.phase = #titan.phase<forward>} : (!v) -> index
  %b0 = aten.sym_size.int %b, 0 {titan.names = ["b0"], titan.phase = #titan.phase<forward>} : (!m) -> index
  %b1 = aten.sym_size.int %b, 1 {titan.names = ["b1"], titan.phase = #titan.phase<forward>} : (!m) -> index
  %c0 = aten.sym_size.int %c, 0 {titan.names = ["c0"], titan.phase = #titan.phase<forward>} : (!m) -> index
  %x = titan.sym "s1 + s2" = "@0 + @1"(%b0, %c0) {titan.names = ["sum"], titan.phase = #titan.phase<forward>} : (index, index) -> index
  %e = aten.expand %a, [%x, %n] {titan.names = ["expand"], titan.phase = #titan.phase<forward>} : (!v, index, index) -> !m
  %cat = aten.cat [%e, %b, %c] {titan.names = ["cat"], titan.phase = #titan.phase<forward>} : (!m, !m, !m) -> !m
  %p = aten.mm %cat, %d {titan.names = ["mm"], titan.phase = #titan.phase<forward>} : (!m, !c) -> !c
  %av = aten.view %a, [1, %n] {titan.names = ["view"], titan.phase = #titan.phase<forward>} : (!v, index) -> !r
  %q = aten.mm %p, %av {titan.names = ["mm_1"], titan.phase = #titan.phase<forward>} : (!c, !r) -> !m
  %pt = aten.permute %p, [1, 0] {titan.names = ["permute"], titan.phase = #titan.phase<backward>} : (!c) -> !r
  %gav = aten.mm %pt, %t1 {titan.phase = #titan.phase<backward>} : (!r, !m) -> !r
  %avt = aten.permute %av, [1, 0] {titan.names = ["permute_1"], titan.phase = #titan.phase<backward>} : (!r) -> !c
  %gp = aten.mm %t1, %avt {titan.phase = #titan.phase<backward>} : (!m, !c) -> !c
  %catt = aten.permute %cat, [1, 0] {titan.names = ["permute_2"], titan.phase = #titan.phase<backward>} : (!m) -> !m
  %gd = aten.mm %catt, %gp {titan.phase = #titan.phase<backward>} : (!m, !c) -> !c
  %dt = aten.permute %d, [1, 0] {titan.names = ["permute_3"], titan.phase = #titan.phase<backward>} : (!c) -> !r
  %gc0 = aten.mm %gp, %dt {titan.phase = #titan.phase<backward>} : (!c, !r) -> !m
  %gcat = aten.add.Tensor %gc0, %t0 {titan.phase = #titan.phase<backward>} : (!m, !m) -> !m
  %u = titan.sym "2*s1 + s2" = "@0 + @1"(%x, %b0) {titan.names = ["end1"], titan.phase = #titan.phase<backward>} : (index, index) -> index
  %w = titan.sym "2*s1 + 2*s2" = "@0 + @1"(%u, %c0) {titan.names = ["end2"], titan.phase = #titan.phase<backward>} : (index, index) -> index
  %s0 = aten.slice.Tensor %gcat, 0, 0, %x {titan.phase = #titan.phase<backward>} : (!m, index) -> !m
  %s1 = aten.slice.Tensor %gcat, 0, %x, %u {titan.phase = #titan.phase<backward>} : (!m, index, index) -> !m
  %s2 = aten.slice.Tensor %gcat, 0, %u, %w {titan.phase = #titan.phase<backward>} : (!m, index, index) -> !m
  %r = aten.sum.dim_IntList %s0, [0], true {titan.phase = #titan.phase<backward>} : (!m) -> !m
  %ga0 = aten.view %r, [%n] {titan.phase = #titan.phase<backward>} : (!m, index) -> !v
  %ga1 = aten.view %gav, [%n] {titan.phase = #titan.phase<backward>} : (!r, index) -> !v
  %ga = aten.add.Tensor %ga0, %ga1 {titan.phase = #titan.phase<backward>} : (!v, !v) -> !v
  %gb = aten.clone %s1 {titan.phase = #titan.phase<backward>} : (!m) -> !m
  %gc = aten.clone %s2 {titan.phase = #titan.phase<backward>} : (!m) -> !m
  return %cat, %b0, %b1, %c, %q, %ga, %gb, %gc, %gd : !m, index, index, !m, !m, !v, !m, !m, !c
}
