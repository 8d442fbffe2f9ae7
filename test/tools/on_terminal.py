"""Runs a command with a terminal as its standard output and passes on what
comes: on_terminal.py COMMAND..."""
import os
import subprocess
import sys

ours, theirs = os.openpty()
process = subprocess.Popen(
    sys.argv[1:], stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.DEVNULL
)
os.close(theirs)
while True:
    try:
        data = os.read(ours, 1 << 16)
    except OSError:  # The other side is closed.
        break
    if not data:
        break
    sys.stdout.write(data.decode().replace("\r\n", "\n"))
sys.exit(process.wait())
