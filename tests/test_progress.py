"""What a run of several steps tells of how far it is."""

import re

from graphs import MEDIUM

from sparsebc import dismantle, prominent_group
from sparsebc.sweep import progress


def test_progress_goes_on_from_step_to_step(monkeypatch, capsys):
    """It never starts again, and lines say which step it is."""
    seen = []
    A = MEDIUM["hubs"]
    prominent_group(A, 3, device="cpu", progress=lambda *counts: seen.append(counts))
    assert {total for _, total in seen} == {3 * 70}
    done = [done for done, _ in seen]
    assert done == sorted(done)
    assert done[-1] == 3 * 70
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.0)
    monkeypatch.setattr(progress, "LINE_SHARE", 0.0)
    prominent_group(A, 3, device="cpu", progress=True)
    err = capsys.readouterr().err
    for step in (1, 2, 3):
        assert re.search(rf"of 210 sources \([\d.]+%\), step {step} of 3, ", err)
    dismantle(A, steps=4, device="cpu", progress=True)
    assert "4 of 4 steps (100.0%)" in capsys.readouterr().err
