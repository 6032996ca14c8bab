"""Which nodes a seed draws: those of the documentation, whatever is folded, on every engine."""

import re

import networkx as nx
import numpy as np
import pytest
from graphs import matrix, with_trees
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsebc import approximate_betweenness, betweenness
from sparsebc.errors import InputError
from sparsebc.estimates import choice


@given(st.floats(1e-9, 1e9), st.integers(3, 40))
def test_equal_weights_make_no_copies(weight, n):
    """Each node is one source, though a mean of equal floats may be less than each of them."""
    A = matrix(nx.cycle_graph(n))
    options = {"epsilon": 0.5, "rng": 1, "directed": False, "samples": "sources", "device": "cpu"}
    weighted = approximate_betweenness(A, source_weights=np.full(n, weight), **options)
    assert weighted.population == n


def nodes_drawn(A, rng, directed):
    """The rule of the docs: a random order of all nodes, those with nothing left to sample out."""
    n = A.shape[0]
    graph = nx.from_scipy_sparse_array(A, create_using=nx.DiGraph if directed else nx.Graph)
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    if directed:
        left = {v for v in graph if graph.out_degree(v)}
    else:
        core = nx.k_core(graph, 2)
        left = {v for part in nx.connected_components(graph) if part & set(core) for v in part}
    return [v for v in np.random.default_rng(rng).permutation(n) if v in left]


FOLDED = {
    "trees": with_trees(nx.barabasi_albert_graph(250, 3, seed=846), seed=847, nodes=400),
    "components": matrix(
        nx.disjoint_union_all(
            [nx.barabasi_albert_graph(300, 3, seed=848), nx.star_graph(50), nx.empty_graph(20)]
        )
    ),
}


@pytest.mark.parametrize("name", FOLDED)
def test_a_seed_names_nodes_of_trees_too(name, device):
    """A score is the pairs that trees decide, and the mean of the others from the sample."""
    A = FOLDED[name]
    n = A.shape[0]
    near = approximate_betweenness(A, epsilon=0.15, rng=5, directed=False, device=device)
    order = nodes_drawn(A, 5, False)
    assert near.population == len(order) < n + (name == "trees")
    assert near.samples < near.population
    # Take a node v of the core away with its trees, one at a time: no tree decides the pairs left.
    graph = nx.from_scipy_sparse_array(A)
    core = nx.k_core(graph, 2)
    rest = graph.copy()
    rest.remove_edges_from(core.edges)
    exact = betweenness(A, directed=False, normalized=False, device="cpu")
    for v in sorted(core)[::40]:
        outside = sorted(set(graph) - nx.node_connected_component(rest, v))
        given_ = {"directed": False, "normalized": False, "targets": outside, "device": "cpu"}
        sampled = [s for s in order[: near.samples] if s in set(outside)]
        every = betweenness(A, sources=outside, **given_)[v]
        some = betweenness(A, sources=sampled, **given_)[v]
        want = exact[v] - every + some * near.population / near.samples
        assert near.scores[v] == pytest.approx(want * 2 / ((n - 1) * (n - 2)), rel=1e-11)


def with_detours():
    """A chord longer than the way round it, 60 times: left out, it leaves a path of two leaves."""
    graph = nx.barabasi_albert_graph(300, 4, seed=850)
    nx.set_edge_attributes(graph, 1.0, "weight")
    for i in range(60):
        nx.add_path(graph, [i, (i, 1), (i, 2)], weight=1.0)
        graph.add_edge(i, (i, 2), weight=5.0)
    return nx.to_scipy_sparse_array(graph)


def test_a_seed_draws_one_sample_whatever_is_pruned():
    """By length: the CPU prunes, and the reference does not."""
    options = {"epsilon": 0.15, "rng": 2, "directed": False, "weighted": True}
    near, same = (
        approximate_betweenness(with_detours(), device=device, **options)
        for device in ("cpu", "reference")
    )
    assert near.samples < near.population
    assert (near.samples, near.population) == (same.samples, same.population)
    np.testing.assert_allclose(near.scores, same.scores, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(near.half_widths, same.half_widths, rtol=1e-6)


@given(
    st.lists(st.integers(-7, 7), min_size=24, max_size=24),
    st.integers(3, 12),
    st.sampled_from([0.3, 0.05, 1e-12]),
    st.booleans(),
)
@settings(max_examples=60)
def test_paths_of_awkward_weights_are_refused_or_bounded(powers, n, epsilon, weighted):
    """Refused where one node has nearly all weights, or else few, with bounds that hold."""
    A = matrix(nx.wheel_graph(n))
    alpha, omega = 10.0 ** np.reshape(powers, (2, 12))[:, :n]
    how = {"directed": False, "device": "cpu", "weighted": weighted}
    how |= {"source_weights": alpha, "target_weights": omega}
    exact = betweenness(A, **how)
    near, told = None, ""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(choice, "LONGER", 0.01)
        try:
            near = approximate_betweenness(
                A, epsilon=epsilon, delta=1e-9, rng=1, samples="paths", **how
            )
        except InputError as error:
            told = str(error)
    if near is None:
        assert re.match("samples='paths' takes at least .* paths for epsilon=.* leave out", told)
        assert epsilon == 1e-12 or len(set(powers)) > 1
    else:
        assert near.samples < 1e8
        assert (np.abs(near.scores - exact) <= near.half_widths + 1e-12).all()
