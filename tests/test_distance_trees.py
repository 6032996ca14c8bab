"""Closeness where trees are folded away: searches count what hangs on each node."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import matrix, with_lengths
from test_distance_blocks import eager

from sparsebc import centralities, closeness, eccentricity
from sparsebc.engines.common.base import Profile
from sparsebc.engines.cpu.engine import CPU
from sparsebc.reduce import distance_trees

TREES_ALONE = Profile(of_distances=frozenset({"trees"}))


@pytest.fixture
def trees_alone(monkeypatch):
    """The engine of the CPU folds trees, as that of GPUs does, and takes no blocks apart."""
    monkeypatch.setattr(CPU, "profile", TREES_ALONE)


def bushy(n=900, seed=2):
    """Trees of many sizes on a small core, a star, a tree by itself and nodes without edges."""
    core = nx.barabasi_albert_graph(n // 3, 2, seed=seed)
    rng = np.random.default_rng(seed)
    core.add_edges_from((v, int(rng.integers(v))) for v in range(n // 3, n))
    parts = core, nx.star_graph(70), nx.path_graph(90), nx.empty_graph(3)
    A, names = matrix(nx.disjoint_union_all(parts)), rng.permutation(n + 164)
    return A[names][:, names]


@pytest.mark.parametrize("more", [{}, {"k": 300, "rng": 5}], ids=["all", "some"])
def test_the_bits_are_those_of_the_whole_graph(fast_device, trees_alone, monkeypatch, more):
    """Sums of distances are whole numbers; on a GPU trees are folded there."""
    if fast_device == "cuda":
        from sparsebc.engines.cuda import engine

        monkeypatch.setattr(engine, "SMALL", 0)
    A = bushy()
    want = closeness(A, directed=False, reduce="none", device=fast_device, **more)
    with eager():
        for choice in ("all", {"trees"}):
            got = closeness(A, directed=False, reduce=choice, device=fast_device, **more)
            np.testing.assert_array_equal(got, want)


def test_nothing_is_left_of_a_tree(fast_device, trees_alone):
    """A path of 3000 nodes: its distances from node i add up to i (i + 1) / 2 and their mirror."""
    i = np.arange(3000)
    want = 2999 / (i * (i + 1) / 2 + (i * (i + 1) / 2)[::-1])
    with eager():
        got = closeness(matrix(nx.path_graph(3000)), directed=False, device=fast_device)
    np.testing.assert_allclose(got, want, rtol=1e-14)


def test_what_is_folded(trees_alone, monkeypatch):
    """For closeness by edges, without directions or a cutoff; for nothing else."""
    found = []
    fold = distance_trees.fold
    monkeypatch.setattr(
        distance_trees, "fold", lambda *all_: found.append(fold(*all_)) or found[-1]
    )
    A, options = bushy(), {"directed": False, "device": "cpu"}
    with eager():
        closeness(A, **options)
        (folded,) = found
        assert folded.graph.n <= 300
        assert folded.weights.sum() == 900 + 164 - 71 - 90 - 3
        closeness(sp.triu(A), **{**options, "directed": True})
        closeness(with_lengths(A, [1, 2]), weighted=True, **options)
        closeness(A, reduce={"blocks", "prune"}, **options)
        assert found[1:] == [None] * 3
        found.clear()
        closeness(A, cutoff=3, **options)
        eccentricity(A, **options)
        centralities(A, ["closeness", "eccentricity"], **options)
        assert not found
    closeness(A, **options)
    assert found == [None]  # it would save too little
