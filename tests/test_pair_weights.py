"""Weights of pairs: alpha(s) omega(t) in place of one, for every engine and option."""

import itertools
from fractions import Fraction

import numpy as np
import oracle
import pytest
import scipy.sparse as sp
from graphs import LARGE, MEDIUM, SELECTED

from sparsebc import betweenness, edge_betweenness, stress


def divisors(alpha, omega, n, *, endpoints):
    """Sum of the weights of the pairs that could count each node, from the definition."""
    pairs = list(itertools.permutations(range(n), 2))
    return [
        sum(
            (oracle.weight(s, t, alpha, omega) for s, t in pairs if endpoints or v not in (s, t)),
            Fraction(0),
        )
        for v in range(n)
    ]


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("name", SELECTED)
def test_weights_of_one_change_no_bit(name, directed, fast_device):
    """Of betweenness with and without its ends, edges and stress."""
    A = LARGE[name]
    ones = np.ones(A.shape[0])
    for function in (betweenness, edge_betweenness, stress):
        plain = function(A, directed=directed, device=fast_device)
        same = function(
            A, directed=directed, source_weights=ones, target_weights=ones, device=fast_device
        )
        if function is edge_betweenness:
            plain, same = plain.data, same.data
        np.testing.assert_array_equal(same, plain)


def test_of_trips_from_homes_to_jobs():
    """Three who live at 0, one at 1; ten jobs at 3: of the 40 trips all pass 2, and 30 pass 1."""
    A = sp.csr_array(np.eye(4, k=1))
    homes, jobs = [3, 1, 0, 0], [0, 0, 0, 10]
    trips = {"source_weights": homes, "target_weights": jobs, "directed": False, "device": "cpu"}
    assert betweenness(A, normalized=False, **trips).tolist() == [0, 15, 20, 0]
    shares = betweenness(A, **trips)
    assert shares[:3].tolist() == [0, 1, 1]
    assert np.isnan(shares[3])  # the one target: no pair could pass it
    along = edge_betweenness(A, **trips).toarray()
    assert along[[0, 1, 2], [1, 2, 3]].tolist() == [0.75, 1, 1]


def test_float32_keeps_wide_weights(device):
    """Fifteen magnitudes apart, scores keep the digits of the type."""
    A = MEDIUM["hubs"]
    n = A.shape[0]
    alpha = 10.0 ** -np.linspace(0, 12, n)
    options = {"source_weights": alpha, "target_weights": alpha[::-1], "directed": False}
    for measure in (betweenness, stress):
        exact = measure(A, device="cpu", **options)
        rounded = measure(A, device=device, dtype=np.float32, **options)
        np.testing.assert_allclose(rounded, exact, rtol=1e-4)


@pytest.mark.parametrize("endpoints", [True, False])
def test_a_weight_beside_which_others_are_small(endpoints):
    """No pair of the divisor is lost beside the square of the largest weight."""
    weights = [1e15, 1.0, 3.0, 0.5]
    cycle = sp.csr_array(np.roll(np.eye(4), 1, axis=1))
    ends = {"source_weights": weights, "target_weights": weights}
    got = betweenness(cycle, **ends, endpoints=endpoints, device="cpu")
    edges = [(v, (v + 1) % 4) for v in range(4)]
    raw = oracle.raw(4, edges, alpha=weights, omega=weights, endpoints=endpoints)
    by = divisors(weights, weights, 4, endpoints=endpoints)
    want = [float(score / pairs) for score, pairs in zip(raw, by, strict=True)]
    np.testing.assert_allclose(got, want, rtol=1e-12)
