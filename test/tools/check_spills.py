"""Assembles the kernels of recorded graphs and holds them to no spilled register.

  check_spills.py TITAN_OPT PTXAS FOLDER [--target=ARCH]... [--only=PART]...
                  [--need=N]

Prints a line for every graph whose kernels spill or do not assemble, and the
most registers a kernel takes. Graphs with ops that have no kernel are counted
and left out; at least N have to be assembled.
"""

import argparse
import concurrent.futures
import glob
import os
import re
import subprocess
import sys
import tempfile

SECONDS_PER_GRAPH = 300


def assemble(options, path, target):
    """(what is wrong, kernels, most registers); kernels is 0 if left out."""
    name = f"{os.path.relpath(path, options.folder)} for {target}"
    with tempfile.TemporaryDirectory() as scratch:
        command = [options.titan_opt, path, "--emit=ptx", f"--target={target}", "-o", scratch, "--quiet"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_PER_GRAPH)
        if done.returncode:
            known = "there are no kernels for" in done.stderr
            return ([] if known else [f"{name}: {done.stderr.strip()[-240:]}"]), 0, 0
        wrong, kernels, registers = [], 0, 0
        for ptx in sorted(glob.glob(os.path.join(scratch, "*.ptx"))):
            command = [options.ptxas, "-v", f"--gpu-name={target}", ptx, "-o", os.devnull]
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_PER_GRAPH)
            if done.returncode:
                wrong.append(f"{name}: ptxas: {done.stderr.strip()[:240]}")
                continue
            text = done.stderr + done.stdout
            for entry in re.split(r"Compiling entry function ", text)[1:]:
                kernels += 1
                registers = max(registers, int(re.search(r"Used (\d+) registers", entry)[1]))
                for count, what in re.findall(r"(\d+) bytes (spill stores|spill loads)", entry):
                    if int(count):
                        wrong.append(f"{name}: {entry.split()[0]}: {count} bytes of {what}")
        return wrong, kernels, registers


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("titan_opt")
    parser.add_argument("ptxas")
    parser.add_argument("folder")
    parser.add_argument("--target", action="append")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--need", type=int, default=1)
    options = parser.parse_args()

    graphs = sorted(
        path
        for path in glob.glob(os.path.join(options.folder, "**", "joint.txt"), recursive=True)
        if not options.only or any(part in path for part in options.only)
    )
    jobs = [(path, target) for path in graphs for target in options.target or ["sm_80"]]
    bad = assembled = kernels = registers = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for wrong, count, most in pool.map(lambda job: assemble(options, *job), jobs):
            for line in wrong:
                print(line)
            bad += bool(wrong)
            assembled += count != 0
            kernels += count
            registers = max(registers, most)
    print(
        f"graphs {len(jobs)}, assembled {assembled}, with spills or errors {bad}, "
        f"kernels {kernels}, most registers {registers}"
    )
    return 0 if not bad and assembled >= options.need else 1


if __name__ == "__main__":
    sys.exit(main())
