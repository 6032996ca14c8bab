"""Weights of pairs: alpha(s) omega(t) in place of one, of many magnitudes.

The conformance suite asks their definition.
"""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import LARGE, MEDIUM, SELECTED, matrix
from hypothesis import example, given
from hypothesis import strategies as st

from sparsebc import betweenness, edge_betweenness, stress
from sparsebc.testing import by_definition


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("name", SELECTED)
def test_weights_of_one_change_no_bit(name, directed, fast_device):
    """Of betweenness with and without its ends, edges and stress."""
    A, run = LARGE[name], {"directed": directed, "device": fast_device}
    ones = dict.fromkeys(("source_weights", "target_weights"), np.ones(A.shape[0]))
    for function in (betweenness, edge_betweenness, stress):
        plain, same = function(A, **run), function(A, **ones, **run)
        if function is edge_betweenness:
            plain, same = plain.data, same.data
        np.testing.assert_array_equal(same, plain)


@given(st.integers(-60, 60), st.integers(1, 7))
@example(40, 1)  # the product of two sums of integers passes 2**63
def test_a_common_factor_changes_no_normalized_score(power, odd):
    """On a tree, which is folded, with a cycle; of integers that are summed exactly, and others."""
    A = matrix(nx.lollipop_graph(4, 5))
    weights = 1.0 + np.arange(9) % 3
    ways = {"directed": False, "device": "cpu"}
    factor = odd * 2.0**power
    got = betweenness(A, source_weights=weights * factor, target_weights=weights * factor, **ways)
    want = betweenness(A, source_weights=weights, target_weights=weights, **ways)
    np.testing.assert_allclose(got, want, rtol=1e-12)


def test_scores_that_no_pair_could_count_are_undefined(device):
    """No score of a node or of an edge: 0 / 0."""
    A = sp.csr_array(np.eye(4, k=1))
    weights = {"source_weights": [1, 0, 0, 0], "target_weights": [1, 0, 0, 0], "device": device}
    assert np.isnan(betweenness(A, **weights)).all()
    assert np.isnan(edge_betweenness(A, **weights).data).all()
    assert (edge_betweenness(A, normalized=False, **weights).data == 0).all()


def test_float32_keeps_wide_weights(device):
    """Fifteen magnitudes apart, scores keep the digits of the type."""
    A = MEDIUM["hubs"]
    alpha = 10.0 ** -np.linspace(0, 12, A.shape[0])
    options = {"source_weights": alpha, "target_weights": alpha[::-1], "directed": False}
    for measure in (betweenness, stress):
        exact = measure(A, device="cpu", **options)
        rounded = measure(A, device=device, dtype=np.float32, **options)
        np.testing.assert_allclose(rounded, exact, rtol=1e-4)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("weights", [[1e15, 1.0, 3.0, 0.5], [1e15, 0.3, 0.7, 0.9]])
@pytest.mark.parametrize("endpoints", [True, False])
def test_a_weight_beside_which_others_are_small_loses_no_pair(endpoints, weights, directed):
    """Beside the square of the largest weight, in the divisor or at the ends."""
    ends = {"source_weights": weights, "target_weights": weights}
    ways = {**ends, "endpoints": endpoints, "directed": directed}
    cycle = sp.csr_array(np.roll(np.eye(4), 1, axis=1))
    got = betweenness(cycle, **ways, device="cpu")
    np.testing.assert_allclose(got, by_definition(cycle, **ways), rtol=1e-12)
