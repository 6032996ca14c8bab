"""The streams of a command: nothing steers a terminal, none must be there, readers may leave."""

import contextlib
import io as stdio
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from children import python

import sparsebc
from sparsebc.cli import main as cli

# What Python does before the program has its handler, no program can change.
PRESSED = """
import signal, sys, sparsebc.__main__ as program
def install(*handler, signal_signal=signal.signal):
    signal_signal(*handler)
    signal.signal = signal_signal
    print("begun", flush=True)
signal.signal = install
sys.exit(program.main())
"""
EVIL = "x\x1b[31m\x9b1m\u202e\x07"


@pytest.fixture
def folder(folder):
    """A file of edges, one name of which steers terminals, in the folder that is worked in."""
    (folder / "edges.txt").write_text(f"a {EVIL}\n{EVIL} c\n", encoding="utf-8")
    (folder / f"{EVIL}.txt").write_text("a b\nb c\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    "argv",
    [
        ("betweenness", "edges.txt"),
        ("betweenness", "edges.txt", "--json"),
        ("betweenness", "edges.txt", "--sources", "nosuch"),
        ("betweenness", f"{EVIL}.txt", "-v"),
        ("betweenness", f"{EVIL}.nosuch"),
        ("betweenness", f"{EVIL}.txt", "-o", f"{EVIL}.csv"),
        ("betweenness", "edges.txt", "-o", f"{EVIL}"),
        ("betweenness", "edges.txt", "--top", EVIL),
        ("betweenness", "edges.txt", f"--{EVIL}"),
        ("paths", "edges.txt", "--sources", EVIL),
        ("dismantle", "edges.txt", "--steps", "1"),
        ("group", "edges.txt", "--nodes", EVIL),
    ],
    ids=lambda argv: ascii(" ".join(argv)),
)
def test_nothing_printed_steers_a_terminal(run, terminal, folder, argv):
    """Names of nodes and files, and messages that quote them."""
    status, out, err = run(*argv)
    assert status in (0, 1, 2)
    text = out + err
    assert text
    assert {*text} & {*EVIL, "\r"} <= {*"x[31m"}
    if "--json" in argv:
        assert json.loads(out)["rows"][1]["node"] == EVIL


def test_an_internal_error_does_not_steer_a_terminal(run, folder, monkeypatch):
    def fails(*args, **options):
        return {}[EVIL]

    monkeypatch.setattr(sparsebc, "centralities", fails)
    status, _, err = run("betweenness", "edges.txt")
    assert status == 70
    assert "\x1b" not in err


def test_standard_output_without_bytes_gets_the_rows():
    """As a notebook has it."""
    out = stdio.StringIO()
    with contextlib.redirect_stdout(out):
        assert cli.main(["betweenness", "karate", "--quiet"]) == 0
    assert out.getvalue().startswith("node\tbetweenness\n1\t0.437")


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C of Unix")
def test_control_c_at_random_moments_prints_no_traceback():
    """Imports, which make other errors of it, with all else: no traceback, however often."""
    moments = random.Random(3)
    for press in range(36):
        with subprocess.Popen(
            [sys.executable, "-c", PRESSED, "betweenness", "karate", "--weighted"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        ) as process:
            assert process.stdout.readline() == "begun\n"
            time.sleep(moments.uniform(0.01, 0.6))
            for _ in range(1 + press % 3):
                process.send_signal(signal.SIGINT)
                time.sleep(moments.choice([0, 0.001, 0.01]))
            _, err = process.communicate(timeout=60)
        assert process.returncode in (0, 130, -signal.SIGINT)
        assert err in ("", "sparsebc: stopped", "sparsebc: stopped\n")


IGNORED = """
import signal, sys, time, types
from sparsebc import __main__ as program
from sparsebc.cli import main

class Callback:
    def __del__(self):
        {}

def command():
    Callback()  # Python ignores its exceptions
    time.sleep(60)

main.main = command
sys.exit(program.main())
"""
# A second one that Python loses to the default handler; `sys.unraisablehook` alone is told.
LOST = """signal.signal(signal.SIGINT, signal.SIG_DFL)
        error = OSError("Signal 2 ignored due to race condition")
        sys.unraisablehook(types.SimpleNamespace(exc_type=OSError, exc_value=error))"""


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C of Unix")
@pytest.mark.parametrize(
    ("press", "status"),
    [("signal.raise_signal(signal.SIGINT)", 130), (LOST, -signal.SIGINT)],
    ids=["once", "lost"],
)
def test_control_c_in_a_callback_stops_the_command_without_a_word_of_python(press, status):
    done = subprocess.run(
        [sys.executable, "-c", IGNORED.format(press)],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert (done.returncode, done.stdout, done.stderr) == (status, "", "")


@pytest.mark.long
def test_the_module_is_the_program_and_prints_utf_8(tmp_path):
    """``python -m sparsebc`` is the same program; rows are UTF-8, whatever the terminal has."""
    edges = tmp_path / "edges.csv"
    edges.write_text("from,to\na,b\nb,c\nc,東京\n", encoding="utf-8")
    line = ("-m", "sparsebc", "betweenness", edges)
    rows, record = (python(*line, *more, PYTHONIOENCODING="ascii")[0] for more in ((), ["--json"]))
    assert rows.splitlines()[-1] == "東京\t0.0"
    assert json.loads(record)["rows"][-1] == {"node": "東京", "betweenness": 0}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize(
    "line",
    ["--help", "betweenness --help", "--version", "--info", "--datasets", "components karate",
     "betweenness karate --json", "explain karate", "explain karate --json"],
)  # fmt: skip
def test_output_that_nobody_sees_is_an_error(run, monkeypatch, line):
    """An error where output is closed or its disk is full.

    A reader that leaves early, as head does, is none.
    """
    read, write = os.pipe()
    os.close(read)
    told = {"": "standard output is closed", "/dev/full": "standard output: No space left"}
    for place in (*told, write):
        stdout = None if place == "" else open(place, "w", closefd=place != write)
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", stdout)
            status, _, err = run(*line.split())
        assert (status, told.get(place, "") in err) == (int(place in told), True), (place, err)
        with contextlib.suppress(AttributeError, OSError):
            stdout.close()
    os.close(write)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize(
    ("streams", "status"), [(">/dev/full", 1), (">&- 2>/dev/full", 1), ("| true", 0)]
)
def test_the_flush_at_exit_tells_nothing_twice(streams, status):
    """It tells nothing twice, and leaves the exit status alone; with a buffer, as by default."""
    program = [sys.executable, "-m", "sparsebc", "--datasets"]
    line = ["bash", "-c", f'set -o pipefail; "$@" {streams}', "bash", *program]
    how = {"stderr": subprocess.PIPE, "text": True, "check": False, "timeout": 120}
    done = subprocess.run(line, env=os.environ | {"PYTHONUNBUFFERED": ""}, **how)
    told = ["sparsebc: error: standard output: No space left on device"] * ("2>" not in streams)
    assert (done.returncode, done.stderr.splitlines()) == (status, told * status)
