"""Estimates that are stopped: their time is that of all calls, and commands go on."""

import json
import signal
import sys

import pytest
from calls import assert_same
from held import stands_still
from kept import SPREAD as A
from kept import Stop, estimate, header


class Clock:
    """Time that passes where progress is told, so many seconds each."""

    def __init__(self, monkeypatch, each):
        self.now, self.each, self.calls = 0.0, each, []
        monkeypatch.setattr("sparsebc.estimates.approximate.time.monotonic", lambda: self.now)

    def __call__(self, done, total):
        self.now += self.each
        self.calls.append(done)


def test_the_time_is_that_of_all_runs(tmp_path, monkeypatch):
    """What one has spent is taken off the next; a run whose time is up says what it said."""
    clock = Clock(monkeypatch, each=1.0)
    options = {"device": "cpu", "checkpoint": tmp_path, "epsilon": None, "progress": clock}
    first = estimate(A, seconds=7.5, **options)
    assert 0 < first.samples < first.population
    kept = header(tmp_path)
    assert 0 < kept["seconds"] == clock.now
    assert kept["finished"]
    before = len(clock.calls)
    assert_same(estimate(A, seconds=7.5, **options), first)
    assert len(clock.calls) <= before + 1  # what was done, and nothing new
    clock.now = 1000.0  # nobody computes in between
    more = estimate(A, seconds=60, **options)
    assert more.samples > first.samples
    assert more.half_widths.max() < first.half_widths.max()
    assert clock.now - 1000 <= 60 - kept["seconds"] + 2


def test_a_round_that_time_cut_short_is_not_lost(tmp_path, monkeypatch):
    """With more time it goes on where it was."""
    options = {"device": "cpu", "checkpoint": tmp_path, "epsilon": 0.001}
    clock = Clock(monkeypatch, each=0.001)

    def late(done, total):
        clock(done, total)
        clock.now += 100 * (done > 200)

    estimate(A, seconds=50, progress=late, **options)
    found = header(tmp_path)
    assert 0 < found["sum"]["sources"] < found["round"]["draws"]
    clock.now, clock.calls = 0.0, []
    near = estimate(A, seconds=1e6, progress=clock, **options)
    assert clock.calls[0] == found["sources"]
    assert near.half_widths.max() <= 0.001


def test_a_call_without_time_loses_nothing(tmp_path, monkeypatch):
    """Of a run that was stopped when all its time was spent."""
    options = {"device": "cpu", "checkpoint": tmp_path, "epsilon": 0.01}
    clock = Clock(monkeypatch, each=1.0)

    def stop(done, total):
        clock(done, total)
        if len(clock.calls) == 5:
            raise Stop

    with pytest.raises(Stop):
        estimate(A, seconds=100, progress=stop, **options)
    found = header(tmp_path)
    near = estimate(A, seconds=4.5, progress=clock, **options)
    assert near.samples == found["round"]["intervals"]["drawn"]
    there = header(tmp_path)
    assert (there["sources"], there["sum"]) == (found["sources"], found["sum"])
    assert there["finished"]
    clock.calls = []
    near = estimate(A, progress=clock, **options)
    assert clock.calls[0] == found["sources"]
    assert near.half_widths.max() <= 0.01


LINE = ("approximate", "human-proteins", "--device", "cpu", "--epsilon", "0.04", "--seed", "1")


class TestCommand:
    @pytest.fixture(autouse=True)
    def folder(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)

    @pytest.mark.parametrize(
        ("more", "status", "message"),
        [
            (["--checkpoint", "kept"], 1, "--checkpoint: without --seed each run draws other sour"),
            (["--checkpoint-every", "3"], 2, "--checkpoint-every has an effect only with --check"),
        ],
    )
    def test_refusals(self, run, more, status, message):
        """In one line."""
        got, out, err = run("approximate", "karate", "--epsilon", "0.3", *more)
        assert (got, out) == (status, "")
        assert message in err
        assert err.count("\n") == 1

    @pytest.mark.long
    @pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
    @pytest.mark.parametrize("name", ["SIGTERM", "SIGKILL"])
    def test_signals(self, run, tmp_path, name):
        """It saves and is gone with 75, or is killed, and goes on with other workers."""
        line = [*LINE, "-o", "scores.csv", "--quiet", "--json"]
        kept = ["--checkpoint", "kept", "--checkpoint-every", "0", "--executor", "processes:1"]
        with stands_still(*line, *kept) as process:
            before = header(tmp_path / "kept")["sources"]
            process.send_signal(getattr(signal, name))
            out, err = process.communicate(timeout=60)
        done = header(tmp_path / "kept")["sources"]
        if name == "SIGKILL":
            assert process.returncode == -signal.SIGKILL
            assert done == before
        else:
            assert process.returncode == 75, err
            assert err == f"sparsebc: stopped by {name}; the same command goes on from kept\n"
            assert done > before
            so_far = json.loads(out)
            assert so_far["stopped"]
            assert 0 < so_far["sources"] <= done
            assert (tmp_path / "scores.csv").exists()
        assert run(*LINE, "--json", "-o", "want.csv", "--quiet")[0] == 0
        status, out, _ = run(*line, "--checkpoint", "kept")
        assert status == 0
        assert json.loads(out)["sources"] >= done
        got, want = ((tmp_path / f"{name}.csv").read_bytes() for name in ("scores", "want"))
        assert got == want
        assert header(tmp_path / "kept")["finished"]
