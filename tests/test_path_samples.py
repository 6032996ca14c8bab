"""Estimates from sampled paths: each pair and each path as likely as the next, and their bounds."""

import tracemalloc

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from calls import assert_same
from estimates import FAR, OF_PATHS, by_paths
from graphs import diamonds, matrix, with_lengths
from numpy.testing import assert_array_equal

from sparsebc import approximate_betweenness, betweenness


@pytest.mark.parametrize(  # by length no arc between frontiers is guessed, which takes wide ones
    ("name", "unit"),
    [(name, x) for name in OF_PATHS for x in (None, 1.0, 0.1) if not (x and "wide" in name)],
)
def test_each_path_of_a_pair_is_as_likely(name, unit):
    """The share of the samples that pass a node has the mean and the variance that it should.

    By length many paths tie.
    """
    A, directed = OF_PATHS[name]
    how = {"directed": directed, "weighted": unit is not None}
    if unit:
        A = with_lengths(A, unit * np.arange(1, 4), 8)
    exact = betweenness(A, device="cpu", **how)
    near = by_paths(A, epsilon=0.01 if unit else 0.004, **how)
    assert near.population is None
    assert not near.exact
    n = A.shape[0]
    # Of all ordered pairs, n squared at most, are drawn those of units in one component.
    deviation = np.sqrt(exact * n**2 / ((n - 1) * (n - 2)) / near.samples)
    assert (abs(near.scores - exact) <= FAR * deviation + 1e-12).all()
    assert (abs(near.scores - exact) <= near.half_widths).all()


@pytest.mark.parametrize("lengths", [None, 3.0])
def test_path_counts_beyond_floats_are_sampled_evenly(lengths):
    """Of 2**1100 paths each is as likely, and so is each side of a diamond."""
    A = diamonds(1100) * (lengths or 1.0)
    n = A.shape[0]
    near = by_paths(A, epsilon=0.04, weighted=lengths is not None)
    v = np.arange(1, 1100)
    ends = 3 * v * (n - 1 - 3 * v) / ((n - 1) * (n - 2))  # all from before it, to all behind
    deviation = np.sqrt(0.25 / near.samples)
    assert (abs(near.scores[v] - ends) <= FAR * deviation).all()
    left, right = near.scores[1101:].reshape(2, -1)
    assert (abs(left - right) <= FAR * 2 * deviation).all()
    assert abs(left.mean() / (left + right).mean() - 0.5) < 0.02


def test_a_path_leaves_a_hub_only_by_nodes_that_are_joined_to_it():
    """Not by another neighbour of the end, whose row is short beside that of the hub."""
    graph = nx.Graph()
    nx.add_path(graph, ["start", "a", "hub", "b", "end"])
    nx.add_path(graph, ["start", "c", "d", "e", "f", "end"])  # longer
    around = [f"around {i}" for i in range(400)]
    nx.add_cycle(graph, around)
    graph.add_edges_from(("hub", node) for node in around)
    names = list(graph)
    start, end = (np.array([name == only for name in names]) for only in ("start", "end"))
    A = matrix(graph)
    near = by_paths(A, epsilon=0.1, source_weights=start * 1.0, target_weights=end * 1.0)
    inner = ~(start | end)
    assert_array_equal(near.scores[inner], np.isin(names, ["a", "hub", "b"])[inner])


@pytest.mark.parametrize("odd", [0, 1])
def test_paths_through_a_wide_frontier_count_as_often_as_there_are(odd):
    """A pair has 100 times as many paths through every other node of two layers."""
    m = 100
    first, out, back, last = m * np.arange(4)[:, np.newaxis] + np.arange(m)
    few = np.arange(m) % 2 == odd
    edges = [
        *((4 * m, v) for v in first),
        *((u, v) for v, alone in zip(out, few, strict=True) for u in first[: 1 if alone else m]),
        *((u, v) for u in out for v in back),
        *((u, v) for u, alone in zip(back, few, strict=True) for v in last[: 1 if alone else m]),
        *((v, 4 * m + 1) for v in last),
    ]
    tails, heads = np.array(edges).T
    A = sp.csr_array((np.ones(tails.size), (tails, heads)), shape=(4 * m + 2,) * 2)
    start, end = np.eye(4 * m + 2)[4 * m :]
    ways = {"source_weights": start, "target_weights": end}
    near, exact = by_paths(A, epsilon=0.03, **ways), betweenness(A, device="cpu", **ways)
    inner = np.arange(4 * m)
    deviation = np.sqrt(exact[inner] / near.samples)
    assert (abs(near.scores - exact)[inner] <= FAR * deviation + 1e-12).all()
    share = near.scores[out][few].sum()
    assert abs(share - 1 / (m + 1)) < FAR * np.sqrt(1 / m / near.samples)


@pytest.fixture(scope="module")
def shallow():
    """A graph of which few paths are as good as many sources."""
    return matrix(nx.barabasi_albert_graph(3000, 8, seed=1))


def test_the_cheaper_samples_are_chosen(shallow):
    """Paths on a shallow graph; sources for a small error, one heavy node or a deep graph."""
    deep, one = matrix(nx.grid_2d_graph(70, 70)), np.where(np.arange(3000) == 0, 1e6, 1.0)
    for kind, A, asked in (
        ("paths", shallow, {"epsilon": 0.03}),
        ("sources", shallow, {"epsilon": 0.002}),
        ("sources", shallow, {"epsilon": 0.03, "source_weights": one}),  # few paths from others
        ("sources", deep, {"epsilon": 0.1}),
    ):
        options = {"rng": 1, "directed": False, "device": "cpu", **asked}
        near, same = (approximate_betweenness(A, samples=each, **options) for each in (None, kind))
        assert_same(near, same)
        assert (near.population is None) == (kind == "paths")


def test_a_choice_draws_what_was_asked_for(shallow, tmp_path):
    """Its first round is that of the estimate, kept or not, and a generator goes on after it."""
    options = {"epsilon": 0.02, "directed": False, "device": "cpu"}
    want = by_paths(shallow, **options)
    for run in ({}, {"workers": 1}, {"checkpoint": tmp_path / "kept"}):
        assert_same(approximate_betweenness(shallow, rng=7, **options, **run), want)
    for kinds in (("paths", None), ("sources", "sources")):
        again = [np.random.default_rng(7) for _ in kinds]
        pairs = zip(kinds, again, strict=True)
        for kind, rng in pairs:
            approximate_betweenness(shallow, rng=rng, samples=kind, **options)
        assert again[0].integers(2**32) == again[1].integers(2**32)


@pytest.mark.parametrize("epsilon", [1e-6, 1e-12, 1e-300])
def test_an_error_that_no_paths_reach_gives_exact_scores(shallow, epsilon):
    """Not even one round of them is drawn to find out, and the scores are exact."""
    near = approximate_betweenness(shallow, epsilon=epsilon, rng=1, directed=False, device="cpu")
    assert near.exact
    assert near.population == 3000


def test_the_least_errors_take_no_memory_beforehand():
    """Paths that no run will ever draw are not numbered beforehand."""
    A = sp.csr_array(np.eye(4, k=1))

    def stop(done, total):
        raise KeyboardInterrupt

    by_paths(A, epsilon=0.5)  # which compiles
    tracemalloc.start()
    try:
        with pytest.raises(KeyboardInterrupt) as stopped:
            by_paths(A, epsilon=1e-11, seconds=60, workers=1, progress=stop)
        assert tracemalloc.get_traced_memory()[1] < 400 << 20
    finally:
        tracemalloc.stop()
    assert stopped.value.approximation.samples == 0
