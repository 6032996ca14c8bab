"""Betweenness is what its definition and its peers say it is, for every engine and option."""

import functools
import itertools

import networkx as nx
import numpy as np
import pytest
from graphs import LARGE, MEDIUM, SELECTED, matrix, peer
from questions import Drawn

from sparsebc import betweenness


@pytest.fixture(scope="session")
def device(fast_device):
    """The conformance suite asks the literal algebra."""
    return fast_device


BOOLS = (True, False)
GRAPHS = MEDIUM | LARGE


def assert_scores(got, want, case):
    """The vector equals NetworkX's dictionary, up to the order of float additions."""
    want = np.array([want[v] for v in sorted(want)])
    np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-11, err_msg=case)


@functools.cache
def networkx_scores(name, *, directed, drawn=None, **ways):
    """NetworkX's answer, for all engines to share."""
    return nx.betweenness_centrality(
        peer(GRAPHS[name], directed=directed),
        k=None if drawn is None else len(drawn),
        seed=None if drawn is None else Drawn(drawn),
        **ways,
    )


@pytest.mark.parametrize("k", [None, 1, 17, -1, 0], ids=lambda k: f"k={k}")
@pytest.mark.parametrize("name", MEDIUM)
def test_equals_networkx(device, name, k):
    """Exact and sampled scores, NaN included; k counts from n when it is not positive."""
    n = MEDIUM[name].shape[0]
    sample, drawn = {}, None
    if k is not None:
        sample = {"k": k if k > 0 else n + k, "rng": 4711}
        drawn = tuple(np.random.default_rng(4711).choice(n, sample["k"], replace=False).tolist())
    for directed, normalized, endpoints in itertools.product(BOOLS, BOOLS, BOOLS):
        ways = {"directed": directed, "normalized": normalized, "endpoints": endpoints}
        got = betweenness(MEDIUM[name], **ways, **sample, device=device)
        assert_scores(got, networkx_scores(name, drawn=drawn, **ways), str(ways))


@pytest.mark.parametrize("name", SELECTED)
def test_equals_networkx_over_several_groups(device, name):
    """Every shape that folds, queues or fills, with more sources than one group holds."""
    for directed, endpoints in itertools.product(BOOLS, BOOLS):
        ways = {"directed": directed, "normalized": False, "endpoints": endpoints}
        got = betweenness(LARGE[name], **ways, device=device)
        assert_scores(got, networkx_scores(name, **ways), str(ways))


@functools.cache
def networkx_subset_scores(name, sources, targets, *, directed, normalized):
    """NetworkX's answer, for all engines to share."""
    return nx.betweenness_centrality_subset(
        peer(GRAPHS[name], directed=directed), sources, targets, normalized=normalized
    )


def draw_subsets(name):
    """Return two subsets of the nodes that overlap, and all nodes."""
    n = GRAPHS[name].shape[0]
    rng = np.random.default_rng(953)
    some, others = rng.permutation(n)[: n // 2], rng.permutation(n)[: n // 3]
    return tuple(some.tolist()), tuple(others.tolist()), tuple(range(n))


@pytest.mark.parametrize("name", MEDIUM)
def test_equals_networkx_between_subsets(device, name):
    """Pairs from sources to targets, overlapping or not; what is left out means all nodes."""
    some, others, everyone = draw_subsets(name)
    for sources, targets in [(some, others), (some, None), (None, others), (some, some)]:
        for directed, normalized in itertools.product(BOOLS, BOOLS):
            ways = {"directed": directed, "normalized": normalized}
            got = betweenness(MEDIUM[name], sources=sources, targets=targets, **ways, device=device)
            want = networkx_subset_scores(name, sources or everyone, targets or everyone, **ways)
            assert_scores(got, want, str(ways))


@pytest.mark.parametrize("name", SELECTED)
def test_equals_networkx_between_large_subsets(device, name):
    """Sources and targets among folded trees and in several groups."""
    some, others, _ = draw_subsets(name)
    for directed in BOOLS:
        ways = {"directed": directed, "normalized": False}
        got = betweenness(LARGE[name], sources=some, targets=others, **ways, device=device)
        assert_scores(got, networkx_subset_scores(name, some, others, **ways), str(ways))


def test_one_sampled_source_has_no_score_of_its_own(device):
    """NetworkX reports NaN for the one source of k = 1, for there is no data; so do we."""
    got = betweenness(MEDIUM["graph"], k=1, rng=4711, device=device)
    source = np.random.default_rng(4711).choice(60, 1, replace=False)
    assert np.flatnonzero(np.isnan(got)).tolist() == source.tolist()


NAN = np.nan
STAR = matrix(nx.star_graph(4))
DRAWS_LEAF_1 = next(
    seed
    for seed in itertools.count()
    if np.random.default_rng(seed).choice(5, 1, replace=False).tolist() == [1]
)


@pytest.mark.parametrize(
    ("normalized", "endpoints", "directed", "k", "hub", "source", "leaf"),
    [
        (True, True, True, None, 1, 0.4, 0.4),
        (True, True, True, 1, 1, 1, 0.25),
        (True, True, False, None, 1, 0.4, 0.4),
        (True, True, False, 1, 1, 1, 0.25),
        (True, False, True, None, 1, 0, 0),
        (True, False, True, 1, 1, NAN, 0),
        (True, False, False, None, 1, 0, 0),
        (True, False, False, 1, 1, NAN, 0),
        (False, True, True, None, 20, 8, 8),
        (False, True, True, 1, 20, 20, 5),
        (False, True, False, None, 10, 4, 4),
        (False, True, False, 1, 10, 10, 2.5),
        (False, False, True, None, 12, 0, 0),
        (False, False, True, 1, 12, NAN, 0),
        (False, False, False, None, 6, 0, 0),
        (False, False, False, 1, 6, NAN, 0),
    ],
)
def test_star_table_of_networkx(device, normalized, endpoints, directed, k, hub, source, leaf):
    """The table NetworkX keeps for its sampled scaling: hub 0, the source is leaf 1."""
    got = betweenness(
        STAR,
        directed=directed,
        normalized=normalized,
        endpoints=endpoints,
        k=k,
        rng=None if k is None else DRAWS_LEAF_1,
        device=device,
    )
    np.testing.assert_allclose(got, [hub, source, leaf, leaf, leaf], rtol=1e-14)


@pytest.mark.parametrize("name", MEDIUM)
def test_equals_igraph(device, name):
    """A second opinion that shares no code with NetworkX; it halves undirected pairs too."""
    igraph = pytest.importorskip("igraph")
    A = MEDIUM[name]
    for directed in BOOLS:
        graph = igraph.Graph(A.shape[0], peer(A, directed=directed).edges, directed=directed)
        got = betweenness(A, directed=directed, normalized=False, device=device)
        np.testing.assert_allclose(got, graph.betweenness(), rtol=1e-11, atol=1e-11)
