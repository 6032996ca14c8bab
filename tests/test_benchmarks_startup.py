"""The benchmark of starting: it runs whole processes, and writes what it prints."""

import json

import pytest

from benchmarks import startup


@pytest.mark.slow
def test_what_it_writes(tmp_path, capsys):
    """All tasks run; what a task takes beyond another is told, with its goal."""
    output = tmp_path / "out.json"
    assert startup.main(["--repeats", "1", "--output", str(output)]) == 0
    record = json.loads(output.read_text())
    assert record["command"] == "python -m benchmarks.startup --repeats 1 --output out.json"
    rows = {row["task"]: row for row in record["cases"]}
    assert rows.keys() == startup.TASKS.keys()
    assert all(len(row["all_seconds"]) == 1 for row in rows.values())
    ours, theirs = rows["import sparsebc"], rows[startup.LIBRARIES]
    assert ours["seconds"] == ours["median_seconds"] - theirs["median_seconds"]
    assert (ours["goal_seconds"], rows["sparsebc --help"]["goal_seconds"]) == (0.06, 0.3)
    assert rows["sparsebc --help"]["seconds"] == rows["sparsebc --help"]["median_seconds"]
    assert "sparsebc --help" in capsys.readouterr().out


@pytest.mark.parametrize(("seconds", "judged"), [(0.06, "met"), (0.061, "missed")])
def test_a_goal_is_judged(seconds, judged):
    """By what is left beyond the other task."""
    row = {"task": "a", "median_seconds": 1.0, "beyond": "b", "seconds": seconds}
    words = startup.line(row | {"goal_seconds": 0.06}).split()
    assert words == ["a", "1.000", f"+{seconds:.3f}", "0.06", judged]
    assert startup.line(row | {"beyond": None, "goal_seconds": None}).split() == ["a", "1.000", "-"]


def test_a_process_that_fails_has_no_time():
    """The message has the command and what it said last."""
    tasks = {"absent": startup.Task(("-c", "import sparsebc.nothing"))}
    with pytest.raises(RuntimeError, match=r"^python -c import sparsebc\.nothing: ModuleNotFound"):
        startup.measure(tasks, 1)


def test_no_repeats_are_refused(capsys):
    """Before anything is started."""
    with pytest.raises(SystemExit):
        startup.main(["--repeats", "0"])
    assert "at least 1, got 0" in capsys.readouterr().err
