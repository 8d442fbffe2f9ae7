#include "titan/Interfaces/DidYouMean.h"

#include <catch2/catch.hpp>

using namespace mlir::titan;

static const llvm::StringRef kNames[] = {"apply_sac", "fsdp_reshard_after_fwd",
                                         "inductor_decomposition"};

TEST_CASE("the nearest name is offered", "[did-you-mean]") {
  CHECK(findNearest("aply_sac", kNames) == "apply_sac");
  CHECK(findNearest("apply-sac", kNames) == "apply_sac");
  CHECK(findNearest("Inductor_Decomposition", kNames) ==
        "inductor_decomposition");
  CHECK(didYouMean("apply_sak", kNames) == "; did you mean 'apply_sac'?");
}

TEST_CASE("a far name is not offered", "[did-you-mean]") {
  CHECK(findNearest("cudagraph", kNames).empty());
  CHECK(findNearest("", kNames).empty());
  CHECK(didYouMean("x", kNames).empty());
  CHECK(didYouMean("apply_sac", {}).empty());
}

TEST_CASE("of equally near names the first is offered", "[did-you-mean]") {
  const llvm::StringRef names[] = {"mm_a", "mm_b"};
  CHECK(findNearest("mm_c", names) == "mm_a");
}
