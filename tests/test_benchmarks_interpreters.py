"""A peer may live in another Python: one that is named, tried first, and skipped where it fails."""

import json
import sys

import numpy as np
import pytest

from benchmarks import __main__ as command
from benchmarks import interpreters, peers, runner

BROKEN = {
    "lacks": (f'exec "{sys.executable}" -E -S "$@"', "code 1: ModuleNotFoundError: No module"),
    "crashes": ("kill -SEGV $$", "ended with code -11"),
    "gives up": ("exit 3", "ended with code 3"),
    "hangs": ("exec sleep 60", "took more than 0.5 s"),
}


@pytest.fixture
def script(tmp_path):
    """Make a command of some lines of shell, and return its path."""

    def make(lines):
        path = tmp_path / "python3"
        path.write_text(f"#!/bin/sh\n{lines}\n")
        path.chmod(0o755)
        return str(path)

    return make


@pytest.fixture
def clean(monkeypatch):
    """Without the variables that whoever runs the tests may have set."""
    for name in interpreters.MODULES:
        monkeypatch.delenv(interpreters.variable(name), raising=False)
    interpreters.why_not.cache_clear()


@pytest.mark.parametrize(("lines", "reason"), BROKEN.values(), ids=BROKEN)
def test_a_python_without_the_library_is_skipped(
    lines, reason, script, clean, tmp_path, monkeypatch, capfd
):
    """The case has its row, the peer its reason; nothing else is printed."""
    if lines.startswith("exec sleep"):
        monkeypatch.setattr(interpreters, "PATIENCE", 0.5)
    output = tmp_path / "out.json"
    words = ["--cases", "mesh-3x4", "--repeats", "1", "--bandwidth-gbs", "10"]
    words += ["--peers", "graph-tool", "--python", f"graph-tool={script(lines)}"]
    assert command.main([*words, "--output", str(output)]) == 0
    record = json.loads(output.read_text())
    found = record["cases"][0]["results"]["graph-tool"]
    assert (found["state"], found["median_seconds"]) == ("skipped", None)
    assert found["note"].startswith("python3 ")
    assert reason in found["note"]
    assert "--python graph-tool=python3" in record["command"]
    assert str(tmp_path) not in output.read_text()
    printed = capfd.readouterr()
    assert f"graph-tool skipped: {found['note']} (mesh-3x4)" in printed.out
    assert "Traceback" not in printed.err


def test_a_python_that_is_not_there_is_skipped(clean, tmp_path):
    """Neither by path nor by name; nor is a folder or a file that is no program one."""
    (tmp_path / "text").write_text("")
    for python in (tmp_path / "absent", "no-such-python", tmp_path, tmp_path / "text"):
        library = runner.Library("graph-tool", tmp_path, python=str(python))
        library.close()
        assert library.state == "skipped"
        assert library.note.startswith(f"{getattr(python, 'name', python)}: ")


def test_the_python_named_runs_the_peer(script, clean, tmp_path, monkeypatch):
    """The option before the environment, and that before our own; a relative path is ours."""
    pytest.importorskip("networkx")
    used = tmp_path / "used"
    python = script(f'echo "$@" >> "{used}"; exec "{sys.executable}" "$@"')
    variable = interpreters.variable("networkx")
    assert (variable, interpreters.variable("graph-tool")) == (
        "SPARSEBC_NETWORKX_PYTHON",
        "SPARSEBC_GRAPH_TOOL_PYTHON",
    )
    assert interpreters.find("networkx") == sys.executable
    monkeypatch.setenv(variable, python)
    assert interpreters.find("networkx", "other") == "other"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(variable, "./python3")
    assert interpreters.find("networkx") == python
    star = np.array([0, 2, 3, 4], np.int32), np.array([1, 2, 0, 0], np.int32)
    peers.Graph(*star, False, None).save(tmp_path / "graph.npz")
    library = runner.Library("networkx", tmp_path)
    assert library.run("float64"), library.note
    library.close()
    assert library.scores().tolist() == [1, 0, 0]
    assert "-m benchmarks.peers networkx" in used.read_text()


def test_ours_runs_in_this_python(clean, monkeypatch):
    """Whatever the environment says."""
    monkeypatch.setenv(interpreters.variable(peers.OURS), "other")
    assert interpreters.find(peers.OURS) == sys.executable
    assert not interpreters.why_not(peers.OURS, sys.executable)
    assert set(interpreters.MODULES) < set(peers.PEERS)
