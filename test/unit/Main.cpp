// Catch2's main function, in a file of its own: it takes 20 s to compile.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
