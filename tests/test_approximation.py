"""Approximate betweenness: bounds that hold, as few samples as prove them, exact at the worst."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from estimates import ALLOWED, DELTA, GRAPHS, RUNS, is_directed, lengths
from graphs import matrix
from hypothesis import given
from hypothesis import strategies as st

from sparsebc import Approximation, adaptive_betweenness, approximate_betweenness, betweenness
from sparsebc.testing import matrices


@pytest.mark.slow
@pytest.mark.parametrize("name", GRAPHS)
def test_coverage(name):
    """Every score is within its half-width of the exact one, in all but a share delta of runs."""
    A, directed = GRAPHS[name], is_directed(name)
    exact = betweenness(A, directed=directed, device="cpu")
    misses = stopped_early = 0
    for seed in range(RUNS):
        near = approximate_betweenness(
            A, epsilon=0.15, delta=DELTA, rng=seed, directed=directed, device="cpu"
        )
        assert near.half_widths.max() <= 0.15
        misses += (abs(near.scores - exact) > near.half_widths + 1e-12).any()
        stopped_early += not near.exact
    assert misses <= ALLOWED
    assert stopped_early > RUNS // 2


@pytest.mark.parametrize("name", GRAPHS)
def test_more_precision_takes_no_fewer_samples(name, fast_device):
    """Down to an exact run, and never beyond it."""
    A, directed = GRAPHS[name], is_directed(name)
    exact = betweenness(A, directed=directed)
    runs = [
        approximate_betweenness(A, epsilon=epsilon, rng=3, directed=directed, device=fast_device)
        for epsilon in (0.3, 0.15, 0.08, 0.04, 1e-6)
    ]
    samples = [run.samples for run in runs]
    assert samples == sorted(samples)
    assert samples[0] < samples[-1] == runs[-1].population
    assert [run.exact for run in runs] == [run.samples == run.population for run in runs]
    assert not runs[-1].half_widths.any()
    np.testing.assert_allclose(runs[-1].scores, exact, rtol=1e-12, atol=1e-15)


@given(
    matrices(),
    st.booleans(),
    st.floats(1e-3, 0.999),
    st.floats(1e-3, 0.999),
    st.integers(0, 2**32),
)
def test_never_more_samples_than_exact(device, A, directed, epsilon, delta, seed):
    """On awkward matrices: no more samples than nodes; exact scores if all were taken."""
    before = A.copy()
    near = approximate_betweenness(
        A, epsilon=epsilon, delta=delta, rng=seed, directed=directed, device=device
    )
    n = A.shape[0]
    assert 0 <= near.samples <= near.population <= n
    assert near.exact == (near.samples == near.population)
    assert near.scores.shape == near.half_widths.shape == (n,)
    assert (near.half_widths <= epsilon).all()
    if near.exact:
        exact = betweenness(A, directed=directed)
        np.testing.assert_allclose(near.scores, exact, rtol=1e-12, atol=1e-15)
    assert (A.tocsr() != before.tocsr()).nnz == 0


@pytest.mark.parametrize("graph", [nx.star_graph(400), nx.path_graph(400)], ids=["star", "path"])
def test_trees_need_no_samples(graph):
    """Pairs in an undirected tree are counted in closed form, and nothing is left to sample."""
    A = matrix(graph)
    near = approximate_betweenness(A, epsilon=0.1, directed=False, device="cpu")
    assert isinstance(near, Approximation)
    assert near.exact
    assert near.samples == near.population == 0
    np.testing.assert_allclose(near.scores, betweenness(A, directed=False), rtol=1e-12)


def _stars_of_arcs():
    """Arcs into node 0 and out of it: all paths between other nodes pass it."""
    arcs = [*((v, 0) for v in range(1, 250)), *((0, v) for v in range(250, 500))]
    return sp.csr_array((np.ones(499), np.transpose(arcs)), shape=(500, 500))


HUBS = nx.barabasi_albert_graph(300, 3, seed=845)
BOUNDED = {
    # graph, whether it is directed, epsilon, most samples as a share of the population
    "half of all pairs": (sp.csr_array(np.eye(600, k=1)), True, 0.1, 0.99),
    "one node": (_stars_of_arcs(), True, 0.1, 1.0),
    "all zero": (matrix(nx.complete_graph(400)), False, 0.1, 0.99),
    "small components": (matrix(nx.disjoint_union_all([HUBS] * 10)), False, 0.01, 0.5),
}


@pytest.mark.parametrize("name", BOUNDED)
def test_bounds_hold_with_few_samples(name, device):
    """Scores that are large, at one node alone, zero, or bounded by the size of a component."""
    A, directed, epsilon, share = BOUNDED[name]
    options = {"epsilon": epsilon, "rng": 5, "directed": directed}
    near = approximate_betweenness(A, device=device, **options)
    exact = betweenness(A, directed=directed, device="cpu")
    assert near.samples <= share * near.population
    assert (abs(near.scores - exact) <= near.half_widths + 1e-15).all()
    assert near.half_widths.max() <= epsilon
    assert near.half_widths.any() != near.exact
    assert not near.scores[exact == 0].any()


@pytest.mark.parametrize("name", ["hubs", "digraph"])
def test_same_bits(name, device):
    """A seed gives the same bits, whatever the workers and the memory."""
    A, directed = GRAPHS[name], is_directed(name)
    options = {"epsilon": 0.1, "rng": 9, "directed": directed, "device": device}
    first = approximate_betweenness(A, **options)
    for run in ({"workers": 1}, {"workers": 3}, {"memory_budget": 1 << 26}):
        again = approximate_betweenness(A, **options, **run)
        np.testing.assert_array_equal(again.scores, first.scores)
        np.testing.assert_array_equal(again.half_widths, first.half_widths)
        assert again.samples == first.samples
    other = approximate_betweenness(A, **options | {"rng": 10})
    assert (other.scores != first.scores).any()


def test_float32_is_close(device):
    """Path counts in float32 round, and no more."""
    A = GRAPHS["hubs"]
    options = {"epsilon": 0.1, "rng": 11, "directed": False, "device": device}
    wide = approximate_betweenness(A, **options)
    narrow = approximate_betweenness(A, dtype=np.float32, **options)
    assert narrow.samples == wide.samples
    np.testing.assert_allclose(narrow.scores, wide.scores, atol=1e-5 * wide.scores.max())
    np.testing.assert_allclose(narrow.half_widths, wide.half_widths, rtol=1e-3)


def test_ranking_of_a_wheel():
    """The hub is certainly first; of the rim, alike by symmetry, no position is."""
    A = matrix(nx.wheel_graph(500))
    near = approximate_betweenness(A, epsilon=0.02, top=3, rng=12, directed=False)
    assert near.ranking[0] == 0
    assert near.certain.tolist() == [True, False, False]
    first = approximate_betweenness(A, epsilon=0.02, top=1, rng=12, directed=False)
    assert first.samples < near.samples
    assert first.certain.tolist() == [True]


@pytest.mark.parametrize("name", GRAPHS)
def test_certain_positions(name, fast_device):
    """What is called certain is so, in each of twenty runs (fixed seeds; delta is 1 in 1000)."""
    A, directed = GRAPHS[name], is_directed(name)
    ranks = np.argsort(-betweenness(A, directed=directed), kind="stable")
    for seed in range(20):
        near = approximate_betweenness(
            A, epsilon=0.05, delta=1e-3, top=5, rng=seed, directed=directed, device=fast_device
        )
        assert (near.ranking[near.certain] == ranks[:5][near.certain]).all()
        assert near.certain.all() or near.half_widths.max() <= 0.05


def test_exact_ties_are_uncertain():
    """All sources taken, and yet nodes of a cycle have no order."""
    near = approximate_betweenness(matrix(nx.cycle_graph(31)), epsilon=0.01, top=31, directed=False)
    assert near.exact
    assert not near.certain.any()
    assert sorted(near.ranking) == list(range(31))


def test_progress(device):
    """Calls go (sampled, expected), never fall, and end with what was sampled."""
    calls = []
    near = approximate_betweenness(
        GRAPHS["small world"],
        epsilon=0.05,
        rng=13,
        directed=False,
        device=device,
        progress=lambda *call: calls.append(call),
    )
    done, expected = zip(*calls, strict=True)
    assert list(done) == sorted(done)
    assert done[-1] == near.samples
    assert max(expected) <= near.population


def test_by_length(device):
    """Within the bounds of the exact scores by length, from some of the sources."""
    A = lengths(GRAPHS["hubs"], 16)
    near = approximate_betweenness(
        A, epsilon=0.1, rng=17, directed=False, weighted=True, device=device
    )
    exact = betweenness(A, directed=False, weighted=True, device="cpu")
    assert near.samples < near.population
    assert (abs(near.scores - exact) <= near.half_widths).all()
    hops = betweenness(A, directed=False, device="cpu")
    assert (abs(near.scores - hops) > near.half_widths).any()
    found = adaptive_betweenness(
        A, [exact.argmin()], rng=18, directed=False, weighted=True, device=device
    )
    np.testing.assert_allclose(found.scores, exact.min(), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("epsilon", [1e-12, 1e-17, 1e-30, 5e-324])
def test_an_error_that_only_exact_scores_have(epsilon):
    """All sources are drawn."""
    A = sp.csr_array(np.eye(40, k=1))
    near = approximate_betweenness(A, epsilon=epsilon, directed=False, device="cpu")
    assert near.exact
    assert near.half_widths.max() == 0
    with pytest.raises(ValueError, match="delta must be at least 1e-100, got 1e-300"):
        approximate_betweenness(A, epsilon=epsilon, delta=1e-300, device="cpu")
