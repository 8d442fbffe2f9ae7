// Compiled lookups: rows in vectors, single elements, places that count from
// the end; one that is outside is an error at its op, not a number.
// RUN: split-file %s %t
// RUN: titan-run %t/inside.mlir --engine=cpu --function=joint --inputs=random:1 --outputs=%t/cpu.safetensors
// RUN: titan-run %t/inside.mlir --engine=reference --function=joint --inputs=random:1 --compare=%t/cpu.safetensors
// RUN: not titan-run %t/outside.mlir --engine=cpu --inputs=random:1 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: not titan-run %t/class.mlir --engine=cpu --inputs=random:1 2>&1 | FileCheck %s --check-prefix=CLASS
// RUN: not titan-run %t/gather.mlir --engine=cpu --inputs=random:1 2>&1 | FileCheck %s --check-prefix=GATHER
// RUN: not titan-run %t/gather.mlir --engine=reference --inputs=random:1 2>&1 | FileCheck %s --check-prefix=REFERENCE

// A gather counts from the front alone, as PyTorch's.
// GATHER: gather.mlir:4:8: error: cannot execute the op: an index is out of range of a dimension of 4
// REFERENCE: gather.mlir:4:8: error: cannot execute 'aten.gather': index -1 is out of range
// INDEX: outside.mlir:3:8: error: cannot execute the op: an index is out of range of a dimension of 40
// INDEX-NOT: error:
// CLASS: class.mlir:3:16: error: cannot execute the op: a class is out of range of 20
// CLASS-NOT: error:

//--- inside.mlir
func.func @joint(%x: tensor<40x70xf32> {titan.name = "x", titan.role = #titan.role<input>})
    -> (tensor<40x70xf32>, tensor<40xf32>, tensor<40x70xf32>, tensor<70x2xf32>) {
  %twice = aten.add.Tensor %x, %x {titan.names = ["twice"]} : (tensor<40x70xf32>, tensor<40x70xf32>) -> tensor<40x70xf32>
  %i = aten.arange 40, dtype = i64 {titan.names = ["i"]} : () -> tensor<40xi64>
  %back = aten.neg %i {titan.names = ["back"]} : (tensor<40xi64>) -> tensor<40xi64>
  %rows = aten.index_select %twice, 0, %i {titan.names = ["rows"]} : (tensor<40x70xf32>, tensor<40xi64>) -> tensor<40x70xf32>
  %single = aten.index.Tensor %twice, [%back, %i] {titan.names = ["single"]} : (tensor<40x70xf32>, tensor<40xi64>, tensor<40xi64>) -> tensor<40xf32>
  %some = aten.embedding %x, %i {titan.names = ["some"]} : (tensor<40x70xf32>, tensor<40xi64>) -> tensor<40x70xf32>
  %flat = aten.view %twice, [70, 40] {titan.names = ["flat"]} : (tensor<40x70xf32>) -> tensor<70x40xf32>
  %two = aten.arange.start 3, 5, dtype = i64 {titan.names = ["two"]} : () -> tensor<2xi64>
  %columns = aten.index_select %flat, 1, %two {titan.names = ["columns"]} : (tensor<70x40xf32>, tensor<2xi64>) -> tensor<70x2xf32>
  return %rows, %single, %some, %columns : tensor<40x70xf32>, tensor<40xf32>, tensor<40x70xf32>, tensor<70x2xf32>
}

//--- outside.mlir
func.func @joint(%x: tensor<40x70xf32> {titan.name = "x", titan.role = #titan.role<input>}) -> tensor<40x70xf32> {
  %i = aten.arange.start 1, 41, dtype = i64 {titan.names = ["i"]} : () -> tensor<40xi64>
  %0 = aten.embedding %x, %i {titan.names = ["rows"]} : (tensor<40x70xf32>, tensor<40xi64>) -> tensor<40x70xf32>
  return %0 : tensor<40x70xf32>
}

//--- class.mlir
func.func @joint(%x: tensor<30x20xf32> {titan.name = "x", titan.role = #titan.role<input>}) -> tensor<f32> {
  %i = aten.arange 30, dtype = i64 {titan.names = ["i"]} : () -> tensor<30xi64>
  %0, %total = aten.nll_loss_forward %x, %i, none, 1, -100 {titan.names = ["loss", "total"]} : (tensor<30x20xf32>, tensor<30xi64>) -> (tensor<f32>, tensor<f32>)
  return %0 : tensor<f32>
}

//--- gather.mlir
func.func @joint(%x: tensor<4x2xf32> {titan.name = "x", titan.role = #titan.role<input>}) -> tensor<1x2xf32> {
  %one = aten.ones [1, 2], dtype = i64 {titan.names = ["one"]} : () -> tensor<1x2xi64>
  %i = aten.neg %one {titan.names = ["i"]} : (tensor<1x2xi64>) -> tensor<1x2xi64>
  %0 = aten.gather %x, 0, %i {titan.names = ["rows"]} : (tensor<4x2xf32>, tensor<1x2xi64>) -> tensor<1x2xf32>
  return %0 : tensor<1x2xf32>
}
