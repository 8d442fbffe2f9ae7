"""Runs every ```console block of the documents it is given, and compares.

  check_doc_console.py TITAN_OPT FILE.md... [--write]

A block is `$ build/bin/titan-opt ...`, run at the root of the repository, and
what that writes to the standard error stream. Result files go elsewhere.
--write replaces what the document says by what was written.
"""

import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.path.normpath(os.path.join(os.path.dirname(__file__), "..", ".."))


def run(titan_opt, command):
    with tempfile.TemporaryDirectory() as scratch:
        command = command.replace("build/bin/titan-opt", titan_opt)
        command = re.sub(r"-o (\S+)", rf"-o {scratch}/\1", command)
        done = subprocess.run(command, shell=True, cwd=SOURCE, capture_output=True, text=True)
    return done.stderr


def main():
    titan_opt, files = sys.argv[1], sys.argv[2:]
    write = "--write" in files
    good = bad = 0
    for path in files:
        if path == "--write":
            continue
        text = open(path).read()

        def check(block):
            nonlocal good, bad
            got = run(titan_opt, block.group(1))
            if got == block.group(2):
                good += 1
            else:
                bad += 1
                print(f"{path}: '{block.group(1)}' says now:\n{got}")
            return f"```console\n$ {block.group(1)}\n{got}```"

        new = re.sub(r"^```console\n\$ (.*)\n((?:.*\n)*?)```", check, text, flags=re.M)
        if write:
            open(path, "w").write(new)
    print(f"commands that say what the documents say: {good} of {good + bad}")
    return 0 if write or (good and not bad) else 1


if __name__ == "__main__":
    sys.exit(main())
