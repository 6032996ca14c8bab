"""Demand, decay and access on a GPU: each kernel that takes them, beside the other engines."""

import re

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from changed_kernels import changed_sources, short_of_memory
from conftest import NEEDS_GPU
from graphs import LARGE, LARGEST, MEDIUM, matrix, one_way, with_lengths
from numpy.testing import assert_allclose, assert_array_equal
from test_gpu_bits import numbers
from test_seeds import chained_squares, trips

from sparsebc import accessibility, betweenness, centralities, closeness, harmonic
from sparsebc.engines.common import batching
from sparsebc.engines.cuda import kernel_table as table

pytestmark = list(NEEDS_GPU)

NAMES = ["betweenness", "edge_betweenness", "stress"]
UNEQUAL = np.append(np.arange(1.0, 6.0), 2.0**16)
# By edges; in buckets and in waves, in 32 and in 64 bits.
KINDS = {
    "edges": None,
    "whole": np.arange(1, 11),
    "tenths": np.arange(1, 11) / 10,
    "unequal": UNEQUAL,
    "uneven": UNEQUAL / 10,
}
GRAPHS = {
    **{name: MEDIUM[name] for name in ("sparse digraph", "communities")},
    **{name: LARGE[name] for name in ("large hubs", "large digraph", "grid")},
}
STREETS = {
    "streets": matrix(nx.grid_2d_graph(9, 50)),
    "one-way streets": matrix(one_way(nx.grid_2d_graph(9, 50), 0.2, 3)),
}
LITERAL = 100  # nodes up to which the reference engine is asked


def decays(unit):
    """A function of each kind, for edges about so long."""
    return [
        ("exponential", 0.3 / unit),
        ("linear", 5 * unit),
        ("power", 1.5),
        ("gaussian", 3 * unit),
        ([unit, 3 * unit, 8 * unit], [2.0, 0.5, 0.25]),
    ]


def question(rng, A, lengths, *, cutoffs, endpoints):
    """A graph with lengths or without, and options that are drawn: demand, decay, or both."""
    weighted, n = lengths is not None, A.shape[0]
    B = with_lengths(A, lengths, seed=3) if weighted else A
    unit = float(np.mean(lengths)) if weighted else 1.0
    options = {"weighted": weighted, "directed": bool(rng.random() < 0.5)}
    kind = rng.integers(3)
    if kind:
        options["decay"] = decays(unit)[rng.integers(5)]
    if kind != 1:
        options["demand"] = trips(n, seed=int(rng.integers(1 << 30)))
    cutoff = [None, 4 * unit, [6 * unit, 2 * unit, np.inf]][rng.integers(min(cutoffs, 2) + 1)]
    if cutoff is not None:
        options["cutoff"] = cutoff
    for name in ("source_weights", "target_weights"):
        if rng.random() < 0.5:
            options[name] = rng.integers(0, 4, n) * rng.random(n)
    if endpoints:
        options["endpoints"] = bool(rng.random() < 0.5)
    return B, options


def compare(A, names, options, **run):
    """The numbers of a GPU, those of the CPU, and of the reference engine on few nodes."""
    got = numbers(centralities(A, names, device="cuda", **options, **run))
    for device in ("cpu", "reference")[: 1 + (A.shape[0] <= LITERAL)]:
        want = numbers(centralities(A, names, device=device, **options))
        assert_allclose(got, want, rtol=1e-9, atol=1e-12 * np.nanmax(np.abs(want), initial=0))
    return got


@pytest.fixture
def swept(monkeypatch):
    """Files of the kernels that sweep."""
    files, start = set(), table.OnGPU.start

    def noted(self, *arguments):
        files.update(self.files)
        return start(self, *arguments)

    monkeypatch.setattr(table.OnGPU, "start", noted)
    return files


@pytest.fixture
def each_source(monkeypatch):
    """No sources share an order of nodes."""
    monkeypatch.setattr("sparsebc.engines.cuda.high_diameter.shared_order.MOST_SLOTS", 0)


@pytest.fixture
def clustered(monkeypatch):
    """Few sources have one order of nodes as well."""
    for name in ("ORDERS", "ORDERS_BY_EDGES", "ORDERS_OF_DISTANCES"):
        monkeypatch.setattr(batching, name, 0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", GRAPHS)
def test_of_each_source(name, kind, swept, each_source, monkeypatch):
    """A worker takes one source after the other, and another demand with each."""
    rng = np.random.default_rng([list(GRAPHS).index(name), list(KINDS).index(kind)])
    monkeypatch.setattr("sparsebc.engines.cuda.common.per_source.MOST_WORKERS", 5)
    for _ in range(4):
        A, options = question(rng, GRAPHS[name], KINDS[kind], cutoffs=2, endpoints=True)
        compare(A, NAMES, options)
    file = "source/brandes_source" if kind == "edges" else "weighted/brandes_weighted"
    assert swept == {f"cuda/brandes_{file}.cu"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", STREETS)
def test_of_clustered_sources(name, kind, swept, clustered, monkeypatch):
    """64 to a block of threads, which takes several batches; by length within a cutoff as well."""
    rng = np.random.default_rng([list(STREETS).index(name), list(KINDS).index(kind)])
    monkeypatch.setattr("sparsebc.engines.cuda.common.per_source.MOST_WORKERS", 3)
    for _ in range(4):
        cutoffs = int(kind != "edges")
        A, options = question(rng, STREETS[name], KINDS[kind], cutoffs=cutoffs, endpoints=False)
        compare(A, NAMES[:2], {"reduce": "none", **options})
    assert "cuda/high_diameter/brandes_high_diameter.cu" in swept  # sources that lie apart go alone


@pytest.mark.parametrize("kind", ["edges", "whole", "uneven"])
@pytest.mark.parametrize("way", ["each_source", "clustered"])
def test_no_bit_changes(way, kind, request, monkeypatch):
    """One worker at a time, and short launches."""
    request.getfixturevalue(way)
    monkeypatch.setattr("sparsebc.engines.cuda.common.per_source.MOST_WORKERS", 7)
    A = STREETS["one-way streets"]
    A = A if KINDS[kind] is None else with_lengths(A, KINDS[kind], seed=3)
    options = {
        "weighted": kind != "edges",
        "decay": ("gaussian", 9.0),
        "demand": trips(A.shape[0]),
        "device": "cuda",
    }
    want = numbers(centralities(A, NAMES[:2], **options))
    changes = {
        "sssp.sssp.LAUNCH_ARCS": 1,
        "high_diameter.shared_order.LAUNCH_NODES": 1,
    }
    for name, value in changes.items():
        with monkeypatch.context() as patch:
            patch.setattr(f"sparsebc.engines.cuda.{name}", value)
            assert_array_equal(numbers(centralities(A, NAMES[:2], **options)), want)
    with monkeypatch.context() as patch:
        short_of_memory(patch, "one", most=1)
        assert_array_equal(numbers(centralities(A, NAMES[:2], **options)), want)


def test_a_budget_for_one_worker():
    """The plan has room for the demand, and for the weights of a worker."""
    A = with_lengths(LARGEST["hubs"], [0.1, 4.7])
    options = {"weighted": True, "demand": trips(A.shape[0]), "decay": ("power", 0.5)}
    want = betweenness(A, device="cuda", **options)
    assert_allclose(want, betweenness(A, device="cpu", **options), rtol=1e-9, atol=1e-15)
    with pytest.raises(MemoryError) as refused:
        betweenness(A, device="cuda", memory_budget=1, **options)
    least = int(re.search(r"needs (\d+) bytes", str(refused.value))[1])
    got = betweenness(A, device="cuda", memory_budget=least, **options)
    assert_array_equal(got, want)


def test_levels_beyond_a_mark(each_source, monkeypatch):
    """Weights are those of levels, however often marks begin again."""
    A = LARGE["grid"]
    options = {"decay": ([0, 45], [1, 0.1]), "demand": trips(A.shape[0])}
    monkeypatch.setattr("sparsebc.engines.cuda.brandes_source.brandes_source.SHARING", ((512, 0),))
    file = "brandes_source/brandes_source.cu"
    with changed_sources(monkeypatch, file, "LEVELS = 255;", "LEVELS = 3;"):
        compare(A, NAMES, options)


@pytest.mark.parametrize("weighted", [False, True])
def test_path_counts_beyond_seeds(weighted):
    """More paths than weights of pairs leave room for: by edges on the device, else on the host."""
    A = chained_squares(600)
    D = sp.csr_array(([1.0, 2.0, 1.0], ([0, 5, 600], [600, 300, 0])), shape=A.shape)
    options = {"demand": D, "decay": ("exponential", 0.02), "weighted": weighted}
    compare(A + A.T, NAMES[:2], options)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "edges"])
@pytest.mark.parametrize("way", ["each_source", "clustered"])
def test_access(way, kind, swept, request, monkeypatch):
    """Kinds of places together; several cutoffs where each source is searched from alone."""
    request.getfixturevalue(way)
    monkeypatch.setattr("sparsebc.engines.cuda.common.per_source.MOST_WORKERS", 3)
    A, unit = STREETS["one-way streets"], float(np.mean(KINDS[kind]))
    A, n, rng = with_lengths(A, KINDS[kind], seed=3), A.shape[0], np.random.default_rng(5)
    W = rng.random((n, 3)) * (rng.random((n, 3)) < 0.7)
    cutoffs = [None, 4 * unit, [6 * unit, 2 * unit, np.inf]]
    ways = {"weighted": True, "reduce": "none"}
    for decay in (None, *decays(unit)):
        for cutoff in cutoffs[: 3 if way == "each_source" else 2]:
            given = {"decay": decay, "cutoff": cutoff, **ways}
            for places, direction in ((W, "out"), (W[:, 0], "in")):
                got, want = (
                    accessibility(A, places, direction=direction, device=device, **given)
                    for device in ("cuda", "cpu")
                )
                assert_allclose(got, want, rtol=1e-11)
    for measure in (closeness, harmonic):
        got, want = (
            measure(A, target_weights=W[:, 0], device=device, **ways) for device in ("cuda", "cpu")
        )
        assert_allclose(got, want, rtol=1e-11)
    folder = "high_diameter" if way == "clustered" else "sssp"
    assert f"cuda/{folder}/distance_sums.cu" in swept
