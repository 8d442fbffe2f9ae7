"""Parses every ```mlir block of the documents it is given with titan-opt.

  check_doc_examples.py TITAN_OPT FILE.md...

A block that only sketches syntax is marked ```text instead.
"""

import re
import subprocess
import sys


def main():
    titan_opt, files = sys.argv[1], sys.argv[2:]
    good = bad = 0
    for path in files:
        text = open(path).read()
        for block in re.finditer(r"^```mlir\n(.*?)^```", text, re.M | re.S):
            line = text[: block.start()].count("\n") + 2
            done = subprocess.run([titan_opt, "-"], input=block.group(1), capture_output=True, text=True)
            if done.returncode:
                bad += 1
                print(f"{path}:{line}: {done.stderr.strip().splitlines()[0]}")
            else:
                good += 1
    print(f"examples that parse: {good} of {good + bad}")
    return 1 if bad or not good else 0


if __name__ == "__main__":
    sys.exit(main())
