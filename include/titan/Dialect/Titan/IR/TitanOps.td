#ifndef TITAN_DIALECT_TITAN_IR_TITANOPS_TD
#define TITAN_DIALECT_TITAN_IR_TITANOPS_TD

include "titan/Interfaces/TorchOpBase.td"
include "titan/Dialect/Titan/IR/TitanDialect.td"
include "titan/Dialect/Titan/IR/TitanAttrs.td"
include "mlir/IR/SymbolInterfaces.td"

class Titan_Op<string mnemonic, list<Trait> traits = []>
    : Op<Titan_Dialect, mnemonic, !listconcat(traits, [
        DeclareOpInterfaceMethods<RecomputeOpInterface>,
        DeclareOpInterfaceMethods<CostOpInterface>,
        DeclareOpInterfaceMethods<AliasOpInterface>,
        DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>])>;

def Titan_TorchOp : Titan_Op<"torch_op", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Any PyTorch op that no dialect models";
  let description = [{
    Custom ops, other namespaces, higher-order ops, and overloads of known
    namespaces that Titan has no op for. Keeps every argument: `args` and
    `kwargs` hold literals, with `#titan.arg<n>` where operand n stands;
    subgraphs of higher-order ops are symbol references to private functions.
    `kwargs` is `#titan.dict`, so their order survives.

    ```mlir
    %0 = titan.torch_op "lab.fused_norm.default"(%x, %w)
      {args = [#titan.arg<0>, #titan.arg<1>, 1.0e-5 : f64]}
      : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```

    **Constraints:**
    - (C1) every operand is named by just one `#titan.arg`, and no other is named.
    - (C2) the name has a namespace and an op, separated by a dot.
  }];
  let arguments = (ins StrAttr:$name, Variadic<Titan_Value>:$inputs,
                       DefaultValuedAttr<ArrayAttr, "{}">:$args,
                       OptionalAttr<Titan_DictAttr>:$kwargs);
  let results = (outs Variadic<Titan_Value>:$outputs);
  let assemblyFormat = [{
    $name `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)
  }];
  let hasVerifier = 1;
}

def Titan_SymOp : Titan_Op<"sym", [Pure]> {
  let summary = "Arithmetic on symbolic numbers";
  let description = [{
    `value` is what the result is in terms of the graph's symbols (`"s27 + 1"`),
    as the source's annotation says it. `python` is the expression over the
    operands, with `@0`, `@1` in their places.

    ```mlir
    %1 = titan.sym "s27 + 1" = "@0 + 1"(%0) : (index) -> index
    ```
  }];
  let arguments = (ins StrAttr:$value, StrAttr:$python,
                       Variadic<Titan_SymbolicNumber>:$inputs);
  let results = (outs Titan_SymbolicNumber:$result);
  let assemblyFormat = [{
    $value `=` $python `(` $inputs `)` attr-dict `:` functional-type($inputs, $result)
  }];
  let hasVerifier = 1;
}

#endif // TITAN_DIALECT_TITAN_IR_TITANOPS_TD
