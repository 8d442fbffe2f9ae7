// The importer notes where a call was written in another way, so that the
// writer can write it as it was.
#include "CallForm.h"

using namespace mlir;
using namespace mlir::titan;

void titan::getUsualKeywords(llvm::ArrayRef<SchemaParameter> schema,
                             llvm::function_ref<bool(unsigned)> isPresent,
                             llvm::SmallVectorImpl<llvm::StringRef> &keywords) {
  auto isRequired = [&](unsigned index) {
    return schema[index].defaultText.empty();
  };
  unsigned last = 0;
  for (unsigned i = 0; i < schema.size(); ++i)
    if (!schema[i].keywordOnly && (isPresent(i) || isRequired(i)))
      last = i + 1;
  bool byKeyword = false;
  for (unsigned i = 0; i < schema.size(); ++i) {
    bool isPositional = !schema[i].keywordOnly && !byKeyword;
    if (isPresent(i)) {
      keywords.push_back(isPositional ? llvm::StringRef()
                                      : llvm::StringRef(schema[i].name));
    } else if (isPositional && i < last) {
      // A gap: None stands for itself, any other default for what follows to
      // be named.
      if (schema[i].defaultText == "None" || isRequired(i))
        keywords.emplace_back();
      else
        byKeyword = true;
    }
  }
}
