"""Runs that are stopped go on to the same bits, or are refused by name."""

import kept
import numpy as np
import pytest
import scipy.sparse as sp
from calls import assert_same
from kept import (
    BEYOND_FLOATS,
    KINDS,
    LAYERS,
    SPREAD,
    WEIGHTED,
    A,
    Stop,
    estimate,
    header,
    stop_and_go,
    stopping,
)

from sparsebc import betweenness, centralities, datasets, group_betweenness
from sparsebc.sweep import checkpoint

NO_EDGE = sp.csr_array((5, 5))
GROUPS = [[0, 5], [1], [2, 3, 4]]
QUESTIONS = {
    "beyond floats": (betweenness, LAYERS, BEYOND_FLOATS),
    "the algebra": (betweenness, A, {"device": "reference"}),
    "groups": (group_betweenness, A, {"groups": GROUPS}),
    "groups by length": (group_betweenness, WEIGHTED, {"groups": GROUPS, "weighted": True}),
    "rounds beyond floats": (estimate, LAYERS, {"epsilon": 0.2, "dtype": np.float32}),
    "rounds to the end": (estimate, SPREAD, {"epsilon": 1e-4}),
    "no edge": (betweenness, NO_EDGE, {}),
    "no round": (estimate, NO_EDGE, {}),
}  # fmt: skip


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_run_that_is_stopped_has_the_bits_of_one_that_is_not(fast_device, tmp_path, name):
    """However often a run is stopped; `test_checkpoint_machine` draws the options."""
    measure, graph, options = QUESTIONS[name]
    options = {"device": fast_device, **options}
    want = measure(graph, **options)
    after = 3 if graph is LAYERS else 1
    got, stops = stop_and_go(measure, graph, tmp_path / "new" / "kept", after, **options)
    assert_same(got, want)
    assert stops > 2 or fast_device != "cpu" or graph is NO_EDGE or "groups" in options
    size = (tmp_path / "new" / "kept" / checkpoint.STATE).stat().st_size
    assert size < 8192 or "groups" not in options  # of which a number each is kept


def in_groups(graph, **options):
    return group_betweenness(graph, **{"groups": GROUPS, **options})


@pytest.mark.parametrize("kind", KINDS)
def test_progress_counts_what_was_done(tmp_path, kind):
    """The first report of a run that goes on is where the last one ended."""
    measure, graph, after = KINDS[kind]
    calls, stop = [], stopping(after)

    def report(done, total):
        calls.append((done, total))
        stop(done, total)

    with pytest.raises(Stop) as caught:
        measure(graph, device="cpu", checkpoint=tmp_path, progress=report)
    header, stopped = kept.header(tmp_path), len(calls)
    assert calls[-1][0] == header["sources"]
    if kind == "rounds":
        assert caught.value.approximation.samples == header["round"]["intervals"]["drawn"]
    measure(graph, device="cpu", checkpoint=tmp_path, progress=lambda *call: calls.append(call))
    assert calls[stopped] == calls[stopped - 1]
    assert calls[-1][0] >= calls[stopped][0]


def test_progress_counts_a_source_once_where_its_paths_pass_the_range_of_floats():
    """Blocks that are swept twice count when they are summed: the last report is the total."""
    calls = []
    betweenness(LAYERS, device="cpu", progress=lambda *call: calls.append(call), **BEYOND_FLOATS)
    done, totals = zip(*calls, strict=True)
    assert done[-1] == totals[-1] > 2000
    assert list(done) == sorted(done)
    assert len(set(totals)) == 1


def with_distances(graph, **options):
    """Sums over paths, which are kept, and distances, which are looked at again."""
    return centralities(graph, ["betweenness", "closeness", "stress"], **options)


@pytest.mark.parametrize("kind", [*KINDS, "distances"])
def test_a_finished_run_starts_no_worker(tmp_path, monkeypatch, kind):
    """Nor does it write."""
    measure, graph, _ = KINDS.get(kind, (with_distances, A, 0))
    want = measure(graph, device="cpu", checkpoint=tmp_path)
    monkeypatch.setattr("operator.call", lambda *_, **__: 1 / 0)
    monkeypatch.setattr(checkpoint, "write", lambda *_: 1 / 0)
    assert_same(measure(graph, device="cpu", checkpoint=tmp_path), want)
    if kind == "sums":
        raw = betweenness(A, device="cpu", checkpoint=tmp_path, normalized=False)
        np.testing.assert_allclose(raw, want * (len(want) - 1) * (len(want) - 2))


LONGER = WEIGHTED.copy()
LONGER.data = np.where(LONGER.data == 1, 1.5, LONGER.data)
ONE_MORE = sp.csr_array(A + sp.eye_array(A.shape[0], k=3))
BY_LENGTH = {"weighted": True}


@pytest.mark.parametrize(
    ("first", "then", "named"),
    [
        ((betweenness, A, {}), (betweenness, ONE_MORE, {}), "graph"),
        ((betweenness, WEIGHTED, BY_LENGTH), (betweenness, LONGER, BY_LENGTH), "lengths"),
        (
            (betweenness, WEIGHTED, BY_LENGTH),
            (betweenness, WEIGHTED, {**BY_LENGTH, "tie_rtol": 1e-9}),
            "tie_rtol",
        ),
        ((betweenness, A, {"targets": [3, 5]}), (betweenness, A, {"targets": [4, 5]}), "targets"),
        ((in_groups, A, {}), (betweenness, A, {}), "measures"),
        ((in_groups, A, {}), (in_groups, A, {"endpoints": True}), "endpoints"),
        ((in_groups, A, {}), (in_groups, A, {"groups": GROUPS[:2]}), "groups"),
    ],
    ids=lambda value: value if isinstance(value, str) else value[0].__name__,
)
def test_another_question_is_refused_by_name(tmp_path, first, then, named):
    """And the run that is kept stays as it is."""
    (measure, graph, options), (other, changed, others) = first, then
    options, others = ({"device": "cpu", **some} for some in (options, others))
    want = measure(graph, checkpoint=tmp_path, **options)
    with pytest.raises(
        ValueError, match=rf"holds another run, which differs in .*\b{named}\b"
    ) as no:
        other(changed, checkpoint=tmp_path, **others)
    assert str(no.value).endswith("use another directory, or ask for the same")
    assert_same(measure(graph, checkpoint=tmp_path, **options), want)


def test_another_plan_is_refused_by_name(tmp_path, monkeypatch):
    """That of another version."""
    betweenness(A, device="cpu", checkpoint=tmp_path)
    monkeypatch.setattr("sparsebc.sweep.checkpoint.PLAN", -1)
    with pytest.raises(ValueError, match=r"version was sparsebc \S+, plan \d+, is .*, plan -1"):
        betweenness(A, device="cpu", checkpoint=tmp_path)


def test_the_sample_of_a_checkpoint_is_that_of_the_seed(tmp_path):
    """A generator is one too, if it is at its beginning."""
    graph, _ = datasets.load("karate")
    options = {"epsilon": 0.2, "device": "cpu"}
    want = estimate(graph, rng=3, **options)
    for _ in range(2):
        rng = np.random.default_rng(3)
        assert_same(estimate(graph, rng=rng, checkpoint=tmp_path, **options), want)
    with pytest.raises(ValueError, match="differs in rng"):
        estimate(graph, rng=rng, checkpoint=tmp_path, **options)


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
    first = estimate(SPREAD, seconds=7.5, **options)
    assert 0 < first.samples < first.population
    kept = header(tmp_path)
    assert 0 < kept["seconds"] == clock.now
    assert kept["finished"]
    before = len(clock.calls)
    assert_same(estimate(SPREAD, seconds=7.5, **options), first)
    assert len(clock.calls) <= before + 1  # what was done, and nothing new
    clock.now = 1000.0  # nobody computes in between
    more = estimate(SPREAD, seconds=60, **options)
    assert more.samples > first.samples
    assert more.half_widths.max() < first.half_widths.max()
    assert clock.now - 1000 <= 60 - kept["seconds"] + 2
    assert header(tmp_path)["seconds"] == kept["seconds"] + clock.now - 1000


def test_a_call_without_time_loses_nothing(tmp_path, monkeypatch):
    """Of a run that was stopped when all its time was spent."""
    options = {"device": "cpu", "checkpoint": tmp_path, "epsilon": 0.01}
    clock = Clock(monkeypatch, each=1.0)

    def stop(done, total):
        clock(done, total)
        if len(clock.calls) == 5:
            raise Stop

    with pytest.raises(Stop):
        estimate(SPREAD, seconds=100, progress=stop, **options)
    found = header(tmp_path)
    near = estimate(SPREAD, seconds=4.5, progress=clock, **options)
    assert near.samples == found["round"]["intervals"]["drawn"]
    there = header(tmp_path)
    assert (there["sources"], there["sum"]) == (found["sources"], found["sum"])
    assert there["finished"]
    clock.calls = []
    near = estimate(SPREAD, progress=clock, **options)
    assert clock.calls[0] == found["sources"]
    assert near.half_widths.max() <= 0.01
