"""Holds recomputation in one function against what torchtitan recorded.

  check_recompute.py TITAN_OPT COLLECTION [--need=N]

For every step graph with recorded passes: the graph before rematerialisation,
with the tags of a memory policy, goes through titan-recompute-in-place; the names
and order of its ops must be those of the recorded graph behind the pass. Prints
the first difference of every pair that has one.
"""

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

from graph_text import difference, read_fx, read_mlir
from recorded import SECONDS_PER_GRAPH, load

# Recorded pass -> the graph it started from. The tags are the policy's.
PAIRS = {
    "05-remat_full.txt": ("03-deduplicate_fsdp_unshard_chains.txt", "policy_full"),
    "07-remat_eager.txt": ("03-deduplicate_fsdp_unshard_chains.txt", "policy_eager"),
    "10-remat_sac_and_offload.txt": ("09-apply_cpu_offload.txt", "policy_sac_and_offload"),
    "12-remat_default-never.txt": ("03-deduplicate_fsdp_unshard_chains.txt", "policy_default-never"),
    "14-remat_default.txt": ("03-deduplicate_fsdp_unshard_chains.txt", "policy_default"),
}


def find_work(graphs):
    for graph in graphs:
        folder = os.path.dirname(graph.text)
        for after, (before, policy) in PAIRS.items():
            files = [os.path.join(folder, name) for name in (before, after)]
            tags = graph.golden.get("tag_variants", {}).get(policy)
            if tags and all(map(os.path.exists, files)):
                yield graph, policy, tags, files


def write_info(graph, tags, path):
    """What titan-opt is told: the recorded facts, and the policy's tags."""
    info = {key: graph.golden[key] for key in ("num_forward_outputs", "symbols") if key in graph.golden}
    info["tags"] = {name: {"recompute": tag if isinstance(tag, str) else tag[0]} for name, tag in tags.items()}
    # Module paths uncut; the text shortens long ones.
    if "meta" in graph.golden:
        info["meta"] = graph.golden["meta"]
    with open(path, "w") as file:
        json.dump(info, file)


def compare(titan_opt, graph, tags, before, after):
    with tempfile.TemporaryDirectory() as scratch:
        info, output = (os.path.join(scratch, name) for name in ("info.json", "out.mlir"))
        write_info(graph, tags, info)
        command = [titan_opt, before, f"--graph-info={info}", "--titan-recompute-in-place"]
        command += ["--emit=mlir", "--quiet", "-o", output]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_PER_GRAPH)
        if done.returncode:
            return done.stderr.strip().split("\n")[0][-300:]
        with open(output) as file:
            got = read_mlir(file.read())["joint"]
    with open(after) as file:
        return difference(got, read_fx(file.read()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("titan_opt")
    parser.add_argument("collection")
    parser.add_argument("--need", type=int)
    options = parser.parse_args()

    work = list(find_work(load(options.collection)))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda w: compare(options.titan_opt, w[0], w[2], *w[3]), work)
        equal = 0
        for (graph, policy, _, _), difference in zip(work, results):
            equal += difference is None
            if difference:
                print(f"{graph.name} ({policy}): {difference}")
    print(f"recomputation equal to torchtitan's: {equal} of {len(work)}")
    need = len(work) if options.need is None else options.need
    return 0 if work and equal >= need else 1


if __name__ == "__main__":
    sys.exit(main())
