"""Adaptive sampling for chosen nodes: fewer samples the more central they are."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from estimates import GRAPHS
from graphs import matrix
from hypothesis import given
from hypothesis import strategies as st

from sparsebc import Adaptive, adaptive_betweenness, approximate_betweenness, betweenness
from sparsebc.testing import matrices


def test_adaptive_takes_fewer_samples_for_central_nodes(device):
    """The hub of a wheel is done after the first rounds; a node that is passed by none is exact."""
    A = matrix(nx.compose(nx.wheel_graph(600), nx.complete_graph([0, 1, 2, 3])))
    exact = betweenness(A, directed=False)
    quiet = int(exact.argmin())
    found = adaptive_betweenness(A, [0, quiet, 0], rng=14, directed=False, device=device)
    assert isinstance(found, Adaptive)
    assert found.samples.tolist() == [found.samples[0], 600, found.samples[0]]
    assert found.samples[0] < 300
    assert abs(found.scores[0] / exact[0] - 1) < 0.1
    np.testing.assert_allclose(found.scores[1], exact[quiet], rtol=1e-12, atol=1e-15)


@given(matrices(), st.booleans(), st.floats(0.1, 9), st.integers(0, 2**32))
def test_adaptive_law(A, directed, c, seed):
    """A node stops with enough gathered, c n, or with all sources, and then it is exact."""
    n = A.shape[0]
    if n == 0:
        return
    found = adaptive_betweenness(A, range(n), c=c, rng=seed, directed=directed)
    exact = betweenness(A, directed=directed)
    population = approximate_betweenness(A, epsilon=0.5, directed=directed).population
    assert (found.samples <= population).all()
    done = found.samples == population
    np.testing.assert_allclose(found.scores[done], exact[done], rtol=1e-12, atol=1e-15)
    gathered = found.scores * (n - 1) * (n - 2) * found.samples / max(population, 1)
    assert (gathered[~done] >= c * n * (1 - 1e-12)).all()


def test_adaptive_gathers_enough():
    """Of many nodes, those that stop early have gathered c n."""
    A, c = GRAPHS["hubs"], 1.5
    n = A.shape[0]
    found = adaptive_betweenness(A, range(n), c=c, rng=15, directed=False, device="cpu")
    early = found.samples < found.samples.max()
    assert 0 < np.count_nonzero(early) < n
    gathered = found.scores * (n - 1) * (n - 2) * found.samples / n
    assert (gathered[early] >= c * n * (1 - 1e-12)).all()


BAD_ADAPTIVE = [
    ({"nodes": []}, ValueError, ["nodes is empty"]),
    ({"nodes": [5]}, ValueError, ["nodes", "0..4", "got 5"]),
    ({"nodes": ["a"]}, TypeError, ["nodes", "ints"]),
    ({"c": 0}, ValueError, ["c must", "above 0", "got 0"]),
    ({"c": float("inf")}, ValueError, ["c must", "finite", "got inf"]),
    ({"c": "5"}, TypeError, ["c must", "'5'"]),
]


@pytest.mark.parametrize(
    ("options", "error", "words"), BAD_ADAPTIVE, ids=[str(row[0]) for row in BAD_ADAPTIVE]
)
def test_bad_adaptive_options(options, error, words):
    """The message names the argument, the value and the remedy."""
    A = sp.csr_array(np.eye(5, k=1))
    with pytest.raises(error) as caught:
        adaptive_betweenness(A, **{"nodes": [1]} | options)
    for word in words:
        assert word in str(caught.value)
