"""Commands that are stopped go on, and say how far they are."""

import json
import os
import re
import shutil
import signal
import sys
import threading
from pathlib import Path

import pytest
import scipy.sparse as sp
from held import stands_still

from sparsebc.cli import resume
from sparsebc.run import lock, state_file


@pytest.fixture
def network(folder):
    """A file that takes many blocks, in the working directory."""
    n, hops = 1000, (1, 17, 289)
    A = sp.coo_array(sum(sp.eye_array(n, k=k) for k in hops))
    path = folder / "edges.csv"
    lines = (f"{u},{v}\n" for u, v in zip(A.row, A.col, strict=True))
    path.write_text("source,target\n" + "".join(lines))
    return path


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGUSR1"])
def test_signals(run, done, network, name):
    """The command saves, leaves the blocks in hand with 75, and goes on elsewhere."""
    line = ["betweenness", network.name, "-o", "scores.csv", "--device", "cpu", "--workers", "1"]
    line.append("--quiet")
    with stands_still(*line, "--checkpoint", "kept", "--checkpoint-every", "0") as process:
        out = done("status", "kept")
        assert f"running: process {process.pid} on " in out
        assert re.search(r"^sources  \d+ of 1000 \(\d+\.\d%\)$", out, re.M)
        assert re.search(r"^speed    \S+ sources a second$", out, re.M)
        assert re.search(r"^left     \d:\d\d:\d\d from the last save on$", out, re.M)
        before = state_file.header(network.with_name("kept"))["sources"]
        process.send_signal(getattr(signal, name))
        _, err = process.communicate(timeout=60)
    assert process.returncode == 75, err
    assert err == f"sparsebc: stopped by {name}; 'sparsebc resume kept' continues\n"
    after = state_file.header(network.with_name("kept"))["sources"]
    assert 0 < before < after < 1000
    assert "state    stopped; 'sparsebc resume kept' continues" in run("status", "kept")[1]
    assert not network.with_name("scores.csv").exists()
    os.rename("kept", "moved")
    out = done("resume", "moved")
    assert out.startswith("edges.csv: 1000 nodes")
    assert "state    finished" in run("status", "moved")[1]
    want = network.with_name("want.csv")
    done(*line[:2], "-o", want, "--device", "cpu")
    assert want.read_bytes() == network.with_name("scores.csv").read_bytes()


@pytest.mark.parametrize(
    "asked",
    [
        *(["betweenness"], ["edge-betweenness"], ["stress"]),
        *(["percolation", "--states", "states.csv"], ["group", "--nodes", "1", "34"]),
    ],
)
def test_the_same_command_again(run, done, monkeypatch, asked, folder):
    """It goes on too, here from the end; and the run options may differ."""
    (folder / "states.csv").write_text("1,0.5\n34,0.2\n7,0.9\n")
    command, *options = asked
    kept = ["--device", "cpu", "--checkpoint", "a/b", "-o", "scores.csv"]
    line = [command, "karate", *options, *kept]
    done(command, "karate", *options, "--device", "cpu", "-o", "want.csv")
    scores = (folder / "want.csv").read_bytes()
    for more in ([], ["--workers", "1"]):
        done(*line, *more)
        assert (folder / "scores.csv").read_bytes() == scores
        os.remove("scores.csv")
    kept = json.loads((folder / "a" / "b" / "command.json").read_text())
    assert kept == {"arguments": [*line, "--workers", "1"], "folder": str(folder)}
    assert "state    finished" in run("status", "a/b")[1]
    monkeypatch.chdir(folder / "a")
    done("resume", "b")
    assert (folder / "scores.csv").read_bytes() == scores


@pytest.mark.parametrize(
    ("asked", "other", "name"),
    [
        ("betweenness karate", "--endpoints", "endpoints"),
        ("betweenness karate --k 9 --seed 3", "--seed 4", "sources"),
        ("group karate --nodes 1 34", "--nodes 1", "groups"),
    ],
)
def test_another_question_is_refused(run, tmp_path, asked, other, name):
    """By name, and the line that is kept stays."""
    line = [*asked.split(), "--device", "cpu", "--checkpoint", str(tmp_path)]
    assert run(*line)[0] == run(*line)[0] == 0
    before = (tmp_path / "command.json").read_bytes()
    status, _, err = run(*line, *other.split())
    assert status == 1
    assert f"--checkpoint {tmp_path} holds another run, which differs in {name}" in err
    assert (tmp_path / "command.json").read_bytes() == before


def test_ways_to_go_on(run, done, monkeypatch, folder):
    """Options of resume and merge take the place of those of the line; status has JSON."""
    line = ["stress", "karate", "--device", "cpu", "--checkpoint", "kept"]
    done(*line)
    seen = []
    parsed = resume._parsed

    def watched(*arguments):
        seen.append(parsed(*arguments))
        return seen[-1]

    monkeypatch.setattr(resume, "_parsed", watched)
    done("resume", "kept", "--quiet", "--workers", "1")
    done("resume", "kept")
    assert [(bool(each.quiet), each.workers) for each in seen] == [(True, 1), (False, None)]
    record = json.loads(run("status", "kept", "--json")[1])
    assert record["command"] == line
    assert (record["state"], record["sources"]) == ("finished", record["of_sources"])
    assert {"folder", "seconds", "saved", "process", "host"} < set(record)
    done(*line[:-1], "parts", "--part", "1/1")
    record = json.loads(run("status", "parts", "--json")[1])
    assert [(part["part"], part["of"], part["state"]) for part in record["parts"]] == [
        (1, 1, "finished")
    ]
    done("merge", "parts", "--quiet", "--workers", "1")
    assert seen[-1].quiet


ARGUMENTS = ['"stress karate"', '["stress", 3]', '["info"]', '["resume", "kept"]', "[]"]
ARGUMENTS += ['["status", "kept"]', '["stress", "karate"]', '["stress", "karate\\u0000"]']
ARGUMENTS += ['["stress", "\\ud800"]']
HERE = Path.cwd().as_posix()
DAMAGED = [f'{{"arguments": {text}, "folder": "{HERE}"}}' for text in ARGUMENTS]
DAMAGED += [
    f'{{"arguments": ["stress", "karate", "--checkpoint", "kept"], "folder": {text}}}'
    for text in ('""', '"."', '"/\\ud800"', "[]")
]
DAMAGED += [DAMAGED[3][:-1], "[]", '{"arguments": ["stress"]}', "[" * 100_000, "\udcff"]


@pytest.mark.parametrize("text", DAMAGED, ids=range(len(DAMAGED)))
def test_damaged_lines(run, text, folder):
    """Whatever is in the file is refused in one line, and nothing of it is run."""
    (folder / "kept").mkdir()
    (folder / "kept" / "command.json").write_bytes(text.encode(errors="surrogateescape"))
    status, out, err = run("resume", "kept")
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert err.endswith("command.json is damaged: run the command itself again\n")
    assert run("status", "kept")[0] <= 1


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="gives a file away")
@pytest.mark.parametrize("command", ["resume", "merge"])
def test_the_line_of_another_user(run, done, command, folder):
    """It is shown, and run only if that is agreed to."""
    line = ["stress", "karate", "--device", "cpu", "--checkpoint", "kept", "-o", "scores.csv"]
    part, place = [], folder / "kept"
    if command == "merge":
        part, place = ["--part", "1/1"], folder / "kept" / "part-1-of-1"
    done(*line, *part)
    (folder / "scores.csv").unlink(missing_ok=True)
    os.chown(place / "command.json", 65534, 65534)
    status, _, err = run(command, "kept")
    assert status == 1
    assert "command.json belongs to another user, and would run, in " in err
    assert "sparsebc stress karate --device cpu --checkpoint kept -o scores.csv" in err
    assert not (folder / "scores.csv").exists()
    done(command, "kept", "--yes")
    assert (folder / "scores.csv").exists()


@pytest.mark.skipif(os.name == "nt", reason="no links and pipes as here")
def test_a_line_that_was_planted(run, done, folder):
    """It is not written through a link, and nobody waits for a pipe."""
    (folder / "kept").mkdir()
    (folder / "victim").write_text("mine")
    (folder / "kept" / "command.json.part").symlink_to(folder / "victim")
    (folder / "kept" / "command.json").symlink_to(folder / "victim")
    done("stress", "karate", "--device", "cpu", "--checkpoint", "kept")
    assert (folder / "victim").read_text() == "mine"
    os.remove("kept/command.json")
    os.mkfifo("kept/command.json")
    status, _, err = run("resume", "kept")
    assert status == 1
    assert "command.json is a named pipe, where a file is expected: remove it" in err


def test_a_line_that_steers_a_terminal(run, done, folder):
    """It is spelt out."""
    (folder / "edges\x1b[2J.csv").write_text("source,target\na,b\n")
    done("stress", "edges\x1b[2J.csv", "--device", "cpu", "--checkpoint", "kept")
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


def test_a_directory_that_vanishes(run, monkeypatch, folder):
    """The scores are there; that the command is not kept is told."""
    save = state_file.write

    def last(place, header, arrays):
        save(place, header, arrays)
        if header["finished"]:
            shutil.rmtree(place)

    monkeypatch.setattr(state_file, "write", last)
    line = ["stress", "karate", "--device", "cpu", "--checkpoint", "kept", "-o", "scores.csv"]
    status, _, err = run(*line)
    assert status == 0
    assert (folder / "scores.csv").exists()
    assert "the command was not saved" in err


def test_a_directory_in_use(run, tmp_path):
    """By a process that is there."""
    with lock.held(tmp_path):
        status, _, err = run("betweenness", "karate", "--checkpoint", tmp_path, "--device", "cpu")
    assert status == 1
    assert f"--checkpoint {tmp_path} is in use by process {os.getpid()} on " in err


def test_status_of_what_has_not_begun(run, done, folder):
    """A directory whose command was refused keeps its line alone; a file is no directory."""
    (folder / "file").touch()
    assert run("status", "file")[2] == "sparsebc: error: file: there is no such directory\n"
    (folder / "edges.csv").write_text("source,target\na,b\n")
    line = ["stress", "edges.csv", "--sources", "c", "--checkpoint", "kept"]
    assert run(*line)[0] == 1
    out = done("status", "kept")
    assert out.splitlines() == [
        f"command  sparsebc {' '.join(line)}",
        "state    stopped; 'sparsebc resume kept' continues",
    ]
