"""Bit-sliced path counts of the GPU engine, at the borders of what slices hold."""

import math
from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from conformance.knobs import turned

from sparsebc import stress

pytestmark = pytest.mark.gpu

# Widths of layers, each joined to the next completely: every second one is one node, where the
# number of paths is the product of the widths before.
CHAINS = {
    "7, 7 * 73": (1, 7, 1, 73, 1, 3, 1),
    "8, 64, 512, 4096": (1, 8, 1, 8, 1, 8, 1, 8, 1, 2, 1),
    "4095, and 512 of them": (1, 63, 1, 65, 1, 512, 1, 2),
    "4097": (1, 17, 1, 241, 1, 3, 2),
    "of a long row": (1, 700, 1, 5, 1, 2),
    "of a hub": (1, 900, 1, 5, 1, 2),
    "of many hubs": (1, 4, 800, 3, 800, 2),
    "in the second step": (2, 40, 3, 50, 2, 60, 5, 4),
}


def chain(widths):
    """Layers one after the other, each joined to the next completely."""
    ends = np.cumsum((0, *widths))
    rows, columns = (np.repeat(range(len(widths)), widths) for _ in range(2))
    A = sp.csr_array(rows[:, None] + 1 == columns)
    assert A.shape == (ends[-1], ends[-1])
    return A


def paths_through(widths, starts):
    """Stress of a node of each layer, by multiplying the widths that a path has a choice of."""
    found = [0] * len(widths)
    for first, last in combinations(range(len(widths)), 2):
        for inner in range(first + 1, last):
            if first in starts:
                found[inner] += math.prod(widths[first : last + 1]) // widths[inner]
    return np.repeat(found, widths)


@pytest.mark.parametrize("widths", CHAINS.values(), ids=CHAINS)
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("alone", [True, False], ids=["first layer", "all nodes"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_large_counts_are_exact_and_the_same_with_and_without_slices(
    widths, directed, alone, dtype
):
    """Exactly; sources of one batch meet large counts at different levels, and none goes alone."""
    options = {"sources": range(widths[0]) if alone else None, "directed": directed}
    with turned(["in step", "bit slices"], on_gpu=True):
        got = stress(chain(widths), **options, device="cuda", dtype=dtype)
    if directed:
        exact = paths_through(widths, [0] if alone else range(len(widths)))
        np.testing.assert_allclose(got, exact, rtol=1e-6 if dtype == "float32" else 1e-15)
    with turned(["in step", "no bit slices"], on_gpu=True):
        want = stress(chain(widths), **options, device="cuda", dtype=dtype)
    np.testing.assert_array_equal(got, want)
