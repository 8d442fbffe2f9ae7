// Asks each family of operations for a name.
#include "Op.h"

using namespace mlir::titan::emulator;

bool mlir::titan::emulator::decodeOperation(llvm::StringRef name, Form form,
                                            Op &op) {
  for (auto *decode : {decodeSynchronisation, decodeWarp, decodeAsyncCopy,
                       decodeMbarrier, decodeBulkCopy, decodeMatrix,
                       decodeWgmma, decodeAtomic, decodeCarry, decodeScalar})
    if (decode(name, form, op))
      return true;
  return false;
}
