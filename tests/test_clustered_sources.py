"""Sources that share a search on the CPU: what each alone finds, and which of them do.

By length eight at once share an order of the nodes, or 64 on a low-diameter graph, if only their
distances are wanted. The conformance suite asks small graphs.
"""

from unittest import mock

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from conformance.knobs import turned
from graphs import close, matrix, one_way, with_lengths
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csgraph

from sparsebc import betweenness
from sparsebc.engines.common import batching
from sparsebc.engines.common.base import Sweep
from sparsebc.engines.common.sums import Batch
from sparsebc.engines.cpu.brandes_weighted import brandes_weighted_high_diameter
from sparsebc.engines.cpu.common.state import DONE, LEFT
from sparsebc.engines.cpu.sssp import distance_sums
from sparsebc.engines.cpu.sssp.distance_sums import LengthSearch
from sparsebc.errors import RangeError
from sparsebc.matrix import read_matrix
from sparsebc.matrix.edge_weights import Lengths
from sparsebc.testing import by_definition, graphs
from sparsebc.testing import options as some_options

STREETS = matrix(nx.grid_2d_graph(30, 30))
KARATE = matrix(nx.karate_club_graph())


def with_sinks(A, count):
    """Nodes that no arc leaves, each with arcs from one node to nine; some lead to no other."""
    n, drawn, rows = A.shape[0], np.random.default_rng(8), sp.coo_array(A)
    heads = n + np.repeat(np.arange(count), 1 + np.arange(count) % 9)
    tails = (7 * heads + drawn.integers(9, size=heads.size)) % n
    kept = rows.row % 50 > 0
    pairs = np.append(rows.row[kept], tails), np.append(rows.col[kept], heads)
    return sp.csr_array(sp.coo_array((np.ones(pairs[0].size), pairs), shape=(n + count,) * 2))


# A walk goes back to what waits behind it before it has come to the end; rows of one arc to nine.
DISTRICT = nx.convert_node_labels_to_integers(nx.grid_2d_graph(80, 80))
DISTRICT.add_edges_from((i, 6400 + i // 3) for i in range(0, 6400, 7))
GRAPHS = {
    "streets": with_lengths(STREETS, range(1, 10)),
    "uneven streets": with_lengths(STREETS, np.geomspace(0.1, 1e3, 50)),
    "one way": sp.csr_array(sp.triu(with_lengths(STREETS, range(1, 4)), k=1)),
    "one-way streets": with_lengths(matrix(one_way(nx.grid_2d_graph(40, 30), 0.2, 3)), [1, 2, 5]),
    "streets to sinks": with_lengths(with_sinks(STREETS, 300), [1, 2, 5]),
    "components": with_lengths(sp.block_diag([STREETS, KARATE], "csr"), [1, 2, 5]),
    "shallow": with_lengths(KARATE, np.linspace(0.3, 3, 11)),
    "hubs": with_lengths(matrix(nx.barabasi_albert_graph(600, 4, seed=3)), np.geomspace(1, 40, 60)),
    "district": with_lengths(matrix(DISTRICT), np.geomspace(1, 300, 41)),
    "one way district": sp.csr_array(
        with_lengths(matrix(DISTRICT), [1, 50, 3]) + sp.triu(matrix(DISTRICT), k=1)
    ),
}


def zigzag(m):
    """Node 0 has edges to all of a path that starts from node 1, in an order that turns at each."""
    path = np.arange(m)
    far = 10 * m
    from_hub = far + np.where(path % 2, path, 2 * m - path)
    tails = np.concatenate([np.zeros(m + 1), [1], path[:-1] + 2])
    heads = np.concatenate([[1], path + 2, [2], path[1:] + 2])
    lengths = np.concatenate([[2 * far], from_hub, np.full(m, 2 * m + 1)])
    return sp.csr_array((lengths, (tails.astype(int), heads)), shape=(m + 2, m + 2))


def against(m):
    """A path along which node m + 1 meets 1..m from the far end, and node 0 from the near one.

    Node 0 has an edge to each, the farther the more it exceeds the way along the path, and longer
    than all of that.
    """
    path = np.arange(1, m)
    tails = np.concatenate([path, path + 1, np.zeros(m, dtype=int), [m + 1]])
    heads = np.concatenate([path + 1, path, np.arange(1, m + 1), [m]])
    lengths = np.concatenate([np.ones(2 * m - 2), m + 2.0 * np.arange(1, m + 1), [1]])
    return sp.csr_array((lengths, (tails, heads)), shape=(m + 2, m + 2))


@pytest.fixture
def shared(monkeypatch):
    """By kernel that takes several sources: of each call what it returned, and the sources."""
    calls = {}

    def spied(name, kernel, position):
        def noted(*arguments):
            found = kernel(*arguments)
            calls.setdefault(name, []).append((found, arguments[position].size))
            return found

        return noted

    for module, name, position in (
        (brandes_weighted_high_diameter, "run", 3),
        (distance_sums, "accumulate_batch", -4),
        (distance_sums, "accumulate_clustered", -4),
    ):
        monkeypatch.setattr(module, name, spied(name, getattr(module, name), position))
    return calls


@pytest.mark.parametrize(
    ("A", "sources", "high_diameter", "least"),
    [
        *((A, range(29), False, 29) for A in GRAPHS.values()),
        *((A, range(min(64, A.shape[0])), True, 16) for A in GRAPHS.values()),
        (zigzag(1000), [0, 1], False, 0),
        (against(100), [101, 0], True, 0),
    ],
)
def test_sources_in_one_order_have_the_sums_of_each_alone(A, sources, high_diameter, least, shared):
    """Sums are the same, weights and all; once an order is of no use, the others go alone."""
    graph = read_matrix.weighted(A, directed=True).with_unit_lengths()
    sources = np.array(sources, dtype=np.int32)
    sweep = Sweep("distances by length", 64, high_diameter=high_diameter)
    together, alone = (
        LengthSearch(graph, sweep, np.zeros(1, dtype=np.uint8)).accumulate(
            [Batch(sources, sources + 1.0, clustered, sources / 8)]
        )
        for clustered in (True, False)
    )
    [[(done, asked)]] = shared.values()
    assert least <= done <= asked == sources.size
    assert (done == 0) == (least == 0)
    for got, want in zip(together, alone, strict=True):
        assert_allclose(got, want, rtol=1e-12)


@pytest.mark.parametrize("limit", [None, "limit"])
def test_distances_beyond_limits_are_refused(limit, shared, monkeypatch):
    """None may pass 2**53, together or alone."""
    A, sources = GRAPHS["streets"], range(40)
    far = csgraph.dijkstra(A, indices=sources).max()
    asked = {"weighted": True, "sources": sources, "reduce": "none", "device": "cpu"}
    want = betweenness(A, **asked)
    shared.clear()
    if limit:
        monkeypatch.setattr(Lengths, limit, np.nextafter(far, 0))
    if limit == "limit":
        with pytest.raises(RangeError, match="distance exceeds 2"):
            betweenness(A, **asked)
        assert max(outcome for outcome, _ in shared["run"]) >= LEFT
    else:
        assert_array_equal(betweenness(A, **asked), want)
        assert {outcome for outcome, _ in shared["run"]} == {DONE}


def test_a_length_is_a_path_of_as_many_edges():
    """Within a cutoff, where nodes of one batch lie beside those of the next."""
    streets = sp.triu(with_lengths(matrix(nx.grid_2d_graph(60, 60)), [1.0, 2.0, 3.0]), format="coo")
    n, long = streets.shape[0], streets.data.astype(int)
    inner = n + np.arange((long - 1).sum())
    ends = np.split(inner, np.cumsum(long - 1)[:-1])
    paths = [[u, *way, v] for u, way, v in zip(streets.row, ends, streets.col, strict=True)]
    graph = nx.Graph()
    graph.add_nodes_from(range(n + inner.size))
    for path in paths:
        nx.add_path(graph, path)
    is_node = np.arange(n + inner.size) < n
    ways = {"directed": False, "normalized": False, "cutoff": 20, "device": "cpu"}
    weights = dict.fromkeys(("source_weights", "target_weights"), is_node * 1)
    want = betweenness(matrix(graph), **weights, **ways)[:n]
    got = betweenness(streets, weighted=True, workers=1, **ways)
    assert_allclose(got, want, rtol=1e-12)


@pytest.mark.parametrize("n", [3, 70, 130])
def test_searches_that_start_late_reach_the_ends_of_a_path(n):
    """Those from beside the busiest node, an end of it: by their starts, in more than n steps."""
    with turned({"shifted starts"}, on_gpu=False):
        got = betweenness(matrix(nx.path_graph(n)), reduce="none", normalized=False, device="cpu")
    close(got, 2.0 * np.arange(n) * np.arange(n)[::-1])


PAIRS = ("directed", "sources", "targets", "source_weights", "target_weights")


@given(graphs(), st.data())
def test_scores_of_few_sources_are_those_of_the_definition(A, data):
    """Where all rows pull, which the questions of the conformance suite rarely ask for."""
    call = data.draw(some_options(A.shape[0], *PAIRS))
    with mock.patch.multiple(batching, BRIEF_ARCS=0, BRIEF_SOURCES_HIGH_DIAMETER=9):
        close(betweenness(A, **call, device="cpu"), by_definition(A, **call))
