"""What titan-run says on a terminal, and what an interrupt does to it.

  check_terminal.py TITAN_RUN GRAPH ARGUMENTS...

The arguments make the run a long one. On a terminal, a line says how far it
is; a first interrupt ends it with exit code 130, leaves no outputs file and an
error. In a pipe nothing but the error is said.
"""

import os
import pty
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

SECONDS = 60


def read_all(descriptor):
    said = b""
    while True:
        try:
            part = os.read(descriptor, 4096)
        except OSError:
            # What a terminal says when nobody writes to it any more.
            return said
        if not part:
            return said
        said += part


def run_on_terminal(command):
    """(exit code, what was said): interrupted once it says how far it is"""
    reader, writer = pty.openpty()
    process = subprocess.Popen(command, stdout=writer, stderr=writer)
    os.close(writer)
    said = os.read(reader, 4096)
    process.send_signal(signal.SIGINT)
    said += read_all(reader)
    os.close(reader)
    return process.wait(SECONDS), said.decode()


def run_in_pipe(command):
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=SECONDS)
    return process.returncode, said.decode()


def main():
    titan_run, *arguments = sys.argv[1:]
    titan_run = shutil.which(titan_run) or titan_run
    with tempfile.TemporaryDirectory() as scratch:
        command = [titan_run, *arguments, f"--outputs={scratch}/out.safetensors"]
        code, said = run_on_terminal(command)
        assert code == 130, (code, said)
        assert " ops, aten." in said and "\r\x1b[K" in said and "interrupted" in said, said
        code, said = run_in_pipe(command)
        assert code == 130, (code, said)
        assert said == "titan-run: error: interrupted\n", said
        assert os.listdir(scratch) == [], os.listdir(scratch)
    return 0


if __name__ == "__main__":
    sys.exit(main())
