"""Scores are those of Brandes' algorithm and of the definition, on every engine: start here.

Hypothesis draws graphs whose shortest paths are hard to count, lengths that tie, and options of the
call; `sparsebc.testing` offers the strategies and both oracles to everybody. A failing example
shrinks to a few edges, and is printed as a call that can be pasted.
"""

import inspect
import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.linalg import block_diag
from scipy.sparse.csgraph import connected_components

import sparsebc
from sparsebc import betweenness, centralities, group_betweenness, percolation
from sparsebc.reduce import blocks, chains, reduce, twins
from sparsebc.testing import (
    adjacency,
    all_shortest_paths,
    brandes,
    by_definition,
    graphs,
    lengths,
    options,
)


@st.composite
def questions(draw, *names, **sizes):
    """A graph, and the keyword arguments of a call about it: any of `names`."""
    A = draw(graphs(lengths=lengths, **sizes))
    return A, draw(options(A.shape[0], *names))


of_paths = st.sampled_from(["betweenness", "edge_betweenness", "stress"])
of_all_measures = ["trees", "blocks", "prune"]
all_or_none = st.sampled_from(["all", "none"])
reductions = all_or_none | st.sets(st.sampled_from([*of_all_measures, "chains", "twins"]))
SQUARE = adjacency(4, [(0, 1), (0, 2), (1, 3), (2, 3)], [1, 1.5, 1, 0.5])  # two ways, equally long
TWINS = adjacency(4, [(0, 1), (1, 0), (1, 2), (1, 3), (2, 1)])  # 0 and 2


@given(of_paths, questions(), reductions)
@example("edge_betweenness", (adjacency(2, [(0, 1)]), {}), "none")
@example("betweenness", (SQUARE, {"weighted": True, "directed": False}), "none")
@example("betweenness", (TWINS, {"endpoints": True, "source_weights": [3, 1, 1, 1]}), {"twins"})
def test_scores_are_those_of_brandes_and_of_the_definition(device, measure, asked, reduce):
    A, call = asked
    got = scores(measure, A, device, reduce, **call)
    close(got, brandes(A, measure, **call))
    close(got, by_definition(A, measure, **call))


def scores(measure, A, device, reduce="all", **call):
    """What a function returns for those of the arguments that it takes; edges as a dense array."""
    function = getattr(sparsebc, measure)
    taken = {name: call[name] for name in inspect.signature(function).parameters if name in call}
    return dense(function(A, **taken, device=device, reduce=reduce))


def dense(found):
    return found.toarray() if sp.issparse(found) else found


def close(got, want):
    """Assert equality to the roundings of sums: nothing cancels, so small scores are as right."""
    np.testing.assert_allclose(got, want, rtol=1e-12)


@pytest.fixture(autouse=True, scope="module")
def small_graphs_are_reduced():
    """As if they had the hundreds of sources from which on the search for reductions pays."""
    costs = {"ENDS": 4, "END": 0.5, "OTHER": 0.1, "CHAIN": 0.0, "MOST": 1.0}
    with pytest.MonkeyPatch.context() as patch:
        for name, cost in costs.items():
            patch.setattr(chains, name, cost)
        patch.setattr(blocks, "LEAST_OTHERS", 0)
        patch.setattr(blocks, "REACH_SHARE", math.inf)
        for reduction in (blocks, chains, twins):
            name = reduction.__name__.rpartition(".")[2].upper()
            patch.setattr(reduce, f"LEAST_{name}", 1)
            patch.setattr(reduction, "LEAST_SAVED", -math.inf, raising=False)
        yield


# Further measures, each from its definition.

fewer = settings(max_examples=20)

ON_ALL = ("directed", "weighted", "cutoff", "sources")


def distances(A, *, directed=True, weighted=False, cutoff=math.inf):
    """Distance of each pair (s, t), s != t, with a path of at most `cutoff`."""
    length = np.where(A.toarray() > 0, A.toarray() if weighted else 1, math.inf)
    length = length if directed else np.minimum(length, length.T)
    paths = all_shortest_paths(A, directed=directed, weighted=weighted, cutoff=cutoff)
    return {pair: sum(length[arc] for arc in pairwise(of[0])) for pair, of in paths.items()}


def closeness(near, others):
    """Reciprocal of the mean distance, times the share of the others that are near."""
    return len(near) / sum(near) * len(near) / others if near else 0


def harmonic(near, others):
    return sum(1 / d for d in near)


def eccentricity(near, others):
    return max(near, default=0) if len(near) == others else math.inf


def by_distances(measure, A, *, sources=None, **call):
    """Score of each node by its distances from the other sources, or to them."""
    n, apart, out = A.shape[0], distances(A, **call), measure is eccentricity
    result = np.zeros(n)
    for v in range(n):
        others = set(range(n) if sources is None else sources) - {v}
        pairs = [(v, s) if out else (s, v) for s in others]
        result[v] = measure([apart[pair] for pair in pairs if pair in apart], len(others))
    return result


@given(
    st.sampled_from([closeness, harmonic, eccentricity]),
    questions(*ON_ALL),
    all_or_none | st.sets(st.sampled_from(of_all_measures)),
)
def test_scores_of_distances_are_those_of_the_definition(device, measure, asked, reduce):
    A, call = asked
    got = scores(measure.__name__, A, device, reduce, **call)
    close(got, by_distances(measure, A, **call))


@fewer
@given(st.sets(of_paths, min_size=1), questions(*ON_ALL, "normalized"))
def test_centralities_together_are_those_of_each(device, names, asked):
    A, call = asked
    found = centralities(A, [*names, "closeness", "eccentricity"], **call, device=device)
    for name in names:
        close(dense(found[name]), by_definition(A, name, **call))
    call.pop("normalized", None)
    for measure in (closeness, eccentricity):
        close(found[measure.__name__], by_distances(measure, A, **call))


@fewer
@given(graphs(min_nodes=3, lengths=lengths), st.data(), st.booleans(), st.booleans())
def test_percolation_is_that_of_the_definition(device, A, data, directed, weighted):
    n, ways = A.shape[0], {"directed": directed, "weighted": weighted}
    states = data.draw(st.lists(st.sampled_from([0, 0.25, 1]), min_size=n, max_size=n).filter(any))
    want = np.zeros(n)
    for (s, _), paths in all_shortest_paths(A, **ways).items():
        for path in paths:
            for v in path[1:-1] if states[s] else ():
                want[v] += states[s] / (sum(states) - states[v]) / len(paths) / (n - 2)
    want[sum(states) == np.array(states)] = math.nan
    close(percolation(A, states, **ways, device=device), want)


@fewer
@given(questions("directed", "weighted", "endpoints", min_nodes=3), st.data())
def test_betweenness_of_a_group_is_that_of_the_definition(device, asked, data):
    A, call = asked
    n, ways = A.shape[0], {name: call[name] for name in call if name != "endpoints"}
    nodes = st.sets(st.integers(0, n - 1), min_size=1, max_size=n - 2)
    group, endpoints = data.draw(nodes), call.get("endpoints", False)
    shares = [
        Fraction(sum(not group.isdisjoint(path) for path in paths), len(paths))
        for pair, paths in all_shortest_paths(A, **ways).items()
        if endpoints or group.isdisjoint(pair)
    ]
    left = n if endpoints else n - len(group)
    got = group_betweenness(A, [group], **call, device=device)
    close(got, [float(sum(shares) / (left * (left - 1)))])


# What changes no score, or all by a known amount, on larger graphs and in any units of length.

larger = {"max_nodes": 16}


@fewer
@given(of_paths, questions("directed", "weighted", "cutoff", "endpoints", **larger), st.data())
def test_relabelled_nodes_keep_their_scores(device, measure, asked, data):
    A, call = asked
    order = data.draw(st.permutations(range(A.shape[0])), label="order")
    old, new = (scores(measure, B, device, **call) for B in (A, A[order][:, order]))
    close(new, old[np.ix_(*[order] * old.ndim)])


@fewer
@given(of_paths, questions(*ON_ALL, "targets", "source_weights", "target_weights", **larger))
def test_scores_of_the_transpose_are_transposed(device, measure, asked):
    """Paths run backwards, from what were their targets."""
    A, call = asked
    back = {"sources": "targets", "source_weights": "target_weights"}
    back |= {new: old for old, new in back.items()}
    there = scores(measure, A, device, **call)
    call = {back.get(name, name): value for name, value in call.items()}
    close(scores(measure, A.T.tocsr(), device, **call), there.T)


@fewer
@given(
    of_paths,
    graphs(lengths=lengths),
    graphs(lengths=lengths),
    options(1, "directed", "weighted"),
    st.sampled_from([1, 40]),
)
def test_scores_of_a_disjoint_union_are_those_of_its_parts(device, measure, A, B, call, times):
    union = sp.block_diag((A, B) * times, format="csr")
    *parts, got = (scores(measure, C, device, normalized=False, **call) for C in (A, B, union))
    join = np.concatenate if got.ndim == 1 else lambda all_of_them: block_diag(*all_of_them)
    close(got, join(parts * times))


@fewer
@given(graphs(min_nodes=1, lengths=lengths, **larger), st.data(), st.booleans())
def test_a_new_leaf_adds_the_paths_of_its_neighbour(device, A, data, weighted):
    """To v every path from u goes on to the leaf, and v is on the paths to all that it reaches."""
    v, length = data.draw(st.integers(0, A.shape[0] - 1)), data.draw(st.integers(1, 3))
    leaf = sp.csr_array(([length], ([0], [v])), shape=(1, A.shape[0]))
    grown = sp.block_array([[A, None], [leaf, sp.csr_array((1, 1))]], format="csr")
    call = {"directed": False, "weighted": weighted, "normalized": False, "device": device}
    added = 2 * betweenness(A, sources=[v], **call)  # raw, a pair with one of its orders is half
    component = connected_components(A)[1]
    added[v] = np.count_nonzero(component == component[v]) - 1
    close(betweenness(grown, **call), [*betweenness(A, **call) + added, 0])


@fewer
@given(of_paths, questions("directed", **larger), st.sampled_from([0.1, 1 / 3, 1e-3, 7e80]))
def test_lengths_in_another_unit_have_the_same_scores(device, measure, asked, unit):
    """Ties of whole lengths survive the rounding of their sums."""
    A, call = asked
    scaled, plain = (scores(measure, B, device, weighted=True, **call) for B in (A * unit, A))
    close(scaled, plain)


@fewer
@given(of_paths, questions("directed", "weighted", "cutoff", "endpoints", min_nodes=1))
def test_scores_of_all_sources_are_the_sums_of_each(device, measure, asked):
    A, call = asked
    call |= {"normalized": False}
    each = [scores(measure, A, device, **call, sources=[s]) for s in range(A.shape[0])]
    close(sum(each), scores(measure, A, device, **call))
