// What the functions of one graph share while it is built: everything that is
// said many times in the text is read once.
#ifndef TITAN_LIB_IMPORT_GRAPHTABLES_H
#define TITAN_LIB_IMPORT_GRAPHTABLES_H

#include "titan/Import/Annotation.h"
#include "titan/Import/Comment.h"
#include "titan/Import/FxAst.h"
#include "titan/Import/SourceText.h"
#include "titan/Interfaces/CallBuilder.h"

#include "llvm/ADT/DenseMap.h"

namespace mlir::titan {

/// An annotation's type and layout.
struct TypeEntry {
  FxAnnotation annotation;
  Type type;
  LayoutAttr layout;
};

/// What is called: the op of a dialect, if one models it, and its name.
struct CalleeEntry {
  const CallTarget *target = nullptr;
  /// The name for `titan.torch_op`.
  StringAttr torchName;
};

class GraphTables {
public:
  explicit GraphTables(const SourceText &source);

  /// Reads all annotations and decides the module's device. True after a
  /// diagnostic.
  bool readAnnotations(const FxFunction &main);
  /// Whether comments may hold tags that nobody knows: a warning each.
  bool allowUnknown = false;

  /// The annotation of \p statement, which must have one.
  const TypeEntry &getType(const FxStatement &statement) const {
    return types.find(statement.annotation)->second;
  }
  const FxComment &getComment(StringRef text);
  const CalleeEntry &getCallee(StringRef callee);
  StringRef getDevice() const { return device; }

  const SourceText &source;
  MLIRContext *context;
  CallBuilder calls;
  Type unknownType;
  Type opaqueType;
  LocationAttr unknownLoc;
  NoneAttr none;
  /// The names of discardable attributes.
  StringAttr names, tupleName, layouts, module, custom, recompute, acGraphId,
      phase, resultRecompute, resultAcGraphId, keywords, getitems;

private:
  bool readAnnotation(const FxStatement &statement);
  bool readFunction(const FxFunction &function);
  bool checkComment(StringRef text);

  llvm::DenseMap<StringRef, TypeEntry> types;
  llvm::DenseMap<StringRef, FxComment> comments;
  /// Comments with a tag that was complained about.
  llvm::DenseSet<StringRef> reported;
  /// What was asked for last, by its place in the text; in the table.
  StringRef lastCommentText;
  const FxComment *lastComment = nullptr;
  llvm::DenseMap<StringRef, CalleeEntry> callees;
  /// Devices in the order of their first value.
  llvm::SmallVector<std::pair<StringRef, size_t>> devices;
  StringRef device;
};

} // namespace mlir::titan

#endif // TITAN_LIB_IMPORT_GRAPHTABLES_H
