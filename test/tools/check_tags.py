"""Holds the tags that titan-opt's joint passes set against recorded ones.

  check_tags.py TITAN_OPT COLLECTION VARIANT

A record is `tag_variants` of golden.json: variant -> node -> [policy, region].
"""

import sys

from recorded import VARIANTS, load, run_all


def recorded_tags(graph, variant):
    variants = graph.golden["tag_variants"]
    # Those with a reshard pass are stored as what it changed.
    tags = dict(variants["sac"]) if "+" in variant else {}
    tags.update(variants[variant])
    return {name: list(tag) for name, tag in tags.items() if tag}


def main():
    titan_opt, collection, variant = sys.argv[1:]
    graphs = [g for g in load(collection) if variant in g.golden.get("tag_variants", {})]
    equal = 0
    for graph, report, error in run_all(titan_opt, graphs, VARIANTS[variant]):
        if report is None:
            print(f"{graph.name}: failed: {error}")
            continue
        want, got = recorded_tags(graph, variant), report["tags"]
        wrong = [name for name in {**want, **got} if got.get(name) != want.get(name)]
        equal += not wrong
        for name in wrong[:5]:
            print(f"{graph.name}: '{name}' has {got.get(name)}, recorded {want.get(name)}")
        if len(wrong) > 5:
            print(f"{graph.name}: and {len(wrong) - 5} more")
    print(f"tags equal to the record: {equal} of {len(graphs)} graphs")
    return 0 if graphs and equal == len(graphs) else 1


if __name__ == "__main__":
    sys.exit(main())
