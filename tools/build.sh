#!/bin/sh
# Installs the packages that are missing and builds everything in build/.
# Arguments go to CMake.
set -eu
cd "$(dirname "$0")/.."

tools/install-packages.sh build test
# Nothing is written outside build/, the compiler cache included.
: "${CCACHE_DIR:=$PWD/build/ccache}"
export CCACHE_DIR
cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release "$@"
cmake --build build
