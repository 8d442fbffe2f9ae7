"""Whether a file is a trace in Chrome's format that makes sense.

  check_trace.py FILE.json [--depth=N] [--threads=N] OP...

No time is negative, the events of a track nest or follow one another, every
track has a name, and an op of every name OP is there, with a place. With
--depth, ops are nested so deep; with --threads, parts ran on so many tracks
where the machine has as many cores.
"""

import argparse
import json
import os
import sys

sys.dont_write_bytecode = True

# Microseconds: a nanosecond is what the clock tells.
SLACK = 0.0015


def measure_depth(track):
    """How deep the events of a track nest; complains of those that overlap."""
    deepest, ends = 0, []
    for start, end, name in sorted(track, key=lambda event: (event[0], -event[1])):
        while ends and ends[-1] <= start + SLACK:
            ends.pop()
        assert not ends or end <= ends[-1] + SLACK, f"{name} outlives what it is in"
        ends.append(end)
        deepest = max(deepest, len(ends))
    return deepest


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("ops", nargs="*")
    parser.add_argument("--depth", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_intermixed_args()
    with open(options.file) as file:
        events = json.load(file)["traceEvents"]
    tracks, named, found = {}, set(), set()
    for event in events:
        if event["ph"] == "M":
            named.add((event["pid"], event["tid"]))
        elif event["ph"] == "C":
            assert event["ts"] >= 0 and event["args"]["bytes"] >= 0
        else:
            assert event["ph"] == "X", event
            assert event["ts"] >= 0 and event["dur"] >= 0, event
            end = event["ts"] + event["dur"]
            tracks.setdefault((event["pid"], event["tid"]), []).append((event["ts"], end, event["name"]))
            if event["cat"] == "op" and event["args"]["location"]:
                found.add(event["name"])
    assert tracks and named == set(tracks), (named, set(tracks))
    assert set(options.ops) <= found, found
    # The first track has ops inside of ops, and parts inside of ops.
    assert max(map(measure_depth, tracks.values())) >= options.depth
    if (os.cpu_count() or 1) >= options.threads:
        assert len(tracks) >= options.threads, set(tracks)
    return 0


if __name__ == "__main__":
    sys.exit(main())
