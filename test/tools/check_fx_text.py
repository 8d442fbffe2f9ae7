"""Holds what `titan-opt --emit=fx` writes against the text it read.

  check_fx_text.py TITAN_OPT FOLDER [--allow=N] [--show=N] [--jobs=N]

FOLDER holds graphs as PyTorch printed them, in .txt files.
Every line has to come back as it was, in its place; white space at a line's end
and empty lines do not count. Prints the lines that did not, and exits with 1 if
they are more than N (0 by default), or if a graph cannot be read at all.
"""

import argparse
import concurrent.futures
import difflib
import os
import subprocess
import sys

sys.dont_write_bytecode = True

SECONDS_PER_RUN = 300
# Folders of graphs in forms that the writer does not have.
OTHER_FORMS = {"forms"}


def get_lines(text):
    return [line.rstrip() for line in text.split("\n") if line.strip()]


def compare(options, path):
    """Number of lines of the source, and those that are missing or new."""
    with open(path, encoding="utf-8") as file:
        source = get_lines(file.read())
    command = [options.titan_opt, path, "--emit=fx", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_PER_RUN)
    if done.returncode != 0:
        return len(source), [f"! exit code {done.returncode}: {done.stderr[:300]}"]
    written = get_lines(done.stdout)
    if source == written:
        return len(source), []
    return len(source), [
        line
        for line in difflib.unified_diff(source, written, n=0, lineterm="")
        if line[0] in "+-" and not line.startswith(("+++", "---"))
    ]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("titan_opt")
    parser.add_argument("folder")
    parser.add_argument("--allow", type=int, default=0, help="lines that may differ")
    parser.add_argument("--show", type=int, default=6, help="lines printed of a graph")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    paths = sorted(
        os.path.join(folder, name)
        for folder, _, names in os.walk(options.folder)
        for name in names
        if name.endswith(".txt") and os.path.basename(folder) not in OTHER_FORMS
    )
    lines = wrong = equal = failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for path, (count, differences) in zip(paths, pool.map(lambda path: compare(options, path), paths)):
            lines += count
            # A changed line is one that is missing and one that is new.
            missing = sum(line[0] != "+" for line in differences)
            wrong += max(missing, len(differences) - missing)
            equal += not differences
            failed += any(line[0] == "!" for line in differences)
            for line in differences[: options.show]:
                print(f"{os.path.relpath(path, options.folder)}: {line[:240]}")
    print(f"graphs {len(paths)}, equal {equal}, lines {lines}, differing {wrong}")
    return 0 if paths and not failed and wrong <= options.allow else 1


if __name__ == "__main__":
    sys.exit(main())
