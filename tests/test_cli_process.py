"""The command as a process of its own: signals, encodings, readers that leave."""

import os
import signal
import subprocess
import sys

import pytest

COMMAND = [sys.executable, "-m", "sparsebc"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_control_c(tmp_path):
    """A process that waits for its input ends with 130 and no traceback."""
    pipe = tmp_path / "edges.txt"
    os.mkfifo(pipe)
    with subprocess.Popen(
        [*COMMAND, "betweenness", pipe],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        with open(pipe, "w"):  # opens once the process has opened its end
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "sparsebc: stopped\n")


def test_module_and_encoding(tmp_path):
    """``python -m sparsebc`` is the same program; letters that the output lacks are spelt out."""
    edges = tmp_path / "edges.csv"
    edges.write_text("from,to\na,b\nb,c\nc,東京\n", encoding="utf-8")
    done = subprocess.run(
        [*COMMAND, "betweenness", edges, "--top", "0"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
    )
    assert done.stdout.split("\n\n")[1].splitlines()[-1].split()[1:] == [
        r"\u6771\u4eac",
        "0.00000",
        "1",
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGPIPE")
def test_closed_output():
    """A reader that leaves early, as head does, is no error."""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*COMMAND, "datasets"], stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")
