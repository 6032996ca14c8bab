"""Commands that are stopped go on, and say how far they are."""

import json
import os
import re
import signal
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from held import stands_still

from sparsebc import io
from sparsebc.run import lock, slots


@pytest.fixture
def network(tmp_path, monkeypatch):
    """A file that takes seconds, in the working directory."""
    n, hops = 12_000, (1, 17, 289)
    A = sp.coo_array(sum(sp.eye_array(n, k=k) for k in hops))
    path = tmp_path / "edges.csv"
    lines = (f"{u},{v}\n" for u, v in zip(A.row, A.col, strict=True))
    path.write_text("source,target\n" + "".join(lines))
    monkeypatch.chdir(tmp_path)
    return path


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGUSR1"])
def test_signals(run, network, name):
    """The command saves, leaves the blocks in hand with 75, and goes on elsewhere."""
    line = ["betweenness", network.name, "-o", "scores.csv", "--device", "cpu", "--workers", "1"]
    line.append("--quiet")
    with stands_still(*line, "--checkpoint", "kept", "--checkpoint-every", "0") as process:
        status, out, _ = run("status", "kept")
        assert status == 0
        assert f"running: process {process.pid} on " in out
        assert re.search(r"^sources  \d+ of 12000 \(\d+\.\d%\)$", out, re.M)
        assert re.search(r"^speed    \S+ sources a second$", out, re.M)
        assert re.search(r"^left     \d:\d\d:\d\d from the last save on$", out, re.M)
        before = slots.newest(network.with_name("kept"))["sources"]
        process.send_signal(getattr(signal, name))
        _, err = process.communicate(timeout=60)
    assert process.returncode == 75, err
    assert err == f"sparsebc: stopped by {name}; 'sparsebc resume kept' goes on\n"
    done = slots.newest(network.with_name("kept"))["sources"]
    assert 0 < before < done < 12_000
    assert "state    stopped; 'sparsebc resume kept' goes on" in run("status", "kept")[1]
    assert not network.with_name("scores.csv").exists()
    os.rename("kept", "moved")
    status, out, err = run("resume", "moved")
    assert (status, err) == (0, "")
    assert out.startswith("edges.csv: 12000 nodes")
    assert "state    finished" in run("status", "moved")[1]
    want = network.with_name("want.csv")
    assert run(*line[:2], "-o", want, "--device", "cpu")[0] == 0
    assert want.read_bytes() == network.with_name("scores.csv").read_bytes()


@pytest.mark.parametrize("command", ["betweenness", "edge-betweenness", "stress", "percolation"])
def test_the_same_command_again(run, tmp_path, monkeypatch, command):
    """It goes on too, here from the end; and the run options may differ."""
    monkeypatch.chdir(tmp_path)
    states = tmp_path / "states.csv"
    states.write_text("1,0.5\n34,0.2\n7,0.9\n")
    asked = ["--states", str(states)] if command == "percolation" else []
    line = [command, "karate", *asked, "--device", "cpu", "--checkpoint", "a/b", "-o", "scores.csv"]
    first = run(*line)
    assert first[0] == 0
    scores = (tmp_path / "scores.csv").read_bytes()
    os.remove("scores.csv")
    assert run(*line, "--workers", "1")[0] == 0
    assert (tmp_path / "scores.csv").read_bytes() == scores
    kept = json.loads((tmp_path / "a" / "b" / "command.json").read_text())
    assert kept == {"arguments": [*line, "--workers", "1"], "folder": str(tmp_path)}
    os.remove("scores.csv")
    monkeypatch.chdir(tmp_path / "a")
    assert run("resume", "b")[0] == 0
    assert (tmp_path / "scores.csv").read_bytes() == scores


def test_another_question_is_refused(run, tmp_path):
    """By name, and the line that is kept stays."""
    line = ["betweenness", "karate", "--device", "cpu", "--checkpoint", str(tmp_path)]
    assert run(*line)[0] == 0
    before = (tmp_path / "command.json").read_bytes()
    status, _, err = run(*line, "--endpoints")
    assert status == 1
    assert f"--checkpoint {tmp_path} holds another run, which differs in endpoints" in err
    assert (tmp_path / "command.json").read_bytes() == before


def test_a_sample_needs_its_seed(run, tmp_path):
    """With it, it can be repeated."""
    line = ["betweenness", "karate", "--k", "9", "--checkpoint", tmp_path, "--device", "cpu"]
    assert run(*line)[::2] == (
        1,
        "sparsebc: error: --checkpoint: without --seed each run of --k draws other sources; add "
        "one\n",
    )
    assert run(*line, "--seed", "3")[0] == 0
    assert run(*line, "--seed", "3")[0] == 0
    status, _, err = run(*line, "--seed", "4")
    assert status == 1
    assert "differs in sources" in err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (["betweenness", "-", "--checkpoint", "kept"], "standard input can be read only once"),
        (["betweenness", "karate", "--checkpoint", "file"], "this is a file, not a directory"),
        (["resume", "nowhere"], "nowhere: there is no such directory"),
        (["status", "nowhere"], "nowhere: there is no such directory"),
        (["resume", "."], "keeps no command: name a directory of --checkpoint"),
        (["resume", "damaged"], "command.json is damaged: give the command itself again"),
    ],
)
def test_refusals(run, tmp_path, monkeypatch, line, message):
    """In one line."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "command.json").write_text("{")
    status, out, err = run(*line)
    assert (status, out) == (1, "")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("text", ["-1", "x", "nan"])
def test_seconds(run, text):
    """Arguments that are none."""
    status, _, err = run("betweenness", "karate", f"--checkpoint-every={text}")
    assert status == 2
    assert "expected a number of seconds" in err


def test_seconds_without_a_checkpoint(run):
    """They would have no effect."""
    status, _, err = run("betweenness", "karate", "--checkpoint-every", "3")
    assert status == 2
    assert "--checkpoint-every has an effect only with --checkpoint" in err


def test_a_directory_in_use(run, tmp_path):
    """By a process that is there."""
    with lock.held(tmp_path):
        status, _, err = run("betweenness", "karate", "--checkpoint", tmp_path, "--device", "cpu")
    assert status == 1
    assert f"--checkpoint {tmp_path} is in use by process {os.getpid()} on " in err


def test_status_of_what_has_not_begun(run, tmp_path, monkeypatch):
    """A directory whose command was refused keeps its line alone."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "edges.csv").write_text("source,target\na,b\n")
    line = ["stress", "edges.csv", "--sources", "c", "--checkpoint", "kept"]
    assert run(*line)[0] == 1
    status, out, _ = run("status", "kept")
    assert status == 0
    assert out.splitlines() == [
        f"command  sparsebc {' '.join(line)}",
        "state    stopped; 'sparsebc resume kept' goes on",
    ]
    _, names = io.read(tmp_path / "edges.csv")
    assert np.array_equal(names, ["a", "b"])
