"""Lengths that other systems fall over, each with the answer or the refusal worked out by hand."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import matrix

from sparsebc import betweenness, closeness
from sparsebc.errors import EdgeError


def cycle(*lengths, dtype=None):
    """Directed cycle 0 -> 1 -> ... -> 0 with these lengths."""
    n = len(lengths)
    nodes = np.arange(n)
    return sp.csr_array((np.array(lengths, dtype=dtype), (nodes, (nodes + 1) % n)), shape=(n, n))


def edges(*triples, n):
    """The matrix of edges (i, j, length)."""
    i, j, lengths = zip(*triples, strict=True)
    return sp.csr_array((lengths, (i, j)), shape=(n, n))


def ways(*lengths):
    """Three ways from 0 to 4, by 1, 2 or 3, each of two edges of a length."""
    arcs = [(0, v, x) for v, x in enumerate(lengths, 1)]
    return edges(*arcs, *((v, 4, x) for _, v, x in arcs), n=5)


def past(direct):
    """A path of five nodes, and an edge from its start to its end."""
    A = matrix(nx.path_graph(5, create_using=nx.DiGraph)).astype(float).tolil()
    A[0, 4] = direct
    return A.tocsr()


def scores(A, device, **options):
    """Raw scores by length."""
    return betweenness(A, weighted=True, normalized=False, device=device, **options)


FLOATS = cycle(0.1, 0.1, 0.1, 0.15, 0.15)  # both ways from 0 to 3 are 0.3 long, with a rounding
BIG = 2**42  # and 2**43 + 1 differs from twice this by less than 1e-11 of E
LINE = np.random.default_rng(41).choice([0.4, 0.9], 60)
UNDIRECTED, EXACT, NEARLY = {"directed": False}, {"tie_rtol": 0}, {"tie_rtol": 4e-4}
ANSWERS = {
    "sums of floats tie": (FLOATS, UNDIRECTED, [1, 1.5, 1.5, 1, 0.5]),
    "or compare as in NetworkX": (FLOATS, UNDIRECTED | EXACT, [1, 1, 1, 1, 1]),
    "whole numbers do not tie": (cycle(BIG, BIG, BIG, BIG + 1), UNDIRECTED, [0, 1, 1, 0]),
    "nor whole floats": (cycle(BIG, BIG, BIG, BIG + 1.0), UNDIRECTED, [0, 1, 1, 0]),
    "halves do": (cycle(*[BIG + 0.5] * 3, BIG + 1.5), UNDIRECTED, [0.5] * 4),
    # E is twice .5 + .5 + .5003, and 1 and 1.0006 are within a thousandth of E; 1.0012 is within a
    # thousandth of 1.0006 alone.
    "from the shortest": (ways(0.5, 0.5003, 0.5006), NEARLY, [0, 0.5, 0.5, 0, 0]),
    "whichever comes first": (ways(0.5006, 0.5003, 0.5), NEARLY, [0, 0, 0.5, 0.5, 0]),
    "four short edges beat a long one": (past(5), {}, [0, 3, 4, 3, 0]),
    "and lose against one of 3": (past(3), {}, [0, 2, 3, 2, 0]),
    # 0.9 spans 3 buckets of 0.3 and, from some distances, a rounding more.
    "distances round across buckets": (
        *(sp.csr_array(sp.diags_array(LINE, offsets=1)), {}),
        np.arange(61) * np.arange(60, -1, -1),
    ),
    "tiny lengths": (
        cycle(1e-17, 1e-17, 1e-17, 1.5e-17, 1.5e-17),
        UNDIRECTED,
        [1, 1.5, 1.5, 1, 0.5],
    ),
    "tiny beside large": (cycle(1, 1e-9, 1e-9), {}, [1, 1, 1]),
    "least lengths": (
        cycle(1e-300, 2e-300, 1e-300, 1.5e-300, 2.5e-300),
        UNDIRECTED,
        [1, 1.5, 1.5, 1, 0.5],
    ),
}


@pytest.mark.parametrize(("A", "options", "want"), ANSWERS.values(), ids=ANSWERS)
def test_scores_are_those_worked_out_by_hand(device, A, options, want):
    np.testing.assert_allclose(scores(A, device, **options), want, rtol=1e-14)


@pytest.mark.parametrize(
    ("lengths", "options"),
    [
        ([1, 1, 1e-17, 1], {"tie_rtol": 0}),
        ([1, 1, 1e-17, 1], {}),
        ([1, 1, 1e-11, 1], {}),
        ([1e17, 1e17 * 1.5, 0.5, 1e17], {"tie_rtol": 0}),
        ([3, 1, 0.005, 3], {"tie_rtol": 5e-4}),
    ],
)
@pytest.mark.parametrize("pick", [slice(None), slice(-1)], ids=["cycle", "path"])
def test_lost_lengths_are_refused(device, lengths, options, pick):
    """By rounding or by tau, on a cycle and on a tree that could be folded."""
    coo = cycle(*lengths).tocoo()
    A = sp.csr_array((coo.data[pick], (coo.row[pick], coo.col[pick])), shape=coo.shape)
    with pytest.raises(EdgeError, match=r"A\[2, 3\] is [\d.e-]+: .*of E = [\d.e+]+,") as error:
        scores(A, device, directed=False, **options, sources=[0], reduce="none")
    assert error.value.at == (2, 3)
    assert ("lower tie_rtol" in str(error.value)) == (options.get("tie_rtol") != 0)
    assert np.isfinite(closeness(A, weighted=True, directed=False, device=device)).all()


def test_distances_past_2_53_are_refused(device):
    """Whole numbers cannot be added exactly there; as multiples of the largest they can tie."""
    A = cycle(2**52, 2**52, 2**52, 2**52 + 2, 2**52 + 2, dtype=np.int64)
    with pytest.raises(OverflowError, match=r"2\*\*53.* A.max\(\)"):
        scores(A, device, directed=False)
    got = scores(A / A.max(), device, directed=False)
    np.testing.assert_array_equal(got, [1, 1, 1, 1, 1])
    for lengths in ([2**60, 2**59, 2**59 + 1], [2**53, 2**53 + 1, 2**53]):  # equal as floats
        with pytest.raises(OverflowError, match=r"2\*\*53.* A.max\(\)"):
            scores(cycle(*lengths, dtype=np.int64), device)
