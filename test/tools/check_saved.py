"""Holds titan-opt's saved sets against the ones PyTorch recorded: names and order.

  check_saved.py TITAN_OPT COLLECTION [--partitioner=min-cut|default]
                 [--variant=NAME] [--compat=pytorch|pt2.2] [--need=N]

Prints a line for every graph that differs. Exit code 0 if all graphs that can
be judged agree, or at least N of them. A graph cannot be judged where PyTorch
itself failed, or saved a value that the text does not contain.
"""

import argparse
import sys

from recorded import VARIANTS, load, run_all, saved_tensors


def recorded_set(graph, label):
    """What PyTorch saved, or None if the graph cannot be judged."""
    record = graph.golden
    if label:
        record = graph.golden.get("partitioners", {}).get(label)
    if not record or "error" in record or record.get("saved_absent_from_dump"):
        return None
    return [str(name) for name in record["saved"]]


def difference(got, want):
    extra = [name for name in got if name not in set(want)]
    missing = [name for name in want if name not in set(got)]
    if not extra and not missing:
        return f"the same values in another order: {got}, recorded {want}"
    return f"{len(extra)} extra {extra[:4]}, {len(missing)} missing {missing[:4]}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("titan_opt")
    parser.add_argument("collection")
    parser.add_argument("--partitioner", default="min-cut")
    parser.add_argument("--variant", choices=VARIANTS)
    parser.add_argument("--compat", default="pytorch")
    parser.add_argument("--need", type=int)
    options = parser.parse_args()

    label = options.partitioner
    if options.variant:
        label = f"{options.variant}/{label}"
    if options.compat == "pt2.2":
        label = None
    graphs = [g for g in load(options.collection) if recorded_set(g, label) is not None]
    arguments = [f"--partitioner={options.partitioner}", f"--compat={options.compat}"]
    arguments += VARIANTS.get(options.variant, [])

    equal = 0
    for graph, report, error in run_all(options.titan_opt, graphs, arguments):
        want = recorded_set(graph, label)
        got = saved_tensors(report) if report else None
        equal += got == want
        if report is None:
            print(f"{graph.name}: failed: {error}")
        elif got != want:
            print(f"{graph.name}: {difference(got, want)}")
    print(f"equal to PyTorch, names and order: {equal} of {len(graphs)}")
    need = len(graphs) if options.need is None else options.need
    return 0 if graphs and equal >= need else 1


if __name__ == "__main__":
    sys.exit(main())
