// Symbolic sizes: A5, A6 in small, A23 and A24.
// RUN: titan-opt %s --split-input-file --titan-partition=compat=pytorch | FileCheck %s
// RUN: titan-opt %s --split-input-file --titan-partition=compat=titan | FileCheck %s

// A5: the gradient of a sum asks p for its sizes; two numbers are saved and not
// p.
// CHECK: func.func @backward(%{{[^,]*}}"s0", {{[^,]*}}<saved>}, %{{[^,]*}}"s1", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
!d = tensor<?x?xf32>
func.func @a5(%s0: index {titan.name = "s0", titan.role = #titan.role<input>},
              %s1: index {titan.name = "s1", titan.role = #titan.role<input>},
              %p: !d {titan.name = "p", titan.role = #titan.role<input>},
              %t: tensor<?xf32> {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (tensor<?xf32>, !d) attributes {titan.joint = 1 : i64} {
  %s = aten.sum.dim_IntList %p, [1] {titan.names = ["sum"]} : (!d) -> tensor<?xf32>
  %u = aten.unsqueeze %t, 1 {titan.names = ["unsqueeze"]} : (tensor<?xf32>) -> tensor<?x1xf32>
  %g = aten.expand %u, [%s0, %s1] {titan.names = ["expand"]} : (tensor<?x1xf32>, index, index) -> !d
  return %s, %g : tensor<?xf32>, !d
}

// -----

// A24: the shape of a saved tensor mentions u0; what defines u0 crosses, too,
// before the number derived from it.
// CHECK: func.func @backward(%{{[^,]*}}"u0">, titan.name = "item", {{[^,]*}}<saved>}, %{{[^,]*}}"twice", {{[^,]*}}<saved>}, %{{.*}}titan.name = "mm", {{[^,]*}}<saved>}, %{{[^,]*}}"t", {{[^,]*}}<tangent>})
!d = tensor<?x?xf32>
func.func @a24(%n: tensor<i64> {titan.name = "n", titan.role = #titan.role<input>},
               %x: tensor<4x4xf32> {titan.name = "x", titan.role = #titan.role<input>},
               %t: !d {titan.name = "t", titan.role = #titan.role<tangent>})
    -> (!d, !d) attributes {titan.joint = 1 : i64} {
  %u = aten._local_scalar_dense %n {titan.names = ["item"], titan.layouts = [#titan.layout<value = "u0">]} : (tensor<i64>) -> index
  %v = titan.sym "2*u0" = "2 * @0"(%u) {titan.names = ["twice"]} : (index) -> index
  %e = aten.new_empty %x, [%u, %u] {titan.names = ["new_empty"], titan.layouts = [#titan.layout<shape = ["u0", "u0"]>]} : (tensor<4x4xf32>, index, index) -> !d
  %m = aten.mm %e, %e {titan.names = ["mm"], titan.layouts = [#titan.layout<shape = ["u0", "u0"]>]} : (!d, !d) -> !d
  %y = aten.sin %m {titan.names = ["sin"]} : (!d) -> !d
  %f = titan.torch_op "lab.scale"(%t, %m, %v) {args = [#titan.arg<0>, #titan.arg<1>, #titan.arg<2>], titan.names = ["scale"]} : (!d, !d, index) -> !d
  return %y, %f : !d, !d
}
