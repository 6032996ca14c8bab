"""Commands that are stopped go on, and say how far they are."""

import json
import os
import re
import shutil
import signal
import sys
import threading

import numpy as np
import pytest
import scipy.sparse as sp
from held import stands_still

from sparsebc import io
from sparsebc.cli import resume
from sparsebc.run import lock, state_file


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
        before = state_file.header(network.with_name("kept"))["sources"]
        process.send_signal(getattr(signal, name))
        _, err = process.communicate(timeout=60)
    assert process.returncode == 75, err
    assert err == f"sparsebc: stopped by {name}; 'sparsebc resume kept' goes on\n"
    done = state_file.header(network.with_name("kept"))["sources"]
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


def test_ways_to_go_on(run, tmp_path, monkeypatch):
    """Options of resume and merge take the place of those of the line; status has JSON."""
    monkeypatch.chdir(tmp_path)
    line = ["stress", "karate", "--device", "cpu", "--checkpoint", "kept"]
    assert run(*line)[0] == 0
    seen = []
    parsed = resume._parsed

    def watched(*arguments):
        seen.append(parsed(*arguments))
        return seen[-1]

    monkeypatch.setattr(resume, "_parsed", watched)
    assert run("resume", "kept", "--quiet", "--workers", "1")[0] == 0
    assert run("resume", "kept")[0] == 0
    assert [(bool(each.quiet), each.workers) for each in seen] == [(True, 1), (False, None)]
    record = json.loads(run("status", "kept", "--json")[1])
    assert record["command"] == line
    assert (record["state"], record["sources"]) == ("finished", record["of_sources"])
    assert {"folder", "seconds", "saved", "process", "host"} < set(record)
    assert run(*line[:-1], "parts", "--part", "1/1")[0] == 0
    record = json.loads(run("status", "parts", "--json")[1])
    assert [(part["part"], part["of"], part["state"]) for part in record["parts"]] == [
        (1, 1, "finished")
    ]
    assert run("merge", "parts", "--quiet", "--workers", "1")[0] == 0
    assert seen[-1].quiet


@pytest.mark.parametrize(
    "text",
    [
        '{"arguments": [], "folder": "."',
        "[]",
        '{"arguments": "stress karate", "folder": "."}',
        '{"arguments": ["stress", 3], "folder": "."}',
        '{"arguments": ["stress"]}',
        '{"arguments": ["info"], "folder": "."}',
        '{"arguments": ["resume", "kept"], "folder": "."}',
        '{"arguments": ["status", "kept"], "folder": "."}',
        '{"arguments": ["stress", "karate"], "folder": "."}',
        '{"arguments": ["stress", "karate\\u0000"], "folder": "."}',
        "[" * 100_000,
        "\udcff",
    ],
    ids=range(12),
)
def test_damaged_lines(run, tmp_path, monkeypatch, text):
    """Whatever is in the file is refused in one line, and nothing of it is run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "command.json").write_bytes(text.encode(errors="surrogateescape"))
    status, out, err = run("resume", "kept")
    assert (status, out) == (1, "")
    assert err.endswith("command.json is damaged: give the command itself again\n")
    assert err.count("\n") == 1


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="gives a file away")
@pytest.mark.parametrize("command", ["resume", "merge"])
def test_the_line_of_another_user(run, tmp_path, monkeypatch, command):
    """It is shown, and run only if that is agreed to."""
    monkeypatch.chdir(tmp_path)
    line = ["stress", "karate", "--device", "cpu", "--checkpoint", "kept", "-o", "scores.csv"]
    part, place = [], tmp_path / "kept"
    if command == "merge":
        part, place = ["--part", "1/1"], tmp_path / "kept" / "part-1-of-1"
    assert run(*line, *part)[0] == 0
    (tmp_path / "scores.csv").unlink(missing_ok=True)
    os.chown(place / "command.json", 65534, 65534)
    status, _, err = run(command, "kept")
    assert status == 1
    assert "command.json belongs to another user, and would run, in " in err
    assert "sparsebc stress karate --device cpu --checkpoint kept -o scores.csv" in err
    assert not (tmp_path / "scores.csv").exists()
    assert run(command, "kept", "--yes")[0] == 0
    assert (tmp_path / "scores.csv").exists()


@pytest.mark.skipif(os.name == "nt", reason="no links and pipes as here")
def test_a_line_that_was_planted(run, tmp_path, monkeypatch):
    """It is not written through a link, and nobody waits for a pipe."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kept").mkdir()
    (tmp_path / "victim").write_text("mine")
    (tmp_path / "kept" / "command.json.part").symlink_to(tmp_path / "victim")
    (tmp_path / "kept" / "command.json").symlink_to(tmp_path / "victim")
    assert run("stress", "karate", "--device", "cpu", "--checkpoint", "kept")[0] == 0
    assert (tmp_path / "victim").read_text() == "mine"
    os.remove("kept/command.json")
    os.mkfifo("kept/command.json")
    status, _, err = run("resume", "kept")
    assert status == 1
    assert "command.json is a named pipe, where a file is expected: remove it" in err


def test_a_line_that_steers_a_terminal(run, tmp_path, monkeypatch):
    """It is spelt out."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "edges\x1b[2J.csv").write_text("source,target\na,b\n")
    assert run("stress", "edges\x1b[2J.csv", "--device", "cpu", "--checkpoint", "kept")[0] == 0
    out = run("status", "kept")[1]
    assert "\x1b" not in out
    assert "edges\\x1b[2J.csv" in out


def test_a_command_on_another_thread(run, tmp_path):
    """Signals are not its own to hear; it has a checkpoint all the same."""
    found = []
    line = ["stress", "karate", "--device", "cpu", "--checkpoint", tmp_path / "kept", "--quiet"]
    thread = threading.Thread(target=lambda: found.append(run(*line)))
    thread.start()
    thread.join()
    assert found[0][::2] == (0, "")


def test_a_directory_that_vanishes(run, tmp_path, monkeypatch):
    """The scores are there; that the command is not kept is told."""
    monkeypatch.chdir(tmp_path)
    save = state_file.write

    def last(place, header, arrays):
        save(place, header, arrays)
        if header["finished"]:
            shutil.rmtree(place)

    monkeypatch.setattr(state_file, "write", last)
    line = ["stress", "karate", "--device", "cpu", "--checkpoint", "kept", "-o", "scores.csv"]
    status, _, err = run(*line)
    assert status == 0
    assert (tmp_path / "scores.csv").exists()
    assert "the command is not kept" in err


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
