"""Damaged graphs end in a message, never in a crash or a hang.

  fuzz_import.py TITAN_OPT FILE [--step=97] [--flips=200]

Cuts FILE at every STEP-th byte, and changes, drops and doubles bytes, lines and
brackets at places that a fixed seed chooses. titan-opt may accept what comes
out or refuse it with exit code 1; anything else is a failure.
"""

import argparse
import concurrent.futures
import os
import random
import subprocess
import sys

SECONDS = 20


def damage(text, rng):
    place = rng.randrange(len(text))
    kind = rng.randrange(6)
    if kind == 0:
        return text[:place] + bytes([rng.randrange(256)]) + text[place + 1 :]
    if kind == 1:
        return text[:place] + text[place + rng.randrange(1, 40) :]
    if kind == 2:
        return text[:place] + rng.choice([b"(", b")", b"[", b"]", b"'", b'"', b",", b"=", b"#", b"\n", b";", b":"]) + text[place:]
    lines = text.split(b"\n")
    line = rng.randrange(len(lines))
    if kind == 3:
        del lines[line]
    elif kind == 4:
        lines.insert(line, lines[rng.randrange(len(lines))])
    else:
        lines[line] = lines[line][: rng.randrange(len(lines[line]) + 1)]
    return b"\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("titan_opt")
    parser.add_argument("file")
    parser.add_argument("--step", type=int, default=97)
    parser.add_argument("--flips", type=int, default=200)
    options = parser.parse_args()
    with open(options.file, "rb") as file:
        text = file.read()
    rng = random.Random(2215)
    cases = [(f"cut at byte {n}", text[:n]) for n in range(0, len(text), options.step)]
    cases += [(f"damage {n}", damage(text, rng)) for n in range(options.flips)]

    def check(case):
        name, damaged = case
        try:
            done = subprocess.run([options.titan_opt, "-", "-o", os.devnull], input=damaged, capture_output=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return f"{name}: more than {SECONDS} s"
        if done.returncode not in (0, 1) or (done.returncode == 1 and b"error" not in done.stderr):
            return f"{name}: exit code {done.returncode}: {done.stderr[-300:]!r}"
        return None

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        errors = [error for error in pool.map(check, cases) if error]
    print("\n".join(errors[:50]))
    print(f"{len(cases)} cases, {len(errors)} failures")
    sys.exit(bool(errors))


if __name__ == "__main__":
    main()
