"""Runs that are stopped go on to the same bits, or are refused by name."""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from graphs import LARGE, with_lengths

import sparsebc
from sparsebc import betweenness, centralities, edge_betweenness, stress
from sparsebc.engines import devices
from sparsebc.engines.pairwise_sum import Span
from sparsebc.engines.sums import Launch, Swept
from sparsebc.run import checkpoint, state_file
from sparsebc.run.ordered_sum import OrderedSum

A = LARGE["large hubs"]
HERE = pathlib.Path(__file__).parent
# More shortest paths than float32 has range for: some blocks are swept twice.
DIAMONDS = sp.csr_array(
    sp.kron(sp.eye_array(180, k=1), [[0, 0, 0], [0, 0, 0], [1, 0, 0]])
    + sp.kron(sp.eye_array(180), [[0, 1, 1], [0, 0, 0], [0, 0, 0]])
    + sp.kron(sp.eye_array(180, k=1), [[0, 0, 0], [1, 0, 0], [1, 0, 0]])
)
QUESTIONS = {
    "nodes": (A, {}),
    "a subset, endpoints": (A, {"sources": range(1, 200, 2), "endpoints": True}),
    "by length": (with_lengths(A, [1.0, 2.5, 3.25]), {"weighted": True}),
    "beyond float32": (DIAMONDS, {"dtype": np.float32, "reduce": "none"}),
}


class Stop(Exception):
    """What ends a run in the tests."""


def stopping(after):
    """A progress function that raises on that call."""
    left = iter(range(after))

    def progress(done, total):
        if next(left, None) is None:
            raise Stop

    return progress


def stop_and_go(measure, graph, directory, **options):
    """The result of a run that ends at every second report, and how often it did."""
    for stops in range(1000):
        try:
            return measure(
                graph, checkpoint=directory, checkpoint_every=0, progress=stopping(1), **options
            ), stops
        except Stop:
            pass
    raise AssertionError("it never ends")


def bits(scores):
    """The numbers of a result."""
    return getattr(scores, "data", scores) if sp.issparse(scores) else scores


@pytest.mark.parametrize("measure", [betweenness, edge_betweenness, stress])
@pytest.mark.parametrize("workers", [1, 2])
def test_equal_bits(fast_device, tmp_path, measure, workers):
    """However often a run is stopped."""
    want = measure(A, device=fast_device)
    got, _ = stop_and_go(measure, A, tmp_path / "new" / "kept", workers=workers, device=fast_device)
    np.testing.assert_array_equal(bits(got), bits(want))


@pytest.mark.parametrize("name", QUESTIONS)
def test_equal_bits_of_questions(device, tmp_path, name):
    """Parts of the pairs, lengths, and blocks that are swept again in a larger range."""
    graph, options = QUESTIONS[name]
    want = betweenness(graph, device=device, **options)
    got, _ = stop_and_go(betweenness, graph, tmp_path, device=device, **options)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("measure", [betweenness, edge_betweenness])
def test_equal_bits_of_several_cutoffs(tmp_path, measure):
    """Every column goes on."""
    ways = {"cutoff": [2, 3], "device": "cpu"}
    want = measure(A, **ways)
    got, stops = stop_and_go(measure, A, tmp_path, **ways)
    assert stops
    for mine, theirs in zip(got, want, strict=True):
        np.testing.assert_array_equal(bits(mine), bits(theirs))


def test_it_is_stopped_at_all(tmp_path):
    """The test above has stops in both ranges, and nothing is swept that was saved."""
    _, stops = stop_and_go(betweenness, A, tmp_path / "a", device="cpu")
    assert stops >= 3
    seen = []

    def look(done, total):
        header = state_file.header(tmp_path / "b")
        seen.append((len(header["out_of_range"]), header["next"]))

    for _ in range(2):
        betweenness(
            DIAMONDS,
            dtype=np.float32,
            reduce="none",
            device="cpu",
            checkpoint=tmp_path / "b",
            checkpoint_every=0,
            progress=look,
        )
    assert {1, 2, 3} == {ranges for ranges, _ in seen}
    assert seen == sorted(seen)


class Elsewhere:
    """A sum that lives where NumPy does not, on one GPU or another."""

    def __init__(self, values, gpu=0):
        self.values, self.gpu = np.array(values, dtype=float), gpu

    def __iadd__(self, other):
        assert isinstance(other, Elsewhere), "sums are added up where they live"
        assert self.gpu == other.gpu == 0, "they are brought to the first GPU"
        self.values += other.values
        return self


class ElsewhereOps:
    """Ways to the first GPU and back; what is there already stays."""

    @staticmethod
    def asarray(array):
        is_there = isinstance(array, Elsewhere) and array.gpu == 0
        return array if is_there else Elsewhere(getattr(array, "values", array))

    @staticmethod
    def on_host(array):
        return array.values if isinstance(array, Elsewhere) else array


def swept(block):
    """What a launch of one block comes to: a sum of the host, and one of either of two GPUs."""
    arcs = Elsewhere([3.0**block], gpu=block % 2)
    sums = {"dependency": np.array([2.0**block]), "arcs": arcs}
    return Launch(block, [[]]), Swept([(Span(block, 0), sums)], []), 1


@pytest.mark.parametrize("begun", range(6))
def test_sums_go_back_to_where_they_live(begun):
    """Workers have sums on either side, the total is where the graph lives; files hold both."""
    sizes = {"dependency": 1, "arcs": 1}
    first, then = OrderedSum(ElsewhereOps, sizes), OrderedSum(ElsewhereOps, sizes)
    for block in range(begun):
        first.take(*swept(block))
    numbers, arrays = first.state()
    then.restore(json.loads(json.dumps(numbers)), arrays)
    for block in range(begun, 7):
        then.take(*swept(block))
    then.end_range()
    assert then.total["dependency"].values == [2.0**7 - 1]
    assert then.total["arcs"].values == [(3.0**7 - 1) / 2]
    assert then.sources == 7


def test_several_at_once(tmp_path):
    """The sums over paths are kept; distances are looked at again."""
    names = ["betweenness", "closeness", "stress"]
    want = centralities(A, names, device="cpu")
    for _ in range(2):
        got = centralities(A, names, device="cpu", checkpoint=tmp_path)
        for name in names:
            np.testing.assert_array_equal(got[name], want[name])


def test_progress_counts_what_was_done(tmp_path):
    """The first report of a run that goes on is where the last one ended."""
    calls = []

    def stop(done, total):
        calls.append((done, total))
        if len(calls) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        betweenness(A, device="cpu", checkpoint=tmp_path, progress=stop)
    betweenness(A, device="cpu", checkpoint=tmp_path, progress=lambda *call: calls.append(call))
    assert calls[3] == calls[2]
    assert calls[-1][0] == calls[-1][1]


def test_a_finished_run_starts_no_worker(tmp_path, monkeypatch):
    """Nor does it write."""
    want = betweenness(A, device="cpu", checkpoint=tmp_path)
    before = (tmp_path / state_file.NAME).stat().st_mtime_ns
    monkeypatch.setattr("sparsebc.run.sweep._sweep", lambda *_: 1 / 0)
    np.testing.assert_array_equal(betweenness(A, device="cpu", checkpoint=tmp_path), want)
    raw = betweenness(A, device="cpu", checkpoint=tmp_path, normalized=False)
    np.testing.assert_allclose(raw, want * (len(want) - 1) * (len(want) - 2))
    assert (tmp_path / state_file.NAME).stat().st_mtime_ns == before


def killed(directory, measure, kills, seed):
    """Run the process that is killed; what it says at the end."""
    done = subprocess.run(
        [sys.executable, HERE / "killed.py", directory, measure, str(kills), str(seed)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.parametrize("measure", ["edge_betweenness", "group_betweenness"])
def test_killed(tmp_path, measure):
    """SIGKILL at random moments, which are often those of a save."""
    assert killed(tmp_path, measure, 10, 15).startswith("10 kills")


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_killed_often(tmp_path):
    """The same, fifty times."""
    assert killed(tmp_path, "betweenness", 50, 0).startswith("50 kills")


def one_edge_more(graph):
    """The same but for an edge in both directions."""
    changed = sp.lil_array(graph)
    u = 0
    v = next(v for v in range(1, graph.shape[0]) if not graph[[u], [v]].any())
    changed[u, v] = changed[v, u] = 1
    return sp.csr_array(changed)


WEIGHTED = with_lengths(A, [1.0, 2.5, 3.25])
LONGER = WEIGHTED.copy()
LONGER.data = np.where(LONGER.data == 1, 1.5, LONGER.data)


@pytest.mark.parametrize(
    ("first", "then", "named"),
    [
        ((A, {}), (one_edge_more(A), {}), "graph"),
        ((A, {}), (A, {"sources": [0, 1]}), "sources"),
        ((A, {}), (A, {"targets": [0, 1]}), "targets"),
        ((A, {}), (A, {"endpoints": True}), "endpoints"),
        ((A, {}), (A, {"dtype": "float32"}), "dtype"),
        ((A, {}), (A, {"device": "reference"}), "device"),
        ((A, {}), (A, {"cutoff": 3}), "cutoff"),
        ((A, {"cutoff": [2, 3]}), (A, {"cutoff": [2, 4]}), "cutoff"),
        ((WEIGHTED, {"weighted": True}), (LONGER, {"weighted": True}), "lengths"),
        (
            (WEIGHTED, {"weighted": True}),
            (WEIGHTED, {"weighted": True, "tie_rtol": 1e-9}),
            "tie_rtol",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_another_question_is_refused_by_name(tmp_path, first, then, named):
    """And the run that is kept stays as it is."""
    graph, options = first
    want = betweenness(graph, checkpoint=tmp_path, **{"device": "cpu", **options})
    other, changed = then
    with pytest.raises(ValueError, match=f"holds another run, which differs in {named} "):
        betweenness(other, checkpoint=tmp_path, **{"device": "cpu", **changed})
    again = betweenness(graph, checkpoint=tmp_path, **{"device": "cpu", **options})
    np.testing.assert_array_equal(again, want)


def test_other_measures_and_plans_are_refused_by_name(tmp_path, monkeypatch):
    """Of one graph, of another version."""
    betweenness(A, device="cpu", checkpoint=tmp_path)
    with pytest.raises(ValueError, match="measures was betweenness, is stress"):
        stress(A, device="cpu", checkpoint=tmp_path)
    monkeypatch.setattr("sparsebc.run.fingerprint.PLAN", -1)
    with pytest.raises(ValueError, match=r"version was sparsebc \S+, plan \d+, is .*, plan -1"):
        betweenness(A, device="cpu", checkpoint=tmp_path)


@pytest.mark.parametrize("name", ["cpu", "reference", "reference:cuda"])
def test_kinds_of_engines(name):
    """Each has bits of its own; only engines named by an index are asked for their model."""
    assert devices.model(name) == name


def test_saves_are_few_where_they_are_long(tmp_path, monkeypatch):
    """They take their share of the time, unless every one of them is asked for."""
    write, saved = state_file.write, []
    monkeypatch.setattr(
        state_file, "write", lambda place, *rest: saved.append(place.name) or write(place, *rest)
    )
    monkeypatch.setattr(checkpoint, "SHARE", 1e-9)
    betweenness(A, device="cpu", checkpoint=tmp_path / "a", checkpoint_every=1e-9)
    betweenness(A, device="cpu", checkpoint=tmp_path / "b", checkpoint_every=0)
    assert saved.count("a") == 2  # the first and the last
    assert saved.count("b") > 4


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"checkpoint": 3}, TypeError, "checkpoint must be the name of a directory, got 3"),
        ({"checkpoint": __file__}, ValueError, "is a file: give the name of a directory"),
        ({"checkpoint": "a", "checkpoint_every": -1}, ValueError, "not below 0, got -1"),
        ({"checkpoint": "a", "checkpoint_every": np.nan}, ValueError, "finite"),
        ({"checkpoint": "a", "checkpoint_every": "9"}, TypeError, "a number of seconds, got '9'"),
        ({"checkpoint_every": 9}, ValueError, "has an effect only with checkpoint"),
    ],
)
def test_options(options, error, message):
    """Refused before anything is read."""
    with pytest.raises(error, match=message):
        betweenness(A, **options)


def test_where_it_has_no_effect(tmp_path):
    """It is refused, and no directory is made."""
    kept = tmp_path / "kept"
    with pytest.raises(ValueError, match="no effect on 'closeness'"):
        centralities(A, ["closeness", "harmonic"], checkpoint=kept)
    with pytest.raises(ValueError, match="no effect on estimates of a few nodes"):
        sparsebc.adaptive_betweenness(A, [0], rng=1, checkpoint=kept)
    with pytest.raises(ValueError, match="is of no use without rng: whoever goes on would draw"):
        sparsebc.approximate_betweenness(A, epsilon=0.1, checkpoint=kept)
    for function in (sparsebc.closeness, sparsebc.harmonic, sparsebc.eccentricity):
        with pytest.raises(TypeError, match="unknown option 'checkpoint'"):
            function(A, checkpoint=kept)
    assert not kept.exists()
