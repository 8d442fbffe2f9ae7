// What an op knows of the PyTorch schema it mirrors. The tables behind these
// types are written by TableGen from the op's ODS record, so that the importer,
// the printer, the verifiers and the writer of FX text read one and the same.
#ifndef TITAN_INTERFACES_SCHEMA_H
#define TITAN_INTERFACES_SCHEMA_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace mlir::titan {

/// The kinds of a schema's parameters, each with one way to be stored on an op.
/// "static" is the attribute that holds what is not an SSA value.
enum class ParameterKind : uint8_t {
  /// `Tensor`: one operand.
  Tensor,
  /// `Tensor` where FX text may put a literal: an optional operand `name`, or
  /// the scalar attribute `static_name`; exactly one of the two is present.
  TensorOrScalar,
  /// `Tensor?`: an optional operand.
  OptionalTensor,
  /// `Tensor[]`: variadic operands.
  Tensors,
  /// `Tensor?[]`: variadic operands, and the attribute `static_name`, a bool an
  /// element of the list: whether the element is present.
  OptionalTensors,
  /// `SymInt`: an optional index operand, or the i64 attribute `static_name`.
  SymInt,
  /// `SymInt[]`, `SymInt[]?`: variadic index operands, interleaved with the i64
  /// array `static_name`, which holds `ShapedType::kDynamic` where an operand
  /// stands.
  SymInts,
  /// `Scalar`, `Scalar?`: an optional operand (index, f64 or i1: symbolic), or
  /// the attribute `static_name` (i64, f64, i1).
  Scalar,
  /// `int`, `int?`: an i64 attribute.
  Int,
  /// `int[]`, `int[]?`: a dense i64 array attribute.
  Ints,
  /// `float`, `float?`: a number attribute (text may say `1` for `1.0`).
  Float,
  /// `float[]`, `float[]?`: a dense f64 array attribute.
  Floats,
  /// `bool`, `bool?`: a bool attribute.
  Bool,
  /// `bool[]`: a dense bool array attribute.
  Bools,
  /// `str`, `str?`: a string attribute.
  String,
  /// `Scalar[]`, `Scalar[]?`: an array of number attributes.
  Scalars,
  /// `ScalarType`, `ScalarType?`: a type attribute (`torch.bfloat16` is bf16).
  Dtype,
  /// `Layout?`: a string attribute (`torch.strided` is "strided").
  Layout,
  /// `Device`, `Device?`: a string attribute ("cuda:0", "cpu").
  Device,
  /// `MemoryFormat?`: a string attribute ("contiguous_format").
  MemoryFormat,
  /// `Generator?`: an optional operand of opaque type.
  Generator,
};

/// One parameter of a schema, in the schema's order.
struct SchemaParameter {
  llvm::StringLiteral name;
  /// The name of the attribute that holds what is not an SSA value: `name`, or
  /// `static_name` where operands share the parameter.
  llvm::StringLiteral attributeName;
  ParameterKind kind;
  /// The default value as Python writes it ("1", "None", "[]"); empty: the
  /// parameter is required.
  llvm::StringLiteral defaultText;
  bool keywordOnly;
  /// The schema's type ends in `?`: None is a value of it, so that the argument
  /// may be absent even without a default.
  bool isNullable;
  /// The op writes to this argument (`Tensor(a!)`).
  bool isMutated;
};

/// Whether the kind is stored as operands (perhaps beside an attribute).
constexpr bool hasOperands(ParameterKind kind) {
  return kind <= ParameterKind::Scalar || kind == ParameterKind::Generator;
}

/// Whether the kind is stored as an attribute, perhaps beside operands.
constexpr bool hasAttribute(ParameterKind kind) {
  return kind == ParameterKind::TensorOrScalar ||
         (kind >= ParameterKind::OptionalTensors &&
          kind != ParameterKind::Generator);
}

/// Whether the kind's attribute is called `static_name` rather than `name`.
constexpr bool hasStaticPrefix(ParameterKind kind) {
  return hasOperands(kind) && hasAttribute(kind);
}

} // namespace mlir::titan

#endif // TITAN_INTERFACES_SCHEMA_H
