// What the emulator's tests share: kernels as text, and running them.
#ifndef TITAN_TEST_UNIT_EMULATOR_EMULATORTESTSUPPORT_H
#define TITAN_TEST_UNIT_EMULATOR_EMULATORTESTSUPPORT_H

#include "titan/Emulator/Emulator.h"
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace emulatortest {

using namespace mlir::titan::emulator;

inline constexpr Schedule kSchedules[] = {
    Schedule::Ascending, Schedule::Descending, Schedule::Random};

/// A module of one kernel `@k`: `globals`, the kernel's parameters, its body,
/// and declarations of what it calls, after a header for nvptx64. `%tid` and
/// `%t` (as i64) are the thread's index along x.
std::string makeKernel(const std::string &parameters, const std::string &body,
                       const std::string &globals = "");

/// Loads a module; fails the test if that fails.
std::unique_ptr<Emulator> load(const std::string &text,
                               const LoadOptions &options = {});

/// `text` with the only `from` in it replaced: a seeded bug.
std::string mutate(std::string text, const std::string &from,
                   const std::string &to);

/// The fault that an error is; none for success. Fails the test for an error
/// that is no fault.
std::optional<Fault> takeFault(llvm::Error error,
                               std::string *message = nullptr);

/// Runs `@k` and gives its fault.
std::optional<Fault> run(Emulator &emulator, const Launch &launch,
                         Schedule schedule, std::string *message = nullptr);

uint16_t toBfloat(float value);
float fromBfloat(uint16_t bits);

} // namespace emulatortest

#endif // TITAN_TEST_UNIT_EMULATOR_EMULATORTESTSUPPORT_H
