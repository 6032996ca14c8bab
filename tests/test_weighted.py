"""Bits of betweenness of nodes and edges and stress by length: of equal lengths, scaled, reversed.

The conformance suite asks the definition.
"""

import functools

import numpy as np
import pytest
import scipy.sparse as sp
from calls import assert_same
from graphs import LARGE, MEDIUM, SELECTED, with_lengths

from sparsebc import centralities

UNEQUAL = np.append(np.arange(1.0, 6.0), 2.0**16)  # of several magnitudes
# Whole numbers, some with many ties; sums of tenths round.
KINDS = {
    "whole": np.arange(1, 11),
    "few": np.array([1.0, 2.0, 3.0]),
    "tenths": np.arange(1, 7) / 10,
    "unequal": UNEQUAL,
}
ALL = ("betweenness", "edge_betweenness", "stress")
SHAPES = ("streets", "large hubs", "unicyclic", "dense")
by_length = functools.partial(centralities, names=ALL, weighted=True)


@functools.cache
def lengthened(name, kind):
    """A named graph with lengths of a kind."""
    return with_lengths((MEDIUM | LARGE)[name], KINDS[kind], seed=77)


@pytest.mark.parametrize("length", [0.1, 7])
@pytest.mark.parametrize("name", SELECTED)
def test_equal_lengths_are_no_lengths(fast_device, name, length):
    """Not a bit differs from the unweighted scores."""
    A = sp.csr_array(LARGE[name])
    same = sp.csr_array((np.full(A.nnz, length), A.indices, A.indptr), shape=A.shape)
    for options in ({"tie_rtol": 0}, {"directed": False}):
        got = by_length(same, **options, device=fast_device)
        want = centralities(A, ALL, directed=options.get("directed", True), device=fast_device)
        assert_same(got, want)


@pytest.mark.parametrize("power", [-40, 1])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", SHAPES)
def test_scaling_by_a_power_of_two_changes_no_bit(fast_device, name, kind, power):
    """Sums, comparisons and buckets scale with the lengths."""
    A = lengthened(name, kind)
    assert_same(*(by_length(B, device=fast_device) for B in (A * 2.0**power, A)))
