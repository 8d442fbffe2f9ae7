#include "../../../lib/Tools/TitanOpt/OptionErrors.h"

#include <catch2/catch.hpp>

using namespace mlir::titan;

TEST_CASE("what LLVM says of an option becomes a clause", "[driver]") {
  CHECK(describeOptionError("titan-opt: for the --stop option: Cannot find "
                            "option named 'x'!\n") ==
        "unknown value 'x' of 'stop'");
  CHECK(describeOptionError("t: for the --n option: 'q' value invalid for "
                            "uint argument!\n") ==
        "'n': 'q' value invalid for uint argument");
  CHECK(describeOptionError("<Pass-Options-Parser>: no such option y\n") ==
        "no such option 'y'");
  CHECK(describeOptionError("another error\n").empty());
}

TEST_CASE("the cause stands before the remedy", "[driver]") {
  CHECK(addCause("cannot read 'a'; see b", "c") == "cannot read 'a': c; see b");
  CHECK(addCause("cannot read 'a'", "c") == "cannot read 'a': c");
  CHECK(addCause("cannot read 'a'; see b", "") == "cannot read 'a'; see b");
}

TEST_CASE("the pass of a pipeline is named", "[driver]") {
  CHECK(describePassError("t: for the --compat option: Cannot find option "
                          "named 'x'!\nfailed to add `p` with options "
                          "`compat=x` \n") ==
        "pass 'p' cannot read its options 'compat=x': unknown value 'x' of "
        "'compat'; see --p in --help-mlir");
  CHECK(
      describePassError("'nope' does not refer to a registered pass").empty());
}
