"""Nodes that an arc too short for a bucket leads to are settled in order among themselves."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import matrix, with_lengths
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csgraph

from sparsebc import betweenness, centralities, edge_betweenness
from sparsebc.engines.cpu.sssp import sssp

STREETS = with_lengths(
    matrix(nx.grid_2d_graph(17, 16)), np.append(np.linspace(1, 4, 40), [0.01, 0.02, 0.3])
)
MAGNITUDES = with_lengths(STREETS, np.geomspace(1e-9, 1, 40))


def late_in(A):
    """Nodes that a search sorts."""
    return sssp.search(A.indptr, A.indices, A.data, np.zeros(1, np.uint8)).late


@pytest.mark.parametrize(
    ("A", "share", "is_mixed"),
    [(STREETS, 0.1, True), (STREETS, 0.9, False), (MAGNITUDES, sssp.SHORT, False)],
    ids=["few are short", "most", "several magnitudes"],
)
def test_a_search_that_ends_early_leaves_nothing_behind(A, share, is_mixed, monkeypatch):
    """Trips from one node after the other: lengths times flows add up to all distances."""
    monkeypatch.setattr(sssp, "SHORT", share)
    late = late_in(A)
    assert late.any()
    assert late.all() != is_mixed
    D, rng = csgraph.dijkstra(A), np.random.default_rng(0)
    rank = D.argsort(axis=1).argsort(axis=1)
    near = (rank > 0) & (rank < 20) & np.isfinite(D) & (rng.random(D.shape) < 0.2)
    ways = {"weighted": True, "normalized": False, "device": "cpu", "reduce": []}
    assert_allclose((edge_betweenness(A, demand=near, **ways) * A).sum(), D[near].sum(), rtol=1e-12)


@pytest.mark.parametrize(("A", "share"), [(STREETS, 0.9), (MAGNITUDES, sssp.SHORT)])
def test_a_source_without_targets_is_complete_itself(A, share, monkeypatch):
    """Its trips lead to nodes that are no targets, and it is one of the nodes that are sorted."""
    monkeypatch.setattr(sssp, "SHORT", share)
    trips = sp.csr_array(([1.0, 1.0], ([0, 3], [1, 4])), shape=A.shape)
    assert late_in(A)[0]
    assert not betweenness(A, weighted=True, demand=trips, targets=[4], sources=[0]).any()


@st.composite
def nearly_tied(draw):
    """A directed graph of lengths that differ by nothing, by roundings, or by a tolerance."""
    n = draw(st.integers(3, 9))
    near = st.sampled_from([1, 1 + 1e-15, 1 + 3e-11, 1 + 1e-9, 1 + 1e-4, 1.2])
    length = st.builds(float.__mul__, near.map(float), st.sampled_from([1e-7, 0.01, 0.5, 1.0, 2.0]))
    arc = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    arcs = draw(st.dictionaries(arc.filter(lambda arc: arc[0] != arc[1]), length, min_size=1))
    return sp.coo_array((list(arcs.values()), tuple(zip(*arcs, strict=True))), shape=(n, n))


@given(nearly_tied(), st.sampled_from([0, 1e-11, 1e-10, 1e-4, 9e-4]), st.sampled_from([None, 1.5]))
def test_the_last_node_of_the_only_way_is_known(A, tie_rtol, cutoff):
    """Where others come near, or an edge could be lost, paths are counted along all edges."""
    names = ["betweenness", "edge_betweenness", "stress"]
    asked = {"weighted": True, "tie_rtol": tie_rtol, "cutoff": cutoff, "reduce": "none"}
    found = []
    for device in ("cpu", "reference"):
        try:
            scores = centralities(A, names, device=device, normalized=False, **asked)
        except ValueError as error:
            found.append(str(error))
        else:
            found.append(np.concatenate([s.data if sp.issparse(s) else s for s in scores.values()]))
    if isinstance(found[1], str):
        assert isinstance(found[0], str)
    else:
        assert_allclose(found[0], found[1], rtol=1e-12, atol=1e-12)
