"""Holds the tags and messages of a memory policy against torchtitan's own.

  check_policy.py TITAN_OPT COLLECTION POLICY

POLICY is `default`, `full`, `eager`, or `default-never`: default without freeing
gathered parameters after the forward. torchtitan tags the graph that its clean-up
passes leave; the record has that text, and per policy the tag of every node and
the lines of the log.
"""

import json
import os
import subprocess
import sys
import tempfile

from recorded import load

CLEANED = "03-deduplicate_fsdp_unshard_chains.txt"


def run(titan_opt, text, golden_file, policy):
    """Tags by node, and standard error."""
    name, _, reshard = policy.partition("-")
    command = [titan_opt, text, f"--graph-info={golden_file}", f"--memory-policy={name}"]
    if reshard:
        command.append(f"--fsdp-reshard-after-forward={reshard}")
    with tempfile.TemporaryDirectory() as scratch:
        report = os.path.join(scratch, "report.json")
        command += [f"--report={report}", "-o", os.devnull]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if done.returncode:
            return None, done.stderr
        with open(report) as file:
            return {node: tag[0] for node, tag in json.load(file)["tags"].items()}, done.stderr


def recorded_log(golden, policy):
    """The tagging pass's own lines."""
    for entry in golden["passes"]:
        if entry["name"] == f"tag_{policy}":
            return [line for line in entry["log"] if not line.startswith("CPU offload")]
    return []


def main():
    titan_opt, collection, policy = sys.argv[1:]
    variant = f"policy_{policy}"
    equal = total = 0
    for graph in load(collection):
        text = os.path.join(os.path.dirname(graph.text), CLEANED)
        want = graph.golden.get("tag_variants", {}).get(variant)
        if not want or not os.path.exists(text):
            continue
        total += 1
        want = {node: tag for node, tag in want.items() if tag}
        got, log = run(titan_opt, text, graph.golden_file, policy)
        if got is None:
            print(f"{graph.name}: failed: {log[-300:]}")
            continue
        wrong = [node for node in {**want, **got} if got.get(node) != want.get(node)]
        missing = [line for line in recorded_log(graph.golden, policy) if line not in log]
        for node in wrong[:5]:
            print(f"{graph.name}: '{node}' has {got.get(node)}, recorded {want.get(node)}")
        for line in missing:
            print(f"{graph.name}: not said: '{line}'")
        equal += not wrong and not missing
    print(f"tags and messages equal to the record: {equal} of {total} graphs")
    return 0 if total and equal == total else 1


if __name__ == "__main__":
    sys.exit(main())
