"""How lit finds and runs the tests under test/.

A test is a .mlir, .test or .txt (FX text) file with a RUN line, outside Inputs/
and unit/. Run one by hand:
  python3 /usr/lib/llvm-22/bin/lit -v build/test --filter=Transforms/apply-sac
With TITAN_OPT_ROUNDTRIP=1 every titan-opt also checks that its output reads
back, as text and as bytecode.
"""

import os
import shutil

import lit.formats
import lit.llvm
from lit.llvm.subst import ToolSubst

lit.llvm.initialize(lit_config, config)
llvm_config = lit.llvm.llvm_config

config.name = "Titan"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".txt"]
config.excludes = ["Inputs", "Integration", "unit", "lib", "tools", "benchmark", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.titan_binary_dir, "test")

config.environment["FILECHECK_OPTS"] = "--enable-var-scope"
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"

# Kernels for GPUs need the toolkit's libdevice, cubins its ptxas; tests that do
# are left out, and counted as unsupported, where there is none.
ptxas = shutil.which("ptxas")
toolkits = [os.environ.get("CUDA_HOME"), "/usr/local/cuda", ptxas and os.path.dirname(os.path.dirname(ptxas))]
for feature, file in [("libdevice", "nvvm/libdevice/libdevice.10.bc"), ("ptxas", "bin/ptxas")]:
    if any(toolkit and os.path.exists(os.path.join(toolkit, file)) for toolkit in toolkits):
        config.available_features.add(feature)
    else:
        lit_config.note(f"there is no CUDA toolkit with '{file}': the tests that need it are left out")
if "CUDA_HOME" in os.environ:
    config.environment["CUDA_HOME"] = os.environ["CUDA_HOME"]

titan_opt = ["--verify-roundtrip"] if "TITAN_OPT_ROUNDTRIP" in os.environ else []
tool_dirs = [config.titan_tools_dir, config.llvm_tools_dir]
llvm_config.add_tool_substitutions(
    [
        ToolSubst("%python", command=config.python, unresolved="fatal"),
        ToolSubst("titan-opt", extra_args=titan_opt, unresolved="fatal"),
        ToolSubst("titan-generate", unresolved="ignore"),
        ToolSubst("titan-run", unresolved="ignore"),
        ToolSubst("FileCheck", unresolved="fatal"),
        ToolSubst("count", unresolved="fatal"),
        ToolSubst("not", unresolved="fatal"),
        ToolSubst("split-file", unresolved="fatal"),
        ToolSubst("mlir-tblgen", unresolved="fatal"),
    ],
    tool_dirs,
)
config.substitutions += [
    # The graphs that the repository ships, the scripts the tests share, and the
    # repository itself, for the tests of its documents.
    ("%inputs", os.path.join(config.test_source_root, "Inputs")),
    ("%tools", os.path.join(config.test_source_root, "tools")),
    ("%source", config.titan_source_dir),
    ("%build", config.titan_binary_dir),
    ("%mlir_include", config.mlir_include_dir),
]
llvm_config.with_environment("PATH", tool_dirs, append_path=True)
