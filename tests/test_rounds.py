"""Estimates that are stopped go on to the same bits and half-widths, or are refused by name."""

import json
import os
import re
import signal
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from graphs import with_lengths
from held import stands_still
from test_checkpoint import DIAMONDS, Stop, killed, stopping
from test_executors import A as SPREAD
from test_executors import Factory, posix

from sparsebc import approximate_betweenness, betweenness, datasets
from sparsebc.run import state_file

A = SPREAD[:700, :700]
CASES = {
    "an error": (A, {"epsilon": 0.02}),
    "undirected": (A, {"epsilon": 0.02, "directed": False}),
    "a ranking": (A, {"epsilon": 0.01, "top": 3}),
    "by length": (with_lengths(A, [1.0, 2.5, 3.25]), {"epsilon": 0.05, "weighted": True}),
    "beyond float32": (DIAMONDS, {"epsilon": 0.2, "dtype": np.float32}),
    "all sources": (A, {"epsilon": 1e-4}),
    "no edge": (sp.csr_array((5, 5)), {"epsilon": 0.1}),
}


def assert_same(got, want):
    """Every number of two estimates."""
    for name in ("scores", "half_widths", "samples", "population", "exact", "ranking", "certain"):
        np.testing.assert_array_equal(getattr(got, name), getattr(want, name), err_msg=name)


def stop_and_go(graph, directory, after=1, **options):
    """The estimate of a search that ends at each call of progress but the first ones."""
    for stops in range(1000):
        try:
            return approximate_betweenness(
                graph,
                checkpoint=directory,
                checkpoint_every=0,
                progress=stopping(after),
                **options,
            ), stops
        except Stop:
            pass
    raise AssertionError("it never ends")


@pytest.mark.parametrize("case", CASES)
def test_equal_bits(fast_device, tmp_path, case):
    """However often a run is stopped, in the midst of a round or at its end."""
    graph, options = CASES[case]
    options = {"rng": 5, "device": fast_device, **options}
    want = approximate_betweenness(graph, **options)
    got, stops = stop_and_go(graph, tmp_path, workers=1, **options)
    assert_same(got, want)
    assert case == "no edge" or fast_device != "cpu" or stops > 3


def test_equal_bits_of_several_rounds(tmp_path):
    """Every round but the first is planned by what those before it said; some are begun twice."""
    options = {"rng": 5, "epsilon": 0.02, "device": "cpu"}
    seen = []

    def look(done, total):
        header = state_file.header(tmp_path / "a")
        seen.append((header["before"][1], header["sum"]["sources"]))

    keeps = {"checkpoint": tmp_path / "a", "checkpoint_every": 0}
    want = approximate_betweenness(A, progress=look, **keeps, **options)
    before, within = zip(*seen, strict=True)
    assert len(set(before)) >= 2
    assert max(within) > 0
    for after in range(2, len(seen), 3):
        got, _ = stop_and_go(A, tmp_path / str(after), after, **options)
        assert_same(got, want)


def test_what_is_kept_never_grows(tmp_path):
    """Two sums for each level of the tree at most, and eight numbers a node."""
    sizes = []

    def look(done, total):
        sizes.append(max(path.stat().st_size for path in tmp_path.glob("state.npz")))

    keeps = {"checkpoint": tmp_path, "checkpoint_every": 0, "progress": look}
    approximate_betweenness(SPREAD, epsilon=0.005, rng=1, device="cpu", **keeps)
    assert len(sizes) > 20
    n = SPREAD.shape[0]
    levels = (-(-n // 64)).bit_length()
    assert max(sizes) < 8 * n * (8 + 2 * (levels + 1)) + 4096


def test_a_finished_run_starts_no_worker(tmp_path, monkeypatch):
    """Nor does it write."""
    options = {"epsilon": 0.02, "rng": 5, "device": "cpu", "checkpoint": tmp_path}
    want = approximate_betweenness(A, **options)
    before = (tmp_path / state_file.NAME).stat().st_mtime_ns
    monkeypatch.setattr("sparsebc.run.sweep._sweep", lambda *_: 1 / 0)
    assert_same(approximate_betweenness(A, **options), want)
    assert (tmp_path / state_file.NAME).stat().st_mtime_ns == before


def test_progress_counts_what_was_done(tmp_path):
    """The first report of a run that goes on is where the last one ended."""
    options = {"epsilon": 0.02, "rng": 5, "device": "cpu", "checkpoint": tmp_path}
    calls = []

    def stop(done, total):
        calls.append((done, total))
        if len(calls) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        approximate_betweenness(A, progress=stop, **options)
    assert caught.value.approximation.samples == state_file.header(tmp_path)["before"][1]
    approximate_betweenness(A, progress=lambda *call: calls.append(call), **options)
    assert calls[4] == calls[3]
    assert calls[-1][0] >= calls[4][0]


class Clock:
    """Time that passes where progress is told, so many seconds each."""

    def __init__(self, monkeypatch, each):
        self.now, self.each, self.calls = 0.0, each, 0
        monkeypatch.setattr("sparsebc.measures.sampling.stopping.time.monotonic", lambda: self.now)

    def __call__(self, done, total):
        self.now += self.each
        self.calls += 1


def test_the_time_is_that_of_all_runs(tmp_path, monkeypatch):
    """What one has spent is taken off the next; a run whose time is up says what it said."""
    options = {"rng": 5, "device": "cpu", "checkpoint": tmp_path, "workers": 1}
    clock = Clock(monkeypatch, each=1.0)
    first = approximate_betweenness(A, seconds=7.5, progress=clock, **options)
    assert 0 < first.samples < first.population
    spent = state_file.header(tmp_path)["seconds"]
    assert 0 < spent == clock.now
    assert state_file.header(tmp_path)["finished"]
    before = clock.calls
    assert_same(approximate_betweenness(A, seconds=7.5, progress=clock, **options), first)
    assert clock.calls <= before + 1  # what was done, and nothing new
    clock.now = 1000.0  # nobody computes in between
    more = approximate_betweenness(A, seconds=60, progress=clock, **options)
    assert more.samples > first.samples
    assert more.half_widths.max() < first.half_widths.max()
    assert clock.now - 1000 <= 60 - spent + 2


def test_a_round_that_time_cut_short_is_not_lost(tmp_path, monkeypatch):
    """With more time it goes on where it was."""
    options = {"rng": 5, "device": "cpu", "checkpoint": tmp_path, "workers": 1}
    clock = Clock(monkeypatch, each=0.001)

    def late(done, total):
        clock(done, total)
        if done > 200:
            clock.now += 100

    approximate_betweenness(A, epsilon=0.001, seconds=50, progress=late, **options)
    found = state_file.header(tmp_path)
    assert 0 < found["sum"]["sources"] < found["before"][0]
    calls = []
    clock.now = 0.0
    near = approximate_betweenness(
        A, epsilon=0.001, seconds=1e6, progress=lambda *call: calls.append(call), **options
    )
    assert calls[0][0] == found["sources"]
    assert near.half_widths.max() <= 0.001


def test_a_call_without_time_loses_nothing(tmp_path, monkeypatch):
    """Of a run that was stopped when all its time was spent."""
    options = {"rng": 5, "device": "cpu", "checkpoint": tmp_path, "workers": 1, "epsilon": 0.01}
    clock = Clock(monkeypatch, each=1.0)

    def stop(done, total):
        clock(done, total)
        if clock.calls == 5:
            raise Stop

    with pytest.raises(Stop):
        approximate_betweenness(A, seconds=100, progress=stop, **options)
    found = state_file.header(tmp_path)
    near = approximate_betweenness(A, seconds=4.5, progress=clock, **options)
    assert near.samples == found["before"][1]
    there = state_file.header(tmp_path)
    assert (there["sources"], there["sum"]) == (found["sources"], found["sum"])
    assert there["finished"]
    calls = []
    near = approximate_betweenness(A, progress=lambda *call: calls.append(call), **options)
    assert calls[0][0] == found["sources"]
    assert near.half_widths.max() <= 0.01


OTHERS = {
    "epsilon": {"epsilon": 0.03},
    "delta": {"delta": 0.2},
    "top": {"top": 2},
    "rng": {"rng": 6},
    "graph": {"directed": False},
    "dtype": {"dtype": np.float32},
    "reduce": {"reduce": "none"},
    "device": {"device": "reference"},
}


@pytest.mark.parametrize("named", OTHERS)
def test_another_question_is_refused_by_name(tmp_path, named):
    """And what is kept stays as it is."""
    options = {"epsilon": 0.05, "rng": 5, "device": "cpu", "checkpoint": tmp_path}
    graph = sp.triu(A, format="csr")
    want = approximate_betweenness(graph, **options)
    with pytest.raises(ValueError, match=rf"holds another run, which differs in .*\b{named}\b"):
        approximate_betweenness(graph, **{**options, **OTHERS[named]})
    assert_same(approximate_betweenness(graph, **options), want)


def test_sums_and_estimates_are_told_apart(tmp_path):
    """Neither goes on with what the other kept."""
    betweenness(A, device="cpu", checkpoint=tmp_path / "a")
    estimate = {"epsilon": 0.05, "rng": 5, "device": "cpu"}
    with pytest.raises(ValueError, match="measures was betweenness, is approximate_betweenness"):
        approximate_betweenness(A, checkpoint=tmp_path / "a", **estimate)
    approximate_betweenness(A, checkpoint=tmp_path / "b", **estimate)
    with pytest.raises(ValueError, match="measures was approximate_betweenness, is betweenness"):
        betweenness(A, device="cpu", checkpoint=tmp_path / "b")


FORGED = {
    "no round": lambda header, arrays: header.update(before=[0, 0, 0, 0.0]),
    "more draws than sources": lambda header, arrays: header["before"].__setitem__(1, 10**6),
    "text": lambda header, arrays: header["before"].__setitem__(1, "9"),
    "no sum": lambda header, arrays: header.pop("sum"),
    "an array less": lambda header, arrays: header.update(
        arrays_before=header["arrays_before"] - 1
    ),
    "NaN": lambda header, arrays: arrays[2].fill(np.nan),
    "a shape": lambda header, arrays: arrays.__setitem__(0, arrays[0][:5]),
    "a type": lambda header, arrays: arrays.__setitem__(0, arrays[0].astype(int)),
}


@pytest.mark.parametrize("forged", FORGED)
def test_a_forged_round(tmp_path, forged):
    """It is refused by name, whatever its digest says."""
    options = {"epsilon": 0.02, "rng": 5, "device": "cpu", "checkpoint": tmp_path}
    with pytest.raises(Stop):
        approximate_betweenness(A, checkpoint_every=0, progress=stopping(4), **options)
    header, arrays = state_file.read(tmp_path)
    FORGED[forged](header, arrays)
    state_file.write(tmp_path, header, arrays)
    with pytest.raises(ValueError, match=r"is damaged, or was changed \(.*state\.npz"):
        approximate_betweenness(A, **options)


@pytest.mark.slow
@posix
def test_a_killed_worker(tmp_path):
    """In the midst of a round: the factory makes the pool again, and then the run goes on."""
    options = {"epsilon": 0.01, "rng": 3, "device": "cpu"}
    want = approximate_betweenness(SPREAD, **options)
    factory = Factory()
    keeps = {"checkpoint": tmp_path / "a", "checkpoint_every": 0}
    ways = {"executor": factory, "progress": factory.kill(times=3)}
    assert_same(approximate_betweenness(SPREAD, **keeps, **ways, **options), want)
    assert len(factory.made) > 2
    factory = Factory()
    keeps["checkpoint"] = tmp_path / "b"
    calls = iter(range(9))

    def stop(done, total):
        if next(calls) == 8:
            raise Stop

    with pytest.raises(Stop):
        approximate_betweenness(SPREAD, executor=factory, progress=stop, **keeps, **options)
    assert state_file.header(tmp_path / "b")["sources"] > 0
    assert_same(approximate_betweenness(SPREAD, workers=2, **keeps, **options), want)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_killed(tmp_path):
    """SIGKILL of the process at random moments, which are often those of a save."""
    assert killed(tmp_path, "approximate_betweenness", 50, 15).startswith("50 kills")


LINE = ("approximate", "power-grid-europe", "--device", "cpu", "--epsilon", "0.02", "--seed", "1")


class TestCommand:
    @pytest.fixture(autouse=True)
    def folder(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)

    def test_it_is_kept(self, run, tmp_path):
        """The same command again ends at once; status tells what it came to."""
        line = ["approximate", "karate", "--epsilon", "0.3", "--seed", "1", "--device", "cpu"]
        line += ["--checkpoint", "kept", "-o", "scores.csv"]
        assert run(*line)[0] == 0
        scores = (tmp_path / "scores.csv").read_bytes()
        os.remove("scores.csv")
        assert run("resume", "kept")[0] == 0
        assert (tmp_path / "scores.csv").read_bytes() == scores
        status, out, _ = run("status", "kept")
        assert status == 0
        assert "state    finished" in out
        assert "error    within 0\n" in out  # of all sources
        assert run(*line, "--delta", "0.2")[2].count("differs in delta") == 1

    @pytest.mark.parametrize(
        ("more", "status", "message"),
        [
            (["--checkpoint", "kept"], 1, "--checkpoint: without --seed each run draws other sour"),
            (["--checkpoint-every", "3"], 2, "--checkpoint-every has an effect only with --check"),
            (["--part", "1/2", "--checkpoint", "kept"], 2, "unrecognized arguments: --part 1/2"),
        ],
    )
    def test_refusals(self, run, more, status, message):
        """In one line."""
        got, out, err = run("approximate", "karate", "--epsilon", "0.3", *more)
        assert (got, out) == (status, "")
        assert message in err
        assert err.count("\n") == 1

    @pytest.mark.slow
    @pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
    @pytest.mark.parametrize("name", ["SIGTERM", "SIGUSR1", "SIGKILL"])
    def test_signals(self, run, tmp_path, name):
        """It saves and is gone with 75, or is killed, and goes on with other workers."""
        line = [*LINE, "-o", "scores.csv", "--quiet", "--json"]
        kept = ["--checkpoint", "kept", "--checkpoint-every", "0", "--executor", "processes:1"]
        with stands_still(*line, *kept) as process:
            told = run("status", "kept")[1]
            assert re.search(rf"^state    running: process {process.pid} on ", told, re.M)
            assert re.search(r"^sources  \d+ of \d+ expected \(\d+\.\d%\)$", told, re.M)
            assert re.search(r"^error    within \d\.\d+$", told, re.M)
            before = state_file.header(tmp_path / "kept")["sources"]
            process.send_signal(getattr(signal, name))
            out, err = process.communicate(timeout=60)
        done = state_file.header(tmp_path / "kept")["sources"]
        if name == "SIGKILL":
            assert process.returncode == -signal.SIGKILL
            assert done == before
        else:
            assert process.returncode == 75, err
            assert err == f"sparsebc: stopped by {name}; 'sparsebc resume kept' goes on\n"
            assert done > before
            so_far = json.loads(out)
            assert so_far["stopped"]
            assert 0 < so_far["sources"] <= done
            assert (tmp_path / "scores.csv").exists()
        assert run(*LINE, "--json", "-o", "want.csv", "--quiet")[0] == 0
        status, out, _ = run("resume", "kept")
        assert status == 0
        assert json.loads(out)["sources"] >= done
        got, want = ((tmp_path / f"{name}.csv").read_bytes() for name in ("scores", "want"))
        assert got == want
        assert "state    finished" in run("status", "kept")[1]


def test_the_sample_of_a_checkpoint_is_that_of_the_seed(tmp_path):
    """A generator is one too, if it is at its beginning."""
    graph, _ = datasets.load("karate")
    want = approximate_betweenness(graph, epsilon=0.2, rng=3, device="cpu")
    for _ in range(2):
        rng = np.random.default_rng(3)
        got = approximate_betweenness(
            graph, epsilon=0.2, rng=rng, device="cpu", checkpoint=tmp_path
        )
        assert_same(got, want)
    with pytest.raises(ValueError, match="differs in rng"):
        approximate_betweenness(graph, epsilon=0.2, rng=rng, device="cpu", checkpoint=tmp_path)
