"""Cliffs of the kernels of a GPU: lists that run out, ranges, and more than a block holds.

Numbers of smaller problems are asked by the conformance suite, bits by `test_gpu_bits`.
"""

import logging
import re

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from changed_kernels import changed_sources, short_of_memory
from graphs import LARGEST, matrix, one_way, trips, with_lengths
from numpy.testing import assert_allclose, assert_array_equal

from sparsebc import accessibility, betweenness, bfs, edge_betweenness, harmonic, shortest_paths
from sparsebc.engines.common import batching
from sparsebc.engines.cuda import kernel_table as table

pytestmark = pytest.mark.gpu

UNEQUAL = np.append(np.arange(1, 6), 1 << 16)
# By edges; lengths that differ much, and little; distances that 32 bits do not hold; and floats.
KINDS = {
    "edges": None,
    "lengths": UNEQUAL,
    "narrow": np.arange(1, 6),
    "far": UNEQUAL << 20,
    "floats": UNEQUAL / 10,
}
STREETS = {
    "one-way streets": matrix(one_way(nx.grid_2d_graph(9, 50), 0.2, 3)),
    "junctions": matrix(nx.corona_product(nx.path_graph(40), nx.cycle_graph(12))),
}


def of_kind(A, kind):
    """A graph, with lengths if its kind has some."""
    return A if KINDS[kind] is None else with_lengths(A, KINDS[kind], seed=5)


@pytest.fixture
def clustered(monkeypatch):
    """Scores by the kernel of clustered sources, which few sources are enough for."""
    from sparsebc.engines.cuda.high_diameter.shared_order import SharedOrder

    ran, take = [], SharedOrder.take

    def spied(self, batches, **weights):
        ran.append(len(batches))
        return take(self, batches, **weights)

    for name in ("BY_LENGTH", "BY_EDGES", "OF_DISTANCES"):
        monkeypatch.setattr(batching, f"ORDER_{name}", 0)
    monkeypatch.setattr(SharedOrder, "take", spied)

    def scores(A, kind, device="cuda", **options):
        ran.clear()
        ways = {"weighted": KINDS[kind] is not None, "directed": bool((A != A.T).nnz)}
        found = betweenness(A, device=device, reduce="none", **ways, **options)
        assert bool(ran) == (device == "cuda")
        return found

    return scores


def test_the_last_node_of_the_last_word_is_found(clustered):
    """A node that only the last round finds, of as many as words of bits hold."""
    parts = [nx.path_graph(462), *(nx.path_graph(2) for _ in range(25))]
    A = of_kind(matrix(nx.disjoint_union_all(parts)), "lengths")
    sources = np.append(0, np.arange(462, 512))
    want = clustered(A, "lengths", "reference", sources=sources)
    assert_allclose(clustered(A, "lengths", sources=sources), want, rtol=1e-12)


@pytest.mark.parametrize("kind", ["lengths", "edges"])
def test_counts_of_clustered_sources_beyond_floats(clustered, kind):
    """They are found, and swept again: two ways on from every third node."""
    pairs = [(k, k + j) for k in range(0, 450, 3) for j in (1, 2)]
    A = sp.coo_array(matrix(nx.Graph(pairs + [(b, a + 3) for a, b in pairs])))
    A.data = np.where(np.minimum(A.row, A.col) // 3 % 2, 1.0, UNEQUAL[-1])
    want = clustered(A.tocsr(), kind, "reference")
    assert_allclose(clustered(A.tocsr(), kind, dtype="float32"), want, rtol=2e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_a_window_that_moves_loses_no_node(clustered, kind, monkeypatch):
    """Ahead and back, while who waits lies far ahead: edges that lead to the far side."""
    streets = nx.grid_2d_graph(24, 1000)
    far = [((row, 3), (row, 17 * row + 400)) for row in range(24)]
    A = of_kind(matrix(nx.Graph([*streets.edges, *far])), kind)
    monkeypatch.setattr(batching.balls, "VISITS", A.shape[0])
    for sources in (np.arange(64), np.arange(64) * 375):
        want = clustered(A, kind, sources=sources)
        exact = clustered(A, kind, "cpu", sources=sources)
        assert_allclose(want, exact, rtol=1e-10, atol=1e-9)
        change = "high_diameter/brandes_high_diameter.cu", "WINDOW = 4096;", "WINDOW = 256;"
        with changed_sources(monkeypatch, *change):
            assert_array_equal(clustered(A, kind, sources=sources), want)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", STREETS)
def test_a_bad_order_changes_no_score(clustered, name, kind, monkeypatch):
    """Sources that lie apart have no order in common: the kernel does not go back for ever."""
    A = of_kind(STREETS[name], kind)
    want = clustered(A, kind)
    assert_allclose(want, clustered(A, kind, "cpu"), rtol=1e-11)
    found = batching.found_balls

    def shuffled(graph, sources, *rest):
        place, sizes, radii = found(graph, sources, *rest)
        return np.random.default_rng(1).permutation(place), sizes, radii

    monkeypatch.setattr(batching, "found_balls", shuffled)
    for rounds in (0, 5, 1 << 14):
        change = "PATIENCE = 16384;", f"PATIENCE = {rounds};"
        with changed_sources(monkeypatch, "high_diameter/brandes_high_diameter.cu", *change):
            assert_allclose(clustered(A, kind), want, rtol=1e-12)


def test_counts_by_length_beyond_floats_are_taken_by_the_host(caplog):
    """The host's threads and memory take them, whatever is left on the device."""
    lengths = np.resize([1.0, 2.0], 329)  # all alike, they would be edges
    A = sp.csr_array(sp.kron(sp.diags_array(lengths, offsets=1), np.ones((10, 10))))
    options = {"weighted": True, "sources": range(200)}
    with caplog.at_level(logging.INFO, logger="sparsebc"):
        got = betweenness(A, device="cuda", workers=3, **options)
    assert_allclose(got, betweenness(A, device="cpu", **options), rtol=1e-11)
    messages = [record.getMessage() for record in caplog.records]
    message = next(text for text in messages if "extended range" in text)
    assert message.startswith("device cpu, extended range, ")
    assert "4 blocks, 3 workers" in message


def test_batches_that_run_out_of_memory_go_one_by_one(monkeypatch, caplog):
    """Batches one after the other where memory runs out, with a warning; a block for each."""
    A = sp.csr_array(sp.random(3000, 3000, 0.001, random_state=3, format="csr"))
    want = harmonic(A, device="cuda")
    with monkeypatch.context() as patch:
        short_of_memory(patch, "one batch", most=1)
        assert_array_equal(harmonic(A, device="cuda"), want)
    assert any("out of device memory" in record.getMessage() for record in caplog.records)
    monkeypatch.setattr(table, "BLOCK_SLOTS", 3000)
    assert_allclose(harmonic(A, device="cuda"), want, rtol=1e-14)


UNEVEN = with_lengths(LARGEST["hubs"], [0.1, 4.7])
BY_LENGTH = {"weighted": True}
CALLS = {
    "in step": (edge_betweenness, LARGEST["hubs"], {}),
    "alone": (edge_betweenness, LARGEST["streets"], {}),
    "by length": (betweenness, UNEVEN, BY_LENGTH),
    "pairs": (
        edge_betweenness,
        LARGEST["streets"],
        {"demand": trips(1225), "decay": ("linear", 9)},
    ),
    "pairs by length": (betweenness, UNEVEN, BY_LENGTH | {"demand": trips(1200)}),
    "access": (accessibility, UNEVEN, BY_LENGTH | {"W": np.ones((1200, 3))}),
    "distances": (harmonic, LARGEST["hubs"], {}),
    "distances by length": (harmonic, UNEVEN, BY_LENGTH),
    "levels": (bfs, LARGEST["hubs"], {"sources": range(1000)}),
    "rows by length": (shortest_paths, UNEVEN, BY_LENGTH | {"sources": range(300)}),
}


@pytest.mark.parametrize(("function", "A", "options"), CALLS.values(), ids=CALLS)
def test_memory_is_as_planned(function, A, options, monkeypatch):
    """What is on the device while state is there fits the budget: the least, and some more."""
    import cupy

    from sparsebc.engines.cuda.runtime.allocation import InFlight

    pool, reserve, used = cupy.get_default_memory_pool(), InFlight.reserve, []

    def spied(self, slots):
        slots = reserve(self, slots)
        used.append(pool.used_bytes())
        return slots

    function(A, device="cuda", **options)  # what is kept for later calls is there
    monkeypatch.setattr(InFlight, "reserve", spied)
    with pytest.raises(MemoryError) as refused:
        function(A, device="cuda", memory_budget=1, **options)
    least = int(re.search(r"needs (\d+) bytes", str(refused.value))[1])
    before = pool.used_bytes()
    for budget in (least, 2 * least):
        function(A, device="cuda", memory_budget=budget, **options)
    assert used
    assert max(used) - before <= 2 * least
