"""Holds what titan-run computes against what PyTorch computed.

  check_numerics.py TITAN_RUN FOLDER [--engine=NAME] [--only=PART]...
                    [--jobs=N]
                    [--decompose=TITAN_OPT]

FOLDER holds graphs as FOLDER/**/NAME/{joint.txt,inputs,outputs,outputs_f64}
and tolerance.json, as docs/Numerics.md describes them. Prints a line for every
graph that fails and every output over its limit. Exit code 0 if all hold.
With --decompose the graph is first taken apart by inductor_decomposition.
"""

import argparse
import concurrent.futures
import json
import math
import os
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

from tensors import PRECISION, load

SECONDS_PER_GRAPH = 300


def round_to(value, dtype):
    """value, a float of 64 bits, in the nearest number of dtype."""
    if dtype == "F64" or math.isnan(value) or math.isinf(value):
        return value
    code = "e" if dtype == "F16" else "f"
    try:
        narrow = struct.unpack(code, struct.pack(code, value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
    if dtype != "BF16":
        return narrow
    bits = struct.unpack("I", struct.pack("f", narrow))[0]
    bits = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16) << 16
    return struct.unpack("f", struct.pack("I", bits & 0xFFFFFFFF))[0]


def ulp(value, dtype):
    mantissa, least = PRECISION[dtype]
    exponent = math.frexp(value)[1] - 1 if value else least
    return math.ldexp(1.0, max(exponent, least) - mantissa)


def same(a, b):
    return a == b or (a != a and b != b)


def is_exact(want, wide, rule):
    kind = rule.get("kind")
    return kind == "move" or wide is None or (kind == "round" and want.dtype in ("F32", "F64"))


def judge_f64(got, want, rule):
    """A graph in f64 has no wider reference: the bar is its noise."""
    top = max((abs(x) for x in want.values if math.isfinite(x)), default=0.0)
    limit = 4 * max(rule.get("noise", 0.0), 2.0**-52 * top)
    return all(same(g, w) or abs(g - w) <= limit for g, w in zip(got.values, want.values))


def judge_wide(got, want, wide, rule):
    """The most of its limit that an element uses; infinite if one is wrong."""
    per_ulp = math.inf
    if rule["kind"] == "round" or (
        rule["kind"] == "math" and rule.get("max_ulp", 0) <= 16 and "err_over_u_terms" not in rule
    ):
        per_ulp = max(4 * rule.get("max_ulp", 0), 2)
    bar = 4 * max(rule.get("max_abs", 0.0), rule.get("noise", 0.0))
    most = 0.0
    for g, w, r in zip(got.values, want.values, wide.values):
        rounded = round_to(r, want.dtype)
        if not (math.isfinite(rounded) and math.isfinite(w)):
            if not (same(g, w) or same(g, rounded)):
                return math.inf
            continue
        if not math.isfinite(g):
            return math.inf
        unit = ulp(r, want.dtype)
        most = max(most, abs(g - r) / min(bar + unit, per_ulp * unit))
    return most


def judge(got, want, wide, rule):
    """(passes, part of the limit used or None, what is wrong)"""
    if (got.dtype, got.shape) != (want.dtype, want.shape):
        return False, None, f"{got.dtype}{got.shape} instead of {want.dtype}{want.shape}"
    if want.dtype not in PRECISION:
        return got.raw == want.raw, None, "differs"
    if wide is None and want.dtype == "F64" and rule.get("kind") in ("math", "accumulate"):
        return judge_f64(got, want, rule), None, "is over its limit"
    if is_exact(want, wide, rule):
        return all(map(same, got.values, want.values)), None, "differs"
    used = judge_wide(got, want, wide, rule)
    return used <= 1, used, f"uses {used:.1f} of its limit"


def decompose(titan_opt, graph, info, scratch):
    """The file with the decomposed graph, and what went wrong."""
    out = os.path.join(scratch, "decomposed.mlir")
    command = [titan_opt, graph, *info, "--titan-inductor-decomposition", "-o", out]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_PER_GRAPH)
    return out, done.stderr[-240:] if done.returncode else ""


def run_graph(options, folder):
    """(lines to print, outputs, outputs within, most of a limit used)"""
    name = os.path.relpath(folder, options.folder)
    want = load(os.path.join(folder, "outputs.safetensors"))
    wide_file = os.path.join(folder, "outputs_f64.safetensors")
    wide = load(wide_file) if os.path.exists(wide_file) else {}
    with open(os.path.join(folder, "tolerance.json")) as file:
        rules = json.load(file)["outputs"]
    with tempfile.TemporaryDirectory() as scratch:
        out = os.path.join(scratch, "out.safetensors")
        graph, info = os.path.join(folder, "joint.txt"), []
        golden = os.path.join(folder, "golden.json")
        if os.path.exists(golden):
            info = [f"--graph-info={golden}"]
        if options.decompose:
            graph, error = decompose(options.decompose, graph, info, scratch)
            if error:
                return [f"{name}: not decomposed: {error}"], len(want), 0, 0.0
            info = []
        command = [options.titan_run, graph, *info]
        command += [f"--engine={options.engine}", f"--outputs={out}"]
        command += [f"--inputs={folder}/inputs.safetensors"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_PER_GRAPH)
        except subprocess.TimeoutExpired:
            return [f"{name}: more than {SECONDS_PER_GRAPH} s"], len(want), 0, 0.0
        if done.returncode:
            errors = [line for line in done.stderr.split("\n") if "error" in line]
            return [f"{name}: failed: {(errors or ['?'])[0][-240:]}"], len(want), 0, 0.0
        got = load(out)
    lines, within, most = [], 0, 0.0
    for key, tensor in want.items():
        if key not in got:
            lines.append(f"{name}: output {key} is missing")
            continue
        rule = rules.get(key, {})
        passes, used, wrong = judge(got[key], tensor, wide.get(key), rule)
        within += passes
        if passes:
            most = max(most, used or 0.0)
        else:
            lines.append(f"{name}: output {key} ({rule.get('op', rule.get('node'))}, {tensor.dtype}) {wrong}")
    return lines, len(want), within, most


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("titan_run")
    parser.add_argument("folder")
    parser.add_argument("--engine", default="reference")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--decompose", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()

    folders = sorted(
        path
        for path, _, files in os.walk(options.folder)
        if "outputs.safetensors" in files
        and (not options.only or any(part in path for part in options.only))
    )
    good = outputs = within = 0
    most = 0.0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for lines, count, held, used in pool.map(lambda folder: run_graph(options, folder), folders):
            for line in lines:
                print(line)
            good += not lines
            outputs += count
            within += held
            most = max(most, used)
    print(
        f"graphs {good} of {len(folders)}, outputs within {within} of {outputs}, most of a limit used {most:.2f}"
    )
    return 0 if folders and good == len(folders) else 1


if __name__ == "__main__":
    sys.exit(main())
