#!/bin/sh
# From a bare Debian 12 to a plan: installs the packages that are missing, builds
# build/bin/titan-opt, and plans a training graph of test/Inputs.
set -eu
cd "$(dirname "$0")/.."

tools/build.sh
build/bin/titan-opt --joint-passes=apply_sac --partitioner=min-cut \
  test/Inputs/llama-fsdp/joint.txt -o build/llama-fsdp.mlir
echo "The two functions are in build/llama-fsdp.mlir."
