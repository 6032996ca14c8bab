"""The command line where something is wrong: every exit status, every message."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

INTERNAL = r"(.*\n)+sparsebc: internal error: this is a fault of sparsebc.*\n$"


@pytest.mark.parametrize(
    ("place", "fault", "status", "told"),
    [
        ("centralities", lambda: exec("raise MemoryError"), 1, r"sparsebc: error: MemoryError\n"),
        ("centralities", lambda: 1 / 0, 70, INTERNAL),
        ("centralities", lambda: int("x"), 70, INTERNAL),
        ("centralities", lambda: np.zeros(2) @ np.zeros(3), 70, INTERNAL),
        ("measures.centralities.options.parse", lambda: None, 70, f"AttributeError: {INTERNAL}"),
    ],
)
def test_a_fault_of_the_program_keeps_its_traceback(run, monkeypatch, place, fault, status, told):
    """A TypeError or ValueError too, where no statement of the package raised it."""
    monkeypatch.setattr(f"sparsebc.{place}", lambda *args, **options: fault())
    found, out, err = run("betweenness", "karate")
    assert (found, out) == (status, "")
    assert re.search(told, err)
    assert err.startswith("Traceback (most recent call last):\n") == (status == 70)


WEIGHTS = json.loads((Path(__file__).parent / "data" / "wrong_weights.json").read_text())


@pytest.mark.parametrize(("command", "weight", "reason"), WEIGHTS)
@pytest.mark.parametrize("line", ["a b {}", "b a {}"])
def test_a_weight_that_will_not_do(run, tmp_path, command, weight, reason, line):
    """The edge as the file has it, why, and the way out on the command line."""
    path = tmp_path / "edges.txt"
    path.write_text(f"b c 0.5\n{line.format(weight)}\nc d 0.25\n")
    command, *options = command.split()
    status, out, err = run(command, path, *options)
    assert (status, out) == (1, "")
    ends = "'a' - 'b'" if line.startswith("a") else "'b' - 'a'"
    assert err.startswith(f"sparsebc: error: {path}: the edge {ends} has weight {float(weight)}: ")
    assert reason in err
    assert err.count("\n") == 1
    assert not re.search(r"A\[|eliminate_zeros|abs\(|strength_to_distance|tie_rtol", err)
