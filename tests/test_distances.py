"""Closeness, harmonic centrality and eccentricity, from their definitions and beside NetworkX."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import LARGE, MEDIUM, peer
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from oracle import shortest_paths_from, successors

from sparsebc import closeness, eccentricity, engines, harmonic
from sparsebc.testing import matrices

MEASURES = {"closeness": closeness, "harmonic": harmonic, "eccentricity": eccentricity}


def distances_from_paths(A, directed):
    """Distances by writing down every path; NaN on the diagonal, inf where there is no path."""
    coo = A.tocoo()
    n = A.shape[0]
    edges = list(zip(coo.row.tolist(), coo.col.tolist(), strict=True))
    steps = successors(n, edges, directed=directed)
    D = np.full((n, n), np.inf)
    for s in range(n):
        for t, paths in shortest_paths_from(steps, s).items():
            D[s, t] = len(paths[0]) - 1 if s != t else np.nan
    return D


@given(
    matrices(max_nodes=7), st.booleans(), st.sampled_from(["in", "out"]), st.booleans(), st.data()
)
def test_from_the_definitions(A, directed, direction, option, data):
    """Every option, all sources or some, on any class of matrix; the matrix is left alone."""
    n = A.shape[0]
    before = A.copy()
    some = st.none() if n == 0 else st.none() | st.sets(st.integers(0, n - 1), min_size=1)
    sources = data.draw(some.map(lambda nodes: nodes if nodes is None else sorted(nodes)))
    D = distances_from_paths(A, directed)
    D = D if direction == "in" else D.T
    D = D[slice(None) if sources is None else sources]
    given_ = {"directed": directed, "direction": direction, "sources": sources}
    close = closeness(A, wf_improved=option, **given_)
    near = harmonic(A, **given_)
    far = eccentricity(A, reachable_only=option, **given_)
    inverse = eccentricity(A, reachable_only=option, reciprocal=True, **given_)
    assert_array_equal(before.toarray(), A.toarray())
    assert close.shape == near.shape == far.shape == (n,)
    for v in range(n):
        others = [d for d in D[:, v] if not np.isnan(d)]
        hops = [d for d in others if d < np.inf]
        want = len(hops) / sum(hops) if hops else 0
        assert close[v] == pytest.approx(want * (len(hops) / len(others) if option and hops else 1))
        assert near[v] == pytest.approx(sum(1 / d for d in hops))
        assert far[v] == max(hops if option else others, default=0)
        assert inverse[v] == (1 / far[v] if far[v] else 0)


GRAPHS = {**MEDIUM, **LARGE}


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("directed", [True, False])
def test_beside_networkx(name, directed):
    """More than two groups of 64 sources, deep and shallow, with one component and many."""
    A = GRAPHS[name]
    G = peer(A, directed=directed)
    for wf_improved in (True, False):
        want = nx.closeness_centrality(G, wf_improved=wf_improved)
        got = closeness(A, directed=directed, wf_improved=wf_improved)
        assert_allclose(got, list(want.values()), rtol=1e-12)
    assert_allclose(
        harmonic(A, directed=directed), list(nx.harmonic_centrality(G).values()), rtol=1e-12
    )
    whole = nx.is_strongly_connected(G) if directed else nx.is_connected(G)
    got = eccentricity(A, directed=directed)
    if whole:
        assert_array_equal(got, list(nx.eccentricity(G).values()))
    else:
        assert np.isinf(got).any()


@pytest.mark.parametrize("name", ["digraph", "disconnected", "streets"])
def test_some_sources_beside_networkx(name):
    """NetworkX has them for harmonic centrality alone."""
    A = GRAPHS[name]
    sources = np.random.default_rng(5).choice(A.shape[0], 20, replace=False)
    want = nx.harmonic_centrality(peer(A, directed=True), sources=sources.tolist())
    assert_allclose(harmonic(A, sources=sources), list(want.values()), rtol=1e-12)


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
@pytest.mark.parametrize("name", ["large digraph", "streets", "arborescence"])
def test_other_direction_is_the_transpose(measure, name):
    """To a node along the edges is from it against them."""
    A = LARGE[name]
    assert_array_equal(measure(A, direction="out"), measure(sp.csr_array(A.T), direction="in"))


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
def test_workers_change_no_bit(measure):
    """And the progress ends at the number of sources."""
    A, calls = LARGE["large hubs"], []
    want = measure(A, workers=1)
    got = measure(A, workers=3, progress=lambda *call: calls.append(call))
    assert_array_equal(got, want)
    assert calls[-1] == (A.shape[0], A.shape[0])


def test_blocks_of_many_groups(monkeypatch):
    """Fewer blocks, the same whole numbers."""
    A = LARGE["sparse"]
    want = closeness(A)
    monkeypatch.setattr(engines, "BLOCKS", 2)
    assert_array_equal(closeness(A), want)


@pytest.mark.parametrize("n", [3, 8, 65, 200])
def test_closed_forms(n):
    """Path, cycle, star and complete graph."""
    path, cycle = nx.path_graph(n), nx.cycle_graph(n)
    star, complete = nx.star_graph(n - 1), nx.complete_graph(n)
    A = {g: nx.to_scipy_sparse_array(g) for g in (path, cycle, star, complete)}
    assert_array_equal(eccentricity(A[path]), [max(v, n - 1 - v) for v in range(n)])
    assert_array_equal(eccentricity(A[cycle]), n // 2)
    assert_array_equal(eccentricity(A[star]), [1] + [2] * (n - 1))
    assert_array_equal(closeness(A[complete]), 1)
    assert_array_equal(harmonic(A[complete]), n - 1)
    assert_allclose(closeness(A[star])[1:], (n - 1) / (2 * n - 3))
    assert_allclose(harmonic(A[path])[0], sum(1 / d for d in range(1, n)))


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
def test_nothing_to_reach(measure):
    """No nodes, one node, no edges."""
    assert measure(sp.csr_array((0, 0))).shape == (0,)
    assert_array_equal(measure(sp.csr_array((1, 1))), [0])
    alone = [np.inf] * 3 if measure is eccentricity else [0] * 3
    assert_array_equal(measure(sp.csr_array((3, 3))), alone)


PATH = sp.csr_array(np.eye(4, k=1))


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"directed": 0}, TypeError, "directed must be True or False, got 0"),
        ({"direction": "up"}, ValueError, "direction must be 'in' or 'out', got 'up'"),
        ({"sources": []}, ValueError, "sources is empty: leave it out"),
        ({"sources": [1, 1]}, ValueError, "sources names node 1 more than once"),
        ({"sources": [9]}, ValueError, r"sources must lie in 0..3, got 9"),
        ({"device": "reference"}, ValueError, "'reference' does not search"),
        ({"workers": -1}, ValueError, "workers must be at least 1, got -1"),
    ],
)
def test_bad_arguments(measure, options, error, message):
    """The message names the argument, the value and the way out."""
    with pytest.raises(error, match=message):
        measure(PATH, **options)


@pytest.mark.parametrize(
    ("measure", "option"),
    [(closeness, "wf_improved"), (eccentricity, "reachable_only"), (eccentricity, "reciprocal")],
)
def test_flags_are_flags(measure, option):
    """Nothing but True and False."""
    with pytest.raises(TypeError, match=f"{option} must be True or False, got 'no'"):
        measure(PATH, **{option: "no"})
