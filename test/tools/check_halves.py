"""Holds titan-opt's forward and backward against the ones PyTorch recorded.

  check_halves.py TITAN_OPT COLLECTION [--partitioner=min-cut|default] [--need=N]

Compared are, of each half: the arguments in their order, the ops in their order
with names and operands, and the returned values in their order. Prints
the first difference of every graph that has one. Exit code 0 if all graphs with
recorded halves agree, or at least N of them.
"""

import argparse
import concurrent.futures
import os
import subprocess
import sys
import tempfile

from graph_text import difference, read_fx, read_mlir
from recorded import SECONDS_PER_GRAPH, VARIANTS, load


def find_halves(graph, partitioner):
    """(variant, forward file, backward file) for each recorded pair."""
    folder = os.path.dirname(graph.text)
    pairs = []
    if partitioner == "min-cut":
        pairs.append(("untagged", "forward.txt", "backward.txt"))
    for variant in VARIANTS:
        stem = f"{variant}.{partitioner}"
        pairs.append((variant, f"{stem}.forward.txt", f"{stem}.backward.txt"))
    pairs = [(v, os.path.join(folder, f), os.path.join(folder, b)) for v, f, b in pairs]
    return [p for p in pairs if os.path.exists(p[1])]


def split(titan_opt, graph, partitioner, variant):
    """The two halves as text, or an error."""
    with tempfile.TemporaryDirectory() as scratch:
        output = os.path.join(scratch, "halves.mlir")
        command = [titan_opt, graph.text, *graph.info(), *VARIANTS[variant]]
        command += [f"--partitioner={partitioner}", "--compat=pytorch", "--emit=mlir", "--quiet", "-o", output]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_PER_GRAPH)
        if done.returncode:
            return None, done.stderr.strip().split("\n")[0][-300:]
        with open(output) as file:
            return file.read(), ""


def compare(titan_opt, graph, partitioner, variant, files):
    text, error = split(titan_opt, graph, partitioner, variant)
    if text is None:
        return error
    functions = read_mlir(text)
    for name, path in zip(("forward", "backward"), files):
        with open(path) as file:
            recorded = read_fx(file.read())
        if name not in functions:
            return f"no function '{name}'"
        if found := difference(functions[name], recorded):
            return f"{name}: {found}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("titan_opt")
    parser.add_argument("collection")
    parser.add_argument("--partitioner", default="min-cut")
    parser.add_argument("--need", type=int)
    options = parser.parse_args()

    work = []
    for graph in load(options.collection):
        for variant, *files in find_halves(graph, options.partitioner):
            work.append((graph, variant, files))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(
            lambda item: compare(options.titan_opt, item[0], options.partitioner, item[1], item[2]), work)
        equal = 0
        for (graph, variant, _), difference in zip(work, results):
            equal += difference is None
            if difference:
                print(f"{graph.name} ({variant}): {difference}")
    print(f"halves equal to PyTorch's: {equal} of {len(work)}")
    need = len(work) if options.need is None else options.need
    return 0 if work and equal >= need else 1


if __name__ == "__main__":
    sys.exit(main())
