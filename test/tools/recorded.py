"""Graphs with recorded results, and titan-opt run on them. Shared by check_*.py.

A collection is a folder of folders `NAME/joint.txt` and `NAME/golden.json`, as
record_graphs.py writes them, or, for graphs of the PyTorch 2.2 era, `NNN.txt`
files beside one `goldens.json`.
"""

import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

# The joint passes behind a recorded variant.
VARIANTS = {
    "untagged": [],
    "sac": ["--joint-passes=apply_sac"],
    "sac-nostop": ["--joint-passes=apply_sac{stop=none}"],
    "sac-inherit": ["--joint-passes=apply_sac{stop=none inherit=getitem,wait}"],
    "sac+reshard": ["--joint-passes=apply_sac", "--fsdp-reshard-after-forward=always"],
    "sac+noreshard": ["--joint-passes=apply_sac", "--fsdp-reshard-after-forward=never"],
}

SECONDS_PER_GRAPH = 120


class Graph:
    """One graph with its record; `golden` is None where there is none."""

    def __init__(self, name, text, golden=None, golden_file=None):
        self.name, self.text, self.golden, self.golden_file = name, text, golden, golden_file

    def info(self):
        """The arguments that tell titan-opt what the text does not carry."""
        if self.golden_file:
            return [f"--graph-info={self.golden_file}"]
        if self.golden:
            return [f"--num-forward-outputs={self.golden['num_forward_outputs']}"]
        return []


def load(folder):
    """All graphs of a collection, by name."""
    single = os.path.join(folder, "goldens.json")
    if os.path.exists(single):
        with open(single) as file:
            goldens = json.load(file)
        return [Graph(k, os.path.join(folder, f"{k}.txt"), v) for k, v in sorted(goldens.items())]
    graphs = []
    for name in sorted(os.listdir(folder)):
        golden_file = os.path.join(folder, name, "golden.json")
        if os.path.exists(golden_file):
            with open(golden_file) as file:
                golden = json.load(file)
            graphs.append(Graph(name, os.path.join(folder, name, "joint.txt"), golden, golden_file))
    return graphs


def run(titan_opt, graph, arguments):
    """titan-opt's JSON report on a graph, and the last line of its error."""
    with tempfile.TemporaryDirectory() as scratch:
        report = os.path.join(scratch, "report.json")
        command = [titan_opt, graph.text, *graph.info(), *arguments]
        command += [f"--report={report}", "--quiet", "-o", os.devnull]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_PER_GRAPH)
        except subprocess.TimeoutExpired:
            return None, f"more than {SECONDS_PER_GRAPH} s"
        if done.returncode:
            lines = [line for line in done.stderr.split("\n") if "error" in line] or [done.stderr.strip()]
            return None, f"exit code {done.returncode}: {lines[0][-300:]}"
        with open(report) as file:
            return json.load(file), ""


def run_all(titan_opt, graphs, arguments):
    """(graph, report, error) of every graph, in order; `arguments` may be a
    function of the graph."""
    pick = arguments if callable(arguments) else lambda graph: arguments
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda graph: run(titan_opt, graph, pick(graph)), graphs)
        return [(graph, *result) for graph, result in zip(graphs, results)]


def saved_tensors(report):
    """Names of the saved tensors, in the order of the backward's inputs."""
    saved = report["partition"]["saved"]
    return [value["name"] for value in saved if value["kind"] in ("value", "argument")]
