// What bulk copies need of mbarriers.
#ifndef TITAN_LIB_EMULATOR_MBARRIER_H
#define TITAN_LIB_EMULATOR_MBARRIER_H

#include "Machine.h"

namespace mlir::titan::emulator {

/// The initialised mbarrier at an address; does not return if there is none.
Mbarrier &getMbarrier(Thread &thread, uint64_t address);
/// Takes `bytes` off what the mbarrier at `address` waits for, and passes on
/// what `clocks` holds. May run outside of any thread.
void completeTransaction(Block &block, uint64_t address, uint64_t bytes,
                         const std::vector<uint32_t> &clocks);

} // namespace mlir::titan::emulator

#endif // TITAN_LIB_EMULATOR_MBARRIER_H
