"""Weights of pairs: alpha(s) omega(t) in place of one, for every engine and option."""

import itertools
from fractions import Fraction

import networkx as nx
import numpy as np
import oracle
import pytest
import scipy.sparse as sp
from graphs import LARGE, MEDIUM, SELECTED, matrix

from sparsebc import betweenness, centralities, closeness, edge_betweenness, stress
from sparsebc.measures import pair_weights


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


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", MEDIUM)
def test_scores_add_up_and_scale(name, weighted, device):
    """They are linear in the weights of the sources, and in those of the targets."""
    A, rng = MEDIUM[name], np.random.default_rng(7)
    n = A.shape[0]
    parts, omega = rng.random((2, n)), rng.integers(0, 9, n)
    options = {
        "normalized": False,
        "directed": False,
        "weighted": weighted,
        "endpoints": True,
        "device": device,
    }
    one, other, both = (
        betweenness(A, source_weights=alpha, target_weights=omega, **options)
        for alpha in (*parts, parts.sum(axis=0))
    )
    np.testing.assert_allclose(one + other, both, rtol=1e-11)
    scaled = betweenness(A, source_weights=8 * parts[0], target_weights=omega / 3, **options)
    np.testing.assert_allclose(scaled, one * (8 / 3), rtol=1e-11)
    shares = options | {"normalized": True}
    np.testing.assert_allclose(
        betweenness(A, source_weights=8 * parts[0], target_weights=omega / 3, **shares),
        betweenness(A, source_weights=parts[0], target_weights=omega, **shares),
        rtol=1e-11,
    )


@pytest.mark.parametrize("name", SELECTED)
def test_floats_agree_with_folded_whole_numbers(name, fast_device):
    """Trees folded in whole numbers, and left where they are for halves of these."""
    A, rng = LARGE[name], np.random.default_rng(8)
    alpha, omega = rng.integers(0, 5, (2, A.shape[0]))
    measures = ["betweenness", "edge_betweenness", "stress"]
    options = {"directed": False, "normalized": False, "device": fast_device}
    whole = centralities(A, measures, source_weights=alpha, target_weights=omega, **options)
    halves = centralities(
        A, measures, source_weights=alpha / 2, target_weights=omega / 2, **options
    )
    for measure in measures:
        want, got = whole[measure], 4 * halves[measure]
        if measure == "edge_betweenness":
            want, got = want.data, got.data
        np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-10)


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


def test_endpoints_of_directed_pairs(device):
    """Two pairs from 0, of weights 3 and 5, and one from 1, at their ends."""
    A = sp.csr_array(np.eye(3, k=1))
    options = {"source_weights": [1, 2, 7], "target_weights": [9, 3, 5.5], "normalized": False}
    got = betweenness(A, endpoints=True, device=device, **options)
    np.testing.assert_allclose(got, [3 + 5.5, 3 + 5.5 + 11, 5.5 + 11])


def test_weights_without_the_others_do_not_cancel():
    """One weight that dwarfs all others leaves the sum of those as it is."""
    alpha = np.array([1e15, 1.0, 2.0, 3.0])
    pairs = pair_weights.of_pairs(alpha, np.ones(4), endpoints=False)
    assert pairs[0] == 6.0 * 3 - 6.0


BAD = [
    ({"source_weights": [1, 2]}, ValueError, ["source_weights", "4 nodes", "(2,)"]),
    ({"target_weights": [1, 2, -3, 4]}, ValueError, ["target_weights", "-3", "node 2"]),
    ({"target_weights": [1, 2, np.nan, 4]}, ValueError, ["target_weights", "nan", "node 2"]),
    ({"target_weights": [1, np.inf, 0, 4]}, ValueError, ["target_weights", "inf", "node 1"]),
    ({"source_weights": [0, 0, 0, 0]}, ValueError, ["source_weights", "all zero", "leave"]),
    ({"source_weights": ["a", "b", "c", "d"]}, TypeError, ["source_weights", "number"]),
    ({"source_weights": [True] * 4}, TypeError, ["source_weights", "number"]),
    ({"source_weights": [[1], [1, 2]]}, ValueError, ["source_weights", "unequal"]),
    ({"source_weights": [1e-18, 1, 1, 1]}, ValueError, ["source_weights", "1e-18", "lost"]),
    ({"source_weights": [1e-120, 0, 0, 0]}, ValueError, ["source_weights", "1e-120", "factor"]),
    ({"source_weights": [1, 1, 1, 1], "k": 2}, ValueError, ["k=2", "source_weights"]),
    ({"target_weights": [1, 1, 1, 1], "k": 2}, ValueError, ["k=2", "target_weights"]),
]


@pytest.mark.parametrize(("options", "error", "words"), BAD, ids=[str(row[0]) for row in BAD])
def test_what_is_refused(options, error, words):
    """The message names the argument, the value and the way out."""
    A = sp.csr_array(np.eye(4, k=1))
    with pytest.raises(error) as caught:
        betweenness(A, device="cpu", **options)
    for word in words:
        assert word in str(caught.value)


def test_measures_of_distances_take_none():
    """Named, as targets are."""
    A = matrix(nx.path_graph(4))
    for option in ("source_weights", "target_weights"):
        with pytest.raises(ValueError, match=f"{option} have no effect on 'closeness'"):
            centralities(A, ["closeness"], **{option: np.ones(4)})
    with pytest.raises(TypeError, match="source_weights"):
        closeness(A, source_weights=np.ones(4))


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
