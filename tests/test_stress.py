"""Stress beside the paths between all pairs, counted one by one."""

import functools

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import LARGE, SELECTED, matrix, with_trees
from scipy.sparse import csgraph
from test_weighted import lengthened

from sparsebc import centralities, stress
from sparsebc.engines.cuda import kernel_table as table

ALL = ("betweenness", "edge_betweenness", "stress")


@functools.cache
def every_path(n, tails, heads, lengths):
    """Distances, and the number of paths between all pairs, nearer nodes before others."""
    tails, heads, lengths = map(np.array, (tails, heads, lengths))
    d = csgraph.dijkstra(sp.csr_array((lengths, (tails, heads)), shape=(n, n)))
    paths = np.eye(n)
    for s in range(n):
        into = np.flatnonzero((d[s, tails] + lengths == d[s, heads]) & np.isfinite(d[s, heads]))
        for arc in into[d[s, heads[into]].argsort(kind="stable")]:
            paths[s, heads[arc]] += paths[s, tails[arc]]
    return d, paths


def counted(A, sources=None, targets=None):
    """Stress from the paths between all pairs, of whole lengths."""
    n, coo = A.shape[0], sp.coo_array(A)
    arrays = (coo.row, coo.col, coo.data.astype(float))
    d, paths = every_path(n, *(tuple(array.tolist()) for array in arrays))
    wanted = np.zeros((n, n))
    wanted[np.ix_(*(range(n) if ends is None else ends for ends in (sources, targets)))] = 1
    score = np.zeros(n)
    np.fill_diagonal(wanted, 0)
    for v in range(n):
        through = (d[:, [v]] + d[[v], :] == d) & np.isfinite(d)
        through[v, :] = through[:, v] = False
        score[v] = (np.outer(paths[:, v], paths[v]) * through * wanted).sum()
    return score


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", SELECTED)
def test_equals_counted_paths(fast_device, name, weighted):
    """More than one batch, on trees, deep graphs, dense ones and digraphs."""
    A = lengthened(name, "few") if weighted else LARGE[name]
    got = stress(A, weighted=weighted, device=fast_device)
    np.testing.assert_allclose(got, counted(A), rtol=1e-11)


@pytest.mark.parametrize("names", [("stress",), ALL[::2], ALL], ids="+".join)
@pytest.mark.parametrize(
    "core",
    [nx.grid_2d_graph(5, 5), nx.circular_ladder_graph(40), nx.complete_multipartite_graph(3, 4, 3)],
    ids=["grid", "ladder", "dense"],
)
def test_trees_on_a_graph_of_many_paths(fast_device, core, names):
    """Sources and targets on the trees and off them, the same and others."""
    rng = np.random.default_rng(44)
    for seed in (1, 2):
        A = with_trees(core, seed)
        some, others = (rng.choice(A.shape[0], 30, replace=False) for _ in range(2))
        for sources, targets in ((None, None), (some, None), (None, some), (some, others)):
            ends = {"sources": sources, "targets": targets}
            got = centralities(A, names, device=fast_device, **ends)["stress"]
            np.testing.assert_array_equal(got, counted(A, **ends))


@pytest.mark.parametrize("sources", [None, range(0, 240, 7)], ids=["all", "some"])
@pytest.mark.parametrize(
    "targets",
    [range(160, 240), range(80, 240, 2), range(0, 240, 3), [*range(80), 170], range(239)],
    ids=["leaves", "every other", "some", "one on a tree", "all but one"],
)
def test_trees_of_one_target(fast_device, sources, targets):
    """Paths of two edges hang on all nodes, whose roots may be no targets themselves."""
    graph = nx.circular_ladder_graph(40)
    graph.add_edges_from((v, v + 80) for v in range(160))
    A = matrix(graph)
    got = stress(A, device=fast_device, sources=sources, targets=targets)
    np.testing.assert_array_equal(got, counted(A, sources, targets))


@pytest.fixture
def in_step(fast_device, monkeypatch):
    """Groups of sources on a GPU, where a graph so small has a block of threads to each."""
    if fast_device == "cuda":
        monkeypatch.setattr(table, "AT_ONCE", 0)


@pytest.mark.usefixtures("in_step")
@pytest.mark.parametrize("last", [253, 254, 255])
def test_counts_about_a_byte(fast_device, last):
    """A node has ``last`` paths on, itself one more, and is one of 300 successors of a node."""
    sizes = (1, 2, 300, last)
    ends = np.cumsum(sizes)
    A = sp.lil_array((ends[-1], ends[-1]))
    for start, middle, end in zip(ends - sizes, ends, ends[1:], strict=False):
        A[start:middle, middle:end] = 1
    got = stress(A.tocsr(), device=fast_device)
    want = (0, 300 * (1 + last), (2 + 2) * last, 0)
    np.testing.assert_array_equal(got, np.repeat(want, sizes))


def test_many_leaves_on_a_cycle(fast_device):
    """Nodes that stand for more targets than a byte holds."""
    graph = nx.cycle_graph(6)
    graph.add_edges_from((v, 6 + 300 * v + leaf) for v in (0, 3) for leaf in range(300))
    A = matrix(graph)
    np.testing.assert_array_equal(stress(A, device=fast_device), counted(A))
