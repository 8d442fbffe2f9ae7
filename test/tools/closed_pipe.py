"""Runs a command whose output nobody reads, and holds that it neither fails nor
complains: closed_pipe.py COMMAND..."""
import os
import subprocess
import sys

ours, theirs = os.pipe()
os.close(ours)
result = subprocess.run(
    sys.argv[1:], stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.PIPE, text=True
)
print(result.stderr, end="")
sys.exit(result.returncode != 0 or bool(result.stderr))
