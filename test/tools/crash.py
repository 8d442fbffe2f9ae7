"""Sends a running command the signal of an invalid memory access and prints what
it says: crash.py COMMAND"""
import signal
import subprocess
import sys
import time

process = subprocess.Popen(
    [sys.argv[1], "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
)
deadline = time.monotonic() + 30
while time.monotonic() < deadline:
    with open(f"/proc/{process.pid}/status") as file:
        caught = [line for line in file if line.startswith("SigCgt:")]
    if int(caught[0].split()[1], 16) & 1 << signal.SIGSEGV - 1:
        break
    time.sleep(0.01)
process.send_signal(signal.SIGSEGV)
_, error = process.communicate()
print(error, end="")
print("exit code", process.returncode)
