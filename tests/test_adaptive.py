"""Adaptive sampling for chosen nodes: fewer samples the more central they are."""

import networkx as nx
import numpy as np
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


def test_rounds_grow_by_a_quarter():
    """From 128 sources on, until all are drawn: those of a node are the sum of some rounds."""
    A, seen = matrix(nx.wheel_graph(1500)), []
    counted = {"progress": lambda done, _: seen.append(done)}
    found = adaptive_betweenness(A, [0, 1], c=400.0, rng=1, directed=False, device="cpu", **counted)
    ends, drawn = [], 0
    while drawn < 1500:
        drawn = min(1500, drawn + max(128, drawn // 4))
        ends.append(drawn)
    assert {*found.samples.tolist()} <= {*ends}
    assert {*ends} <= {*seen}
