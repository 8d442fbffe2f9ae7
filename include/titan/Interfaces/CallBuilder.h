// From a call as Python writes it (positional and keyword arguments) to the op
// that mirrors the overload, as Schema.h says.
#ifndef TITAN_INTERFACES_CALLBUILDER_H
#define TITAN_INTERFACES_CALLBUILDER_H

#include "titan/Interfaces/Schema.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <optional>
#include <string>

namespace mlir::titan {

/// An argument of a call, before it is known how the op stores it. Lists borrow
/// their elements.
class CallArgument {
public:
  enum class Kind : uint8_t {
    /// Python's None.
    None,
    /// An i64, f64, i1, string, type, or array attribute.
    Literal,
    /// An expression in Python that stands for a dtype, device, layout or
    /// memory format (`torch.bfloat16`), or for something Titan does not read.
    Python,
    /// An SSA value.
    Value,
    /// A list or tuple of arguments.
    List,
  };

  CallArgument() = default;
  CallArgument(Value value) : kind(Kind::Value), value(value) {}
  CallArgument(Attribute literal) : kind(Kind::Literal), literal(literal) {}
  CallArgument(ArrayRef<CallArgument> elements)
      : kind(Kind::List), elements(elements) {}
  static CallArgument python(StringRef text) {
    CallArgument argument;
    argument.kind = Kind::Python;
    argument.text = text;
    return argument;
  }

  Kind getKind() const { return kind; }
  bool isNone() const { return kind == Kind::None; }
  Value getValue() const { return value; }
  Attribute getLiteral() const { return literal; }
  StringRef getText() const { return text; }
  ArrayRef<CallArgument> getElements() const { return elements; }

private:
  Kind kind = Kind::None;
  Value value;
  Attribute literal;
  StringRef text;
  ArrayRef<CallArgument> elements;
};

/// An argument with its keyword, empty for a positional one.
struct NamedCallArgument {
  StringRef keyword;
  CallArgument value;
};

/// What is known of a registered op that mirrors an overload.
struct CallTarget {
  OperationName name;
  ArrayRef<SchemaParameter> schema;
  /// The attribute of each parameter, null for those stored as operands only.
  SmallVector<StringAttr> attributeNames;
  /// The number of results that the op declares, none if it varies.
  std::optional<unsigned> numResults;
  /// Whether the op has `operandSegmentSizes`.
  bool hasSegments;
};

/// A call in the form in which an op stores it.
struct StoredCall {
  SmallVector<Value> operands;
  SmallVector<NamedAttribute> attributes;
};

/// Makes ops from calls. Keeps what it has learnt of each op's name; not thread
/// safe.
class CallBuilder {
public:
  explicit CallBuilder(MLIRContext *context);

  /// The registered op called \p name in the IR (`aten.mm`; normalizeOpName
  /// gives it from any spelling), or null if no such op mirrors an overload.
  const CallTarget *lookup(StringRef name);

  /// Distributes \p arguments over operands and attributes. Fails, with the
  /// reason in \p reason if that is given, if the op cannot hold them exactly:
  /// nothing is converted, dropped or guessed.
  LogicalResult store(const CallTarget &target,
                      ArrayRef<NamedCallArgument> arguments, StoredCall &call,
                      std::string *reason = nullptr);

  /// Makes the op at the builder's insertion point, or returns null, with the
  /// reason in \p reason, if the arguments or the number of results do not fit.
  Operation *create(OpBuilder &builder, Location loc, const CallTarget &target,
                    ArrayRef<NamedCallArgument> arguments, TypeRange results,
                    ArrayRef<NamedAttribute> extra = {},
                    std::string *reason = nullptr);

  /// The same for an op by name, for decompositions and tests. Null also if the
  /// op is not registered.
  Operation *create(OpBuilder &builder, Location loc, StringRef name,
                    ArrayRef<NamedCallArgument> arguments, TypeRange results,
                    std::string *reason = nullptr);

private:
  MLIRContext *context;
  StringAttr segmentsName;
  llvm::StringMap<std::unique_ptr<CallTarget>> targets;
};

} // namespace mlir::titan

#endif // TITAN_INTERFACES_CALLBUILDER_H
