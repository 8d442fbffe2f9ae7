// RUN: titan-opt %s --titan-apply-sac --split-input-file --verify-diagnostics -o /dev/null
// RUN: not titan-opt %s --titan-apply-sac='stop=none save-ops=aten.rellu' --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not titan-opt %s --titan-apply-sac='stop=none save-ops=aten.add' --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=PACKET
// RUN: not titan-opt %s --titan-apply-sac='inherit=getitem,all' --split-input-file -o /dev/null 2>&1 | FileCheck %s --check-prefix=INHERIT

// UNKNOWN: error: unknown op 'aten.rellu'; did you mean 'aten.relu'?
// PACKET: error: expected one overload, found 'aten.add', which stands for several; name one of {{.*}}'aten.add.Tensor'
// INHERIT: expected 'getitem' or 'wait' in inherit, found 'all'

// Edge 1: nothing is returned, so there is no first output to stop at.
func.func @no_output(%x: tensor<4x4xf32>) attributes {titan.joint = 0} {
  %0 = aten.relu %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-error @below {{expected the joint function to return a value, to stop at the first, found none; run apply_sac{stop=none}}}
  return
}
