#!/bin/sh
# Installs the packages that are missing, builds everything, passes every test.
# Arguments go to ctest: tools/test.sh -R lit
set -eu
cd "$(dirname "$0")/.."

tools/build.sh
ctest --test-dir build --output-on-failure --no-tests=error "$@"
