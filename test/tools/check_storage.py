"""Checks that Titan's own rules never keep more storage than PyTorch's.

  check_storage.py TITAN_OPT COLLECTION [--tagged=GRAPH:VALUE+VALUE ...]

Compares `saved_storage_bytes` of --compat=titan and --compat=pytorch graph by
graph and prints both totals. --tagged names the values of a graph whose tag
Titan honours and PyTorch ignores. Titan may keep more by the bytes of those of
them that it does save for their tag and PyTorch does not save, and by no more.
"""

import argparse
import sys

from recorded import load, run_all


def excess_of_tags(names, ours, theirs):
    """Bytes of the values in `names` that only Titan saves, because of a tag."""
    kept = {value["name"] for value in theirs["saved"]}
    return sum(
        value["bytes"]
        for value in ours["saved"]
        if value["name"] in names and value["name"] not in kept and "marked must_save" in value["reason"]
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("titan_opt")
    parser.add_argument("collection")
    parser.add_argument("--tagged", action="append", default=[])
    options = parser.parse_args()
    tagged = {graph: names.split("+") for graph, names in (text.split(":") for text in options.tagged)}

    graphs = load(options.collection)
    partition_of = {}
    failed = 0
    for compat in ("titan", "pytorch"):
        arguments = ["--partitioner=min-cut", f"--compat={compat}"]
        for graph, report, error in run_all(options.titan_opt, graphs, arguments):
            if report is None:
                failed += 1
                print(f"{graph.name}: failed under {compat}: {error}")
            else:
                partition_of[compat, graph.name] = report["partition"]

    totals = {"titan": 0, "pytorch": 0}
    judged = worse = smaller = 0
    for graph in graphs:
        partitions = [partition_of.get((compat, graph.name)) for compat in totals]
        if None in partitions:
            continue
        ours, theirs = (partition["saved_storage_bytes"] for partition in partitions)
        judged += 1
        totals["titan"] += ours
        totals["pytorch"] += theirs
        smaller += ours < theirs
        if ours > theirs:
            names = tagged.get(graph.name, [])
            forced = ours - theirs <= excess_of_tags(names, *partitions)
            worse += not forced
            reason = f" (tags on {', '.join(names)})" if forced else ""
            print(f"{graph.name}: {ours} B, PyTorch {theirs} B{reason}")
    print(
        f"saved storage of {judged} graphs: titan {totals['titan']} B, "
        f"pytorch {totals['pytorch']} B; less on {smaller} graphs, more on {worse}"
    )
    return 0 if judged and not worse and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
