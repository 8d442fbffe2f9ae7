// One line, two parsers: who gets what, and what is refused.
#include "titan/Tools/CommandLine/CommandLine.h"

#include <catch2/catch.hpp>

using namespace mlir::titan;
using Arguments = std::vector<std::string>;

static CommandLineResult parse(const Arguments &arguments) {
  using Kind = ForeignOptions::Kind;
  ForeignOptions foreign;
  foreign.names = {"cse", "pass-pipeline"};
  foreign.classify = [](const std::string &name) {
    if (name == "cse")
      return Kind::Alone;
    return name == "pass-pipeline" ? Kind::TakesNext : Kind::Unknown;
  };
  return parseCommandLine(arguments, foreign, "titan-opt 1");
}

TEST_CASE("each parser gets its own, the order kept", "[command-line]") {
  CommandLineResult result =
      parse({"-cse", "--partitioner", "min-cut", "in.txt", "--pass-pipeline",
             "builtin.module()", "-o=out.mlir", "--quiet"});
  INFO(result.error);
  REQUIRE_FALSE(result.exit);
  CHECK(result.options.input == "in.txt");
  CHECK(result.options.partitioner == "min-cut");
  CHECK(result.options.output == "out.mlir");
  CHECK(result.options.quiet);
  CHECK(result.options.mlirArguments ==
        Arguments{"-cse", "--pass-pipeline", "builtin.module()"});
}

TEST_CASE("an input may look like an option behind two dashes",
          "[command-line]") {
  CHECK(parse({"--quiet", "--", "--cse"}).options.input == "--cse");
  CHECK(parse({"-"}).options.input == "-");
}

TEST_CASE("what is wrong ends with 2 and one remedy", "[command-line]") {
  auto check = [](const Arguments &arguments, const std::string &part) {
    CommandLineResult result = parse(arguments);
    REQUIRE(result.exit);
    CHECK(*result.exit == kExitUsage);
    INFO(result.error);
    CHECK(result.error.find(part) != std::string::npos);
    CHECK(result.error.find('\n') == std::string::npos);
  };
  check({}, "no input");
  check({"a", "b"}, "expected one input");
  check({"--cze", "a"}, "did you mean '--cse'?");
  check({"--partitioner=mincut", "a"}, "did you mean 'min-cut'?");
  check({"a", "--pass-pipeline"}, "expects a value");
  check({"a", "--num-forward-outputs=two"}, "expected a number");
}

TEST_CASE("requests end with 0 and say something", "[command-line]") {
  for (const char *request : {"--help", "--version", "--completion=bash"}) {
    CommandLineResult result = parse({request});
    REQUIRE(result.exit);
    CHECK(*result.exit == kExitDone);
    CHECK_FALSE(result.output.empty());
  }
  CHECK(parse({"--version"}).output.find("titan-opt 1") == 0);
}
