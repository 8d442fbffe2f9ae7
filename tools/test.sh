#!/bin/sh
# Installs the packages that are missing, builds everything, passes every test
# but the slow ones. Arguments go to ctest in their place: tools/test.sh -L slow
set -eu
cd "$(dirname "$0")/.."

tools/build.sh
[ $# -gt 0 ] || set -- -LE slow
ctest --test-dir build --output-on-failure --no-tests=error "$@"
