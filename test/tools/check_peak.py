"""Holds the peak of memory that titan-opt predicts against what titan-run counts.

  check_peak.py TITAN_OPT TITAN_RUN FOLDER [--only=PART] [--engine=NAME]
                [--within=PART] [--allow=FILE] [--jobs=N]

FOLDER holds joint.txt files with golden.json beside them, and perhaps
inputs.safetensors (else inputs are drawn from a seed). Every graph is run as
one function, and split and run as two. The two numbers have to be equal, or
with --within to differ by at most that part of the measured one. A run is
named as FOLDER/GRAPH:joint or :split; --allow names runs that may differ and
has to name nothing else. Exit code 0 if all agree.
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

SECONDS_PER_RUN = 300
PEAK = re.compile(r"^peak (\d+) bytes of values, predicted (\d+),", re.MULTILINE)


def run(command):
    """(what a command said, whether it went well)"""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_PER_RUN)
    except subprocess.TimeoutExpired:
        return f"more than {SECONDS_PER_RUN} s", False
    return done.stderr, done.returncode == 0


def check_run(command, within):
    """What is wrong with one run, empty if nothing is."""
    said, ok = run([*command, "--profile"])
    found = PEAK.search(said)
    if not ok or not found:
        errors = [line for line in said.split("\n") if "error" in line]
        return f"failed: {(errors or [said])[0][-240:]}"
    measured, predicted = map(int, found.groups())
    if abs(predicted - measured) <= within * measured:
        return ""
    return f"measured {measured}, predicted {predicted} ({(predicted - measured) / measured:+.2%})"


def check_graph(options, folder):
    """[(name of the run, what is wrong)], or None for what titan-opt refuses"""
    name = os.path.relpath(folder, options.folder)
    graph = os.path.join(folder, "joint.txt")
    inputs = os.path.join(folder, "inputs.safetensors")
    inputs = inputs if os.path.exists(inputs) else "random:1"
    titan_run = [options.titan_run, f"--engine={options.engine}", f"--inputs={inputs}"]
    golden = os.path.join(folder, "golden.json")
    info = [f"--graph-info={golden}"] if os.path.exists(golden) else []
    results = [(f"{name}:joint", check_run([*titan_run, graph, *info, "--function=joint"], options.within))]
    with tempfile.TemporaryDirectory() as scratch:
        halves = os.path.join(scratch, "halves.mlir")
        _, ok = run([options.titan_opt, graph, *info, "--partitioner=min-cut", "--quiet", "-o", halves])
        if ok:
            wrong = check_run([*titan_run, halves, "--function=forward,backward"], options.within)
            results.append((f"{name}:split", wrong))
    return results


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("titan_opt")
    parser.add_argument("titan_run")
    parser.add_argument("folder")
    parser.add_argument("--only", default="")
    parser.add_argument("--engine", default="reference")
    parser.add_argument("--within", type=float, default=0.0)
    parser.add_argument("--allow", default="", help="names of runs that may differ, with commas between")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()

    folders = sorted(
        path
        for path, _, files in os.walk(options.folder)
        if "joint.txt" in files and options.only in path
    )
    allowed = set(filter(None, options.allow.split(",")))
    runs = wrong = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for results in pool.map(lambda folder: check_graph(options, folder), folders):
            runs += len(results)
            for name, problem in results:
                if problem:
                    print(f"{name}: {problem}")
                elif name in allowed:
                    print(f"{name}: agrees, but is allowed to differ")
                    wrong += 1
                wrong += bool(problem) and name not in allowed
    print(f"graphs {len(folders)}, runs {runs}, not as predicted {wrong}, allowed {len(allowed)}")
    return 0 if runs and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
