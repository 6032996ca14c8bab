"""The benchmark of searches: it checks values, and writes what it prints."""

import json

import numpy as np
import pytest

from benchmarks import searches


@pytest.mark.parametrize("task", searches.TASKS)
def test_each_task_agrees_with_its_reference(task, tmp_path, capsys):
    """On the CPU, a graph of some dozen nodes."""
    output = tmp_path / "out.json"
    words = ["--device", "cpu", "--repeats", "2", "--output", str(output)]
    assert searches.main([*words, "--cases", f"{task} rmat-6x4:20"]) == 0
    assert f"{task} rmat-6x4:20: host " in capsys.readouterr().out
    (row,) = json.loads(output.read_text())["cases"]
    assert (row["task"], row["nodes"], len(row["all_seconds"]["host"])) == (task, 64, 2)
    assert row["deviation"] <= searches.TOLERANCE


def test_wrong_values_have_no_time(monkeypatch):
    """A task that deviates from its reference ends the run."""
    right = searches.TASKS["bfs"]
    wrong = right._replace(run=lambda *arguments: [right.run(*arguments)[0] + 1])
    monkeypatch.setitem(searches.TASKS, "bfs", wrong)
    with pytest.raises(RuntimeError, match="bfs rmat-6x4:20: deviates by"):
        searches.measure("bfs rmat-6x4:20", folder=None, where="cpu", repeats=1)


def test_infinities_must_agree():
    """Whatever the finite values are."""
    assert searches._deviation(np.array([1, np.inf]), np.array([1, np.inf])) == 0
    assert searches._deviation(np.array([1, 5.0]), np.array([1, np.inf])) == np.inf
    assert searches._deviation(np.array([1, 5.0]), np.array([1, 4.0])) == 0.25


def test_an_unknown_task_is_refused(capsys):
    """With the names there are."""
    with pytest.raises(SystemExit):
        searches.main(["--device", "cpu", "--cases", "fame rmat-6x4"])
    assert "choose from distances, bfs" in capsys.readouterr().err
