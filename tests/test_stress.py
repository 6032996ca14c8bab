"""Stress and several measures at once, for every engine."""

import functools
import math

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import LARGE, MEDIUM, SELECTED, matrix, with_trees
from scipy.sparse import csgraph

from sparsebc import betweenness, centralities, edge_betweenness, stress
from sparsebc.engines.cuda import kernel_table as table


@pytest.fixture(scope="session")
def device(fast_device):
    """The conformance suite asks the literal algebra."""
    return fast_device


ALL = ("betweenness", "edge_betweenness", "stress")
FUNCTIONS = {"betweenness": betweenness, "edge_betweenness": edge_betweenness, "stress": stress}
FLAGS = {"betweenness": ("normalized", "endpoints"), "edge_betweenness": ("normalized",)}


@functools.cache
def every_path(n, tails, heads):
    """Distances, and the number of paths between all pairs, from powers of the adjacency matrix.

    Walks as long as the distance are paths.
    """
    A = sp.csr_array((np.ones(len(tails)), (tails, heads)), shape=(n, n))
    d = csgraph.shortest_path(A, unweighted=True)
    step, walks, paths = A.toarray(), np.eye(n), np.zeros((n, n))
    for length in range(int(d[np.isfinite(d)].max()) + 1):
        paths[d == length] = walks[d == length]
        walks = walks @ step
    return d, paths


def counted(A, sources=None, targets=None):
    """Stress from the paths between all pairs."""
    n = A.shape[0]
    d, paths = every_path(n, *(tuple(ends.tolist()) for ends in A.nonzero()))
    wanted = np.zeros((n, n))
    wanted[np.ix_(*(range(n) if ends is None else ends for ends in (sources, targets)))] = 1
    score = np.zeros(n)
    np.fill_diagonal(wanted, 0)
    for v in range(n):
        through = (d[:, [v]] + d[[v], :] == d) & np.isfinite(d)
        through[v, :] = through[:, v] = False
        score[v] = (np.outer(paths[:, v], paths[v]) * through * wanted).sum()
    return score


@pytest.mark.parametrize("name", SELECTED)
def test_equals_counted_walks(device, name):
    """More than one group, on trees, deep graphs, dense ones and digraphs."""
    np.testing.assert_allclose(stress(LARGE[name], device=device), counted(LARGE[name]), rtol=1e-11)


@pytest.mark.parametrize("names", [("stress",), ALL[::2], ALL], ids="+".join)
@pytest.mark.parametrize(
    "core",
    [nx.grid_2d_graph(5, 5), nx.circular_ladder_graph(40), nx.complete_multipartite_graph(3, 4, 3)],
    ids=["grid", "ladder", "dense"],
)
def test_trees_on_a_graph_of_many_paths(device, core, names):
    """Sources and targets on the trees and off them, the same and others."""
    rng = np.random.default_rng(44)
    for seed in (1, 2):
        A = with_trees(core, seed)
        some, others = (rng.choice(A.shape[0], 30, replace=False) for _ in range(2))
        for sources, targets in ((None, None), (some, None), (None, some), (some, others)):
            ends = {"sources": sources, "targets": targets}
            got = centralities(A, names, device=device, **ends)["stress"]
            np.testing.assert_array_equal(got, counted(A, **ends))


@pytest.mark.parametrize("sources", [None, range(0, 240, 7)], ids=["all", "some"])
@pytest.mark.parametrize(
    "targets",
    [range(160, 240), range(80, 240, 2), range(0, 240, 3), [*range(80), 170], range(239)],
    ids=["leaves", "every other", "some", "one on a tree", "all but one"],
)
def test_trees_of_one_target(device, sources, targets):
    """Paths of two edges hang on all nodes, whose roots may be no targets themselves."""
    graph = nx.circular_ladder_graph(40)
    graph.add_edges_from((v, v + 80) for v in range(160))
    A = matrix(graph)
    got = stress(A, device=device, sources=sources, targets=targets)
    np.testing.assert_array_equal(got, counted(A, sources, targets))


def test_unique_paths_make_it_betweenness(device):
    """In a tree each pair has one path."""
    A = LARGE["forest"]
    got = stress(A, directed=False, device=device)
    np.testing.assert_allclose(
        got, betweenness(A, directed=False, normalized=False, device=device), rtol=1e-12
    )


@pytest.mark.parametrize(("width", "layers"), [(3, 30), (10, 12)])
def test_layered(device, width, layers):
    """w^j paths join nodes j + 1 layers apart; v is on every w-th that passes its layer."""
    A = sp.csr_array(sp.kron(sp.eye_array(layers, k=1), np.ones((width, width))))
    want = [
        sum(
            width * width * width ** (t - s - 2)
            for s in range(layer)
            for t in range(layer + 1, layers)
        )
        for layer in range(layers)
    ]
    np.testing.assert_allclose(stress(A, device=device), np.repeat(want, width), rtol=1e-12)


@pytest.fixture
def in_step(device, monkeypatch):
    """Groups of sources on a GPU, where a graph so small has a block of threads to each."""
    if device == "cuda":
        monkeypatch.setattr(table, "AT_ONCE", 0)


@pytest.mark.usefixtures("in_step")
@pytest.mark.parametrize("last", [253, 254, 255])
def test_counts_about_a_byte(device, last):
    """A node has ``last`` paths on, itself one more, and is one of 300 successors of a node."""
    sizes = (1, 2, 300, last)
    ends = np.cumsum(sizes)
    A = sp.lil_array((ends[-1], ends[-1]))
    for start, middle, end in zip(ends - sizes, ends, ends[1:], strict=False):
        A[start:middle, middle:end] = 1
    got = stress(A.tocsr(), device=device)
    want = (0, 300 * (1 + last), (2 + 2) * last, 0)
    np.testing.assert_array_equal(got, np.repeat(want, sizes))


def test_many_leaves_on_a_cycle(device):
    """Nodes that stand for more targets than a byte holds."""
    graph = nx.cycle_graph(6)
    graph.add_edges_from((v, 6 + 300 * v + leaf) for v in (0, 3) for leaf in range(300))
    A = matrix(graph)
    np.testing.assert_array_equal(stress(A, device=device), counted(A))


def test_hub_of_a_star(device):
    """Every pair of leaves has one path."""
    got = stress(matrix(nx.star_graph(90)), directed=False, device=device)
    np.testing.assert_array_equal(got, [math.comb(90, 2), *[0] * 90])


@pytest.mark.parametrize("name", ["leaves on hubs", "grid", "streets"])
@pytest.mark.parametrize("directed", [True, False])
def test_all_at_once_equals_one_by_one(device, name, directed):
    """In the order asked for, sampled or between subsets as well."""
    A, flags = LARGE[name], {"normalized": False}
    for pairs in ({}, {"k": 90, "rng": 5}, {"sources": range(0, 90, 2), "targets": range(70, 99)}):
        common = {"directed": directed, "device": device, **pairs}
        alone = {
            measure: numbers(FUNCTIONS[measure](A, **common, **(flags if measure in FLAGS else {})))
            for measure in ALL
        }
        for names in (ALL, ALL[::-1], ALL[:2], ALL[1:], ALL[::2]):
            got = centralities(A, names, **common, **flags)
            assert tuple(got) == names
            for measure in names:
                for mine, want in zip(numbers(got[measure]), alone[measure], strict=True):
                    np.testing.assert_allclose(mine, want, rtol=1e-11, atol=1e-9)


def numbers(scores):
    """Of nodes, or of edges with where they are."""
    return (scores.indices, scores.data) if sp.issparse(scores) else (scores,)


def test_endpoints_concern_betweenness(device):
    """And leave the others as they are."""
    A = MEDIUM["communities"]
    got = centralities(A, ALL, endpoints=True, device=device)
    close = functools.partial(np.testing.assert_allclose, rtol=1e-11)
    close(got["betweenness"], betweenness(A, endpoints=True, device=device))
    close(got["edge_betweenness"].data, edge_betweenness(A, device=device).data)
    close(got["stress"], stress(A, device=device))


@pytest.mark.parametrize("names", [ALL, ALL[::2], ("stress",)], ids="+".join)
@pytest.mark.parametrize(
    "A",
    [LARGE["streets"], with_trees(nx.grid_2d_graph(12, 12), seed=3)],
    ids=["streets", "trees"],
)
def test_workers_and_memory_change_no_bit(device, A, names):
    """Nor does a repeat."""
    scores = functools.partial(centralities, A, names, device=device)
    want = scores()
    for options in ({}, {"workers": 1}, {"workers": 3}, {"memory_budget": 1 << 26}):
        got = scores(**options)
        for name in names:
            values = [
                getattr(x[name], "toarray", lambda x=x, name=name: x[name])() for x in (got, want)
            ]
            assert values[0].tobytes() == values[1].tobytes(), (name, options)


@pytest.mark.parametrize(
    ("names", "error", "message"),
    [
        ("betweenness", TypeError, r"names must be a list of names, got 'betweenness'"),
        ([], ValueError, r"names is empty: list some of betweenness, edge_betweenness, stress"),
        ([1], TypeError, r"names must hold strs, got 1"),
        (["fame"], ValueError, r"names must be among betweenness, .*, got 'fame'"),
        (["stress", "stress"], ValueError, r"names holds 'stress' more than once"),
    ],
)
def test_names_that_are_refused(names, error, message):
    with pytest.raises(error, match=message):
        centralities(MEDIUM["graph"], names)


def test_endpoints_without_betweenness_are_refused():
    with pytest.raises(ValueError, match="endpoints=True has an effect only on 'betweenness'"):
        centralities(MEDIUM["graph"], ["stress"], endpoints=True)


@pytest.mark.parametrize("function", [edge_betweenness, stress])
def test_flags_that_are_refused(function):
    with pytest.raises(TypeError, match="directed must be True or False, got 1"):
        function(MEDIUM["graph"], directed=1)
