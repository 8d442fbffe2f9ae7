"""Checks that Titan's own rules never keep more storage than PyTorch's.

  check_storage.py TITAN_OPT COLLECTION [--allow=NAME,...]

Compares `saved_storage_bytes` of --compat=titan and --compat=pytorch graph by
graph and prints both totals. --allow names graphs where Titan must keep more,
because it honours a tag that PyTorch ignores.
"""

import argparse
import sys

from recorded import load, run_all


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("titan_opt")
    parser.add_argument("collection")
    parser.add_argument("--allow", default="")
    options = parser.parse_args()

    graphs = load(options.collection)
    bytes_of = {}
    failed = 0
    for compat in ("titan", "pytorch"):
        arguments = ["--partitioner=min-cut", f"--compat={compat}"]
        for graph, report, error in run_all(options.titan_opt, graphs, arguments):
            if report is None:
                failed += 1
                print(f"{graph.name}: failed under {compat}: {error}")
            else:
                bytes_of[compat, graph.name] = report["partition"]["saved_storage_bytes"]

    totals = {"titan": 0, "pytorch": 0}
    judged = worse = smaller = 0
    for graph in graphs:
        ours, theirs = (bytes_of.get((compat, graph.name)) for compat in totals)
        if ours is None or theirs is None:
            continue
        judged += 1
        totals["titan"] += ours
        totals["pytorch"] += theirs
        smaller += ours < theirs
        if ours > theirs:
            allowed = graph.name in options.allow.split(",")
            worse += not allowed
            print(f"{graph.name}: {ours} B, PyTorch {theirs} B" + (" (a tag asks for it)" if allowed else ""))
    print(
        f"saved storage of {judged} graphs: titan {totals['titan']} B, "
        f"pytorch {totals['pytorch']} B; less on {smaller} graphs, more on {worse}"
    )
    return 0 if judged and not worse and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
