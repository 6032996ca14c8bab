"""Only pairs at most so far apart: ``cutoff`` beside roundings, path counts and plans.

The conformance suite asks its definition, of one and of several.
"""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import layered, matrix
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from sparsebc import betweenness, centralities, eccentricity
from sparsebc.testing import brandes


@given(st.floats(1e-3, 1e3), st.integers(2, 60))
@example(unit=0.1, steps=17)  # of the float below 1.7, a tenth is 17 by a rounding
@example(unit=0.1, steps=43)  # of 43 * .1, it is less than 43
def test_equal_lengths_reach_a_cutoff_to_the_last_bit(unit, steps):
    """k of them are k times as long as one, and no float more or less."""
    far = steps * unit
    reached = betweenness(
        sp.csr_array(np.diag(np.full(60, unit), k=1)),
        weighted=True,
        cutoff=[far, np.nextafter(far, 0), np.nextafter(far, np.inf)],
        tie_rtol=0,
        sources=[0],
        normalized=False,
        device="cpu",
    )[1]  # targets beyond node 1
    assert_array_equal(reached, [steps - 1, steps - 2, steps - 1])


@pytest.mark.parametrize("equal", [False, True])
def test_sums_of_floats_reach_the_cutoff(device, equal):
    """0.1 + 0.2 is within 0.3, and three times 0.1, unless ``tie_rtol=0`` compares as they are."""
    lengths = [0.1, 0.1, 0.1] if equal else [0.1, 0.2, 0.3]
    A = sp.csr_array(np.diag(lengths, k=1))
    ways = {"weighted": True, "cutoff": 0.3}
    assert betweenness(A, normalized=False, device=device, **ways)[1] == (2 if equal else 1)
    assert betweenness(A, normalized=False, device=device, tie_rtol=0, **ways)[1] == equal
    if device != "reference":
        farthest = eccentricity(A, reachable_only=True, device=device, **ways)
        assert farthest[0] == pytest.approx(0.3)


def test_whole_lengths_compare_exactly(fast_device):
    """One more than the cutoff is too far, however large both are; so is a sum beyond floats."""
    far = 2**52
    A = sp.csr_array(np.diag([far, 1, 2**53 - 1], k=1))
    ways = {"weighted": True, "normalized": False, "device": fast_device}
    assert betweenness(A, cutoff=[far, far + 1], **ways).T.tolist() == [[0] * 4, [0, 1, 0, 0]]
    with pytest.raises(OverflowError, match=r"2\*\*53"):
        betweenness(A, **ways)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", [False, True])
def test_counts_beyond_floats_lose_no_digits_within_a_cutoff(fast_device, weighted, dtype):
    """In layers of ten, 10**d paths are d + 1 long: a node has a tenth of the pairs around it."""
    width, layers, source = 10, 340, 3
    A = layered(width, layers)
    if weighted:  # not all of them equal
        A.data[:width] = 2
    cutoff = [1, 2, 50, 330, 339]
    ways = {"sources": [source], "normalized": False, "dtype": dtype, "weighted": weighted}
    got = betweenness(A, cutoff=cutoff, device=fast_device, **ways)
    layer = np.arange(layers).repeat(width)
    for column, most in enumerate(cutoff):
        behind = np.minimum(most, layers - 1) - layer
        want = np.where(layer > 0, np.maximum(behind, 0), 0)
        assert_allclose(got[:, column], want, rtol=1e-5 if dtype == np.float32 else 1e-11)


def test_measures_and_cutoffs_of_one_call_have_the_scores_of_each_alone(device):
    """Searches that several sources share serve all of them."""
    A, cutoff, ways = matrix(nx.karate_club_graph()), [1, 2, 3], {"directed": False}
    found = centralities(A, ["betweenness", "stress"], cutoff=cutoff, device=device, **ways)
    for measure, scores in found.items():
        want = [brandes(A, measure, cutoff=most, **ways) for most in cutoff]
        assert_allclose(scores, np.transpose(want), rtol=1e-12)
