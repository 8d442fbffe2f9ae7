"""Holds the split run of a graph against its joint run, byte for byte.

  check_split.py TITAN_OPT TITAN_RUN FOLDER [--only=PART] [--quick]
                 [--engine=NAME] [--allow=NAME,...] [--jobs=N]

FOLDER holds joint.txt files with golden.json beside them, and perhaps
inputs.safetensors (else inputs are drawn from a seed). Every graph is run as
one function, then split with each partitioner, set of rules and joint pass and
run as two; both write the same file. Exit code 0 if they do for all that
titan-opt splits; what it refuses (tags that leave no legal plan) is listed.
"""

import argparse
import concurrent.futures
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

SECONDS_PER_RUN = 300
SAC = "titan-apply-sac"
INHERIT = "titan-apply-sac{stop=none inherit=getitem,wait}"
# Partitioner, rules, joint pass.
COMBINATIONS = [
    ("min-cut", "titan", None),
    ("min-cut", "pytorch", None),
    ("default", "titan", None),
    ("default", "pytorch", None),
    ("min-cut", "titan", SAC),
    ("min-cut", "pytorch", SAC),
    ("default", "titan", INHERIT),
]
QUICK = [COMBINATIONS[0], COMBINATIONS[3], COMBINATIONS[4]]


def run(command):
    """The error of a command, empty if it went well."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_PER_RUN)
    except subprocess.TimeoutExpired:
        return f"more than {SECONDS_PER_RUN} s"
    if done.returncode == 0:
        return ""
    errors = [line for line in done.stderr.split("\n") if "error" in line]
    return f"exit code {done.returncode}: {(errors or [done.stderr])[0][-240:]}"


def read(path):
    with open(path, "rb") as file:
        return file.read()


def check_graph(options, folder):
    """Lines on what differs, lines on what titan-opt refused, splits made."""
    name = os.path.relpath(folder, options.folder)
    graph = os.path.join(folder, "joint.txt")
    inputs = os.path.join(folder, "inputs.safetensors")
    inputs = inputs if os.path.exists(inputs) else "random:1"
    titan_run = [options.titan_run, f"--engine={options.engine}", f"--inputs={inputs}"]
    golden = os.path.join(folder, "golden.json")
    info = [f"--graph-info={golden}"] if os.path.exists(golden) else []
    lines, refused = [], []
    with tempfile.TemporaryDirectory() as scratch:
        joint, split = (os.path.join(scratch, f"{part}.safetensors") for part in ("joint", "split"))
        error = run([*titan_run, graph, *info, "--function=joint", f"--outputs={joint}"])
        if error:
            return [f"{name}: the joint run failed: {error}"], [], 0
        combinations = QUICK if options.quick else COMBINATIONS
        for partitioner, compat, joint_pass in combinations:
            label = " ".join(filter(None, [partitioner, compat, joint_pass]))
            halves = os.path.join(scratch, "halves.mlir")
            passes = [joint_pass] if joint_pass else []
            passes.append(f"titan-partition{{partitioner={partitioner} compat={compat}}}")
            pipeline = f"--pass-pipeline=builtin.module({','.join(passes)})"
            error = run([options.titan_opt, graph, *info, pipeline, "-o", halves])
            if error and not error.startswith("exit code 1:"):
                lines.append(f"{name} [{label}]: {error}")
                continue
            if error:
                refused.append(f"{name} [{label}]: not split: {error}")
                continue
            halves_run = [*titan_run, halves, "--function=forward,backward"]
            error = run([*halves_run, f"--outputs={split}"])
            if error:
                lines.append(f"{name} [{label}]: the split run failed: {error}")
            elif read(split) != read(joint):
                difference = subprocess.run(
                    [*halves_run, f"--compare={joint}"],
                    capture_output=True,
                    text=True,
                ).stderr.split("\n")[0]
                lines.append(f"{name} [{label}]: {difference or 'other keys'}")
    return lines, refused, len(combinations) - len(refused)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("titan_opt")
    parser.add_argument("titan_run")
    parser.add_argument("folder")
    parser.add_argument("--only", default="")
    parser.add_argument("--engine", default="reference")
    parser.add_argument("--quick", action="store_true", help="three combinations instead of all")
    parser.add_argument("--allow", default="", help="graphs that are known to differ")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    allowed = tuple(filter(None, options.allow.split(","))) or ("\0",)

    folders = sorted(
        path
        for path, _, files in os.walk(options.folder)
        if "joint.txt" in files and "golden.json" in files and options.only in path
    )
    splits = wrong = refusals = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for lines, refused, count in pool.map(lambda folder: check_graph(options, folder), folders):
            for line in lines + refused:
                print(line)
            splits += count
            refusals += len(refused)
            wrong += sum(not line.startswith(allowed) for line in lines)
    print(f"graphs {len(folders)}, splits {splits}, refused {refusals}, not equal to the joint run {wrong}")
    return 0 if folders and splits and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
