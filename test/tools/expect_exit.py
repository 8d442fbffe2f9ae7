"""Runs a command and holds its exit code against the expected one:
expect_exit.py CODE COMMAND...

Passes on what the command prints, its standard error stream first; fails if the
code differs. An empty standard input keeps a command from waiting.
"""
import subprocess
import sys

result = subprocess.run(
    sys.argv[2:], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60
)
print(result.stderr, end="")
print(result.stdout, end="")
if result.returncode != int(sys.argv[1]):
    print(f"expected exit code {sys.argv[1]}, got {result.returncode}")
    sys.exit(1)
