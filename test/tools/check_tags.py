"""Holds the tags that titan-opt's joint passes set against recorded ones.

  check_tags.py TITAN_OPT COLLECTION VARIANT

A record is `tag_variants` of golden.json: variant -> node -> [policy, region],
and `sac`: variant -> the products that apply_sac counted.
"""

import sys

from recorded import VARIANTS, load, run_all


def recorded_tags(graph, variant):
    variants = graph.golden["tag_variants"]
    # Those with a reshard pass are stored as what it changed.
    tags = dict(variants["sac"]) if "+" in variant else {}
    tags.update(variants[variant])
    return {name: list(tag) for name, tag in tags.items() if tag}


def count_errors(graph, report, variant):
    """What the report counts otherwise than the record."""
    want = graph.golden["sac"].get(variant, {})
    got = next(entry for entry in report["passes"] if entry["name"] == "apply_sac")
    return [
        f"{key} is {got.get(key)}, recorded {want[key]}"
        for key in ("mm_found", "mm_saved")
        if key in want and got.get(key) != want[key]
    ]


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
        miscounted = count_errors(graph, report, variant)
        equal += not wrong and not miscounted
        for error in miscounted:
            print(f"{graph.name}: {error}")
        for name in wrong[:5]:
            print(f"{graph.name}: '{name}' has {got.get(name)}, recorded {want.get(name)}")
        if len(wrong) > 5:
            print(f"{graph.name}: and {len(wrong) - 5} more")
    print(f"tags equal to the record: {equal} of {len(graphs)} graphs")
    return 0 if graphs and equal == len(graphs) else 1


if __name__ == "__main__":
    sys.exit(main())
