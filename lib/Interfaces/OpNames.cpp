#include "titan/Interfaces/OpNames.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace mlir::titan;

std::string titan::normalizeOpName(StringRef spelling) {
  StringRef name = spelling.trim();
  name.consume_front("torch.ops.");
  std::string text = name.str();
  if (size_t colons = text.find("::"); colons != std::string::npos)
    text.replace(colons, 2, ".");
  StringRef rest = text;
  rest.consume_back(".default");
  if (rest.consume_front("_c10d_functional."))
    return ("c10d." + rest).str();
  return rest.str();
}

std::string titan::getOpName(Operation *op) {
  return normalizeOpName(getTorchName(op));
}

std::string titan::getTorchName(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (std::optional<Attribute> own = op->getInherentAttr("name"))
    if (auto text = dyn_cast_or_null<StringAttr>(*own);
        text && name == "titan.torch_op")
      return text.str();
  auto [dialect, mnemonic] = name.split('.');
  std::string result =
      dialect == "c10d" ? std::string("_c10d_functional") : dialect.str();
  result += '.';
  result += mnemonic;
  if (!mnemonic.contains('.'))
    result += ".default";
  return result;
}
