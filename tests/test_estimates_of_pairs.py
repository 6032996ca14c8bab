"""Estimates of chosen and weighted pairs: expectation, bounds, and what a seed names."""

import numpy as np
import pytest
import scipy.sparse as sp
from estimates import FAR, GRAPHS, KINDS, OF_PATHS, able, weighed
from graphs import with_lengths
from hypothesis import example, given
from hypothesis import strategies as st

from sparsebc import approximate_betweenness, betweenness
from sparsebc.estimates.choice import sampler
from sparsebc.testing import adjacency, by_definition, patterns


@st.composite
def questions(draw):
    """A small graph, whether it is directed, and pairs that count by their nodes or by weights."""
    n, edges = draw(patterns(max_nodes=7, max_edges=14).filter(lambda graph: graph[0]))
    some = st.lists(st.integers(0, n - 1), min_size=1, unique=True)
    numbers = st.sampled_from([range(6), (0, 0.25, 1, 3.5, 96)])
    weights = numbers.flatmap(lambda few: st.lists(st.sampled_from(few), min_size=n, max_size=n))
    asked = {name: draw(st.none() | some) for name in ("sources", "targets")}
    for name in ("source_weights", "target_weights"):
        asked[name] = draw(st.none() | weights.filter(any))
    return n, edges, draw(st.booleans()), asked


UNEVEN = {"source_weights": [96, 0.25], "target_weights": [96, 0.25]}


@given(questions(), st.sampled_from(KINDS), st.integers(0, 2**32))
# Scores of two nodes are zero, however many pairs their weights are.
@example((2, [(0, 1)], False, {"sources": None, "targets": None, **UNEVEN}), "paths", 0)
def test_every_score_is_within_its_half_width(device, question, kind, seed):
    """Of drawn questions; it is exact where all sources were drawn."""
    n, edges, directed, asked = question
    options = {"rng": seed, "samples": kind, "directed": directed, **asked}
    options["device"] = able(device, kind)
    A = adjacency(n, edges)
    near = approximate_betweenness(A, epsilon=0.3, delta=1e-9, **options)
    want = by_definition(A, directed=directed, **asked)
    np.testing.assert_array_equal(np.isnan(near.scores), np.isnan(want))
    assert (near.half_widths <= 0.3).all()
    off = np.where(np.isnan(want), 0, abs(near.scores - want))
    assert (off <= near.half_widths + 1e-12).all()
    assert not near.exact or (off < 1e-12).all()
    assert not near.scores[want == 0].any()


ASKED = ("whole", "heavy", "states", "chosen", "mixed")


@pytest.mark.parametrize("by_length", [False, True])
@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("name", ["trees", "components", "digraph"])
def test_each_path_as_likely_as_its_pair_weighs(name, asked, by_length):
    """The share of the samples that pass a node has the mean and the variance that it should."""
    A, directed = OF_PATHS["trees" if name == "components" else name]
    A = sp.csr_array(sp.block_diag((A, A))) if name == "components" else A
    if by_length:
        A = A * 1.0 if directed else with_lengths(A, [1, 2, 3, 4], 5)
    how = {"directed": directed, "weighted": by_length, **weighed(A, asked)}
    want = betweenness(A, device="reference", **how)
    near = approximate_betweenness(A, epsilon=0.01, rng=7, samples="paths", device="cpu", **how)
    with sampler(A, 7, samples="paths", run={"device": "cpu"}, **how) as sample:
        scale = np.zeros(A.shape[0])
        scale[sample._problem.nodes] = sample.scale
    counted = ~np.isnan(want)
    off = abs(near.scores - want)[counted]
    assert (off <= FAR * np.sqrt(want * scale / near.samples)[counted] + 1e-12).all()
    assert (off <= near.half_widths[counted] + 1e-12).all()


@pytest.mark.parametrize("kind", ["all", "heavy", "whole"])
def test_a_seed_names_sources_by_their_weights(kind, device):
    """A score is the mean over the first units; a node above the mean weight has several."""
    A = GRAPHS["digraph"]
    n, asked = A.shape[0], {"source_weights": np.ones(A.shape[0]), **weighed(A, kind)}
    near = approximate_betweenness(A, epsilon=0.4, rng=5, samples="sources", device=device, **asked)
    leaves = np.diff(A.indptr) > 0
    alpha = np.where(leaves, asked["source_weights"], 0.0)
    copies = np.maximum(np.ceil(alpha / alpha[alpha > 0].mean() - 1e-9), 1).astype(int)
    order = np.repeat(np.arange(n), copies)
    order = order[np.random.default_rng(5).permutation(order.size)]
    order = order[alpha[order] > 0]
    assert near.population == order.size < 2 * np.count_nonzero(alpha)
    assert near.samples < near.population
    drawn = np.bincount(order[: near.samples], (alpha / copies)[order[: near.samples]], n)
    part = {**asked, "source_weights": drawn * near.population / near.samples}
    raw, every = (betweenness(A, device="cpu", normalized=False, **ends) for ends in (part, asked))
    whole = betweenness(A, device="cpu", **asked)
    scored = every > 0
    np.testing.assert_allclose(
        near.scores[scored], (raw * whole)[scored] / every[scored], rtol=1e-10
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_node_that_alone_has_weight_has_no_score(kind):
    """No pair passes it: it has no score and no rank, and is known."""
    options = {"epsilon": 0.03, "rng": 1, "directed": False, "samples": kind, "top": 2}
    alone = approximate_betweenness(GRAPHS["hubs"], source_weights=np.eye(1, 500, 7)[0], **options)
    assert np.flatnonzero(np.isnan(alone.scores)).tolist() == [7]
    assert alone.half_widths[7] == 0
    assert 7 not in alone.ranking


def test_another_question_is_not_gone_on_with(tmp_path):
    """Weights that differ where no source is asked for change the divisors, so the question."""
    A, sources = GRAPHS["digraph"], np.arange(250)
    options = {"epsilon": 0.02, "rng": 9, "samples": "paths", "checkpoint": tmp_path / "kept"}
    ones = np.ones(A.shape[0])
    approximate_betweenness(A, sources=sources, source_weights=ones, **options)
    ones[250:] = 2
    with pytest.raises(ValueError, match="pairs"):
        approximate_betweenness(A, sources=sources, source_weights=ones, **options)
