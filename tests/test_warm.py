"""Forks of the interpreter beside the tests are what a Python of its own would be."""

import os
import re
import signal
import subprocess
import sys

import pytest
import warm

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGKILL]
FIRST = "import atexit, os, sys, threading\n"
SCRIPTS = (
    "sys.exit(3)",
    "sys.exit('no')",
    "1 / 0",
    *(f"os.kill(os.getpid(), {int(number)}); input()" for number in SIGNALS),
    "atexit.register(print, 'end'); threading.Timer(0.1, print, ['late']).start()",
    "print(sys.argv, sys.path[0], __name__, os.getcwd(), os.getenv('OF_TEST'))",
    "print(input(), sys.stdout.seekable(), os.stat(7).st_size, file=sys.stderr)",
)


@pytest.mark.skipif(os.name != "posix", reason="shells of Unix")
@pytest.mark.parametrize(
    "ways", ["<in", "<in >out", "<&-", "<in >&-", "<in 2>&-", "<in >/dev/full"]
)
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_child_is_as_any(tmp_path, script, ways):
    """Its status, streams and descriptors, words, folder and environment."""
    (tmp_path / "in").write_text("first\nsecond\n")
    told = []
    for python in (warm.python(), [sys.executable]):
        line = ["bash", "-c", f'"$@" {ways} 7<in; echo $?; cat o 2>&1', "bash", *python]
        done = subprocess.run(
            [*line, "-c", FIRST + script, "a b"], capture_output=True, text=True, cwd=tmp_path,
            env=os.environ | {"OF_TEST": "1", "PYTHONUNBUFFERED": ""}, check=False,
        )  # fmt: skip
        errors = re.sub(r"line 1: +\d+", "", done.stderr)  # where bash names the process
        told.append((done.stdout, errors.splitlines()[-1:]))
    assert told[0] == told[1]


@pytest.mark.skipif(os.name != "posix", reason="no signals")
@pytest.mark.parametrize("number", SIGNALS)
def test_signals_that_come_from_outside(number):
    """They reach the child, which ends of them."""
    hears = "signal.signal(signal.SIGINT, signal.default_int_handler)"  # background jobs ignore it
    code = f"import signal, sys; {hears}; print('begun', flush=True); sys.stdin.read()"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([*warm.python(), "-c", code], **pipes) as child:
        assert child.stdout.readline() == b"begun\n"
        child.send_signal(number)
        assert child.wait(timeout=60) == -number
        assert child.stdout.read() == b""  # nobody holds its other end any more
