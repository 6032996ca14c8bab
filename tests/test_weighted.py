"""Weighted betweenness is what its definition and its peers say it is, for every engine."""

import functools
import itertools
from fractions import Fraction

import numpy as np
import oracle
import pytest
import scipy.sparse as sp
from graphs import LARGE, MEDIUM, SELECTED, with_lengths
from hypothesis import strategies as st
from scipy.sparse import csgraph

from sparsebc import betweenness
from sparsebc.testing import CLASSES, patterns


@pytest.fixture(scope="session")
def device(fast_device):
    """The conformance suite asks the literal algebra."""
    return fast_device


BOOLS = (True, False)
WHOLE = np.arange(1, 11)
FEW = np.array([1.0, 2.0, 3.0])  # many ties
TENTHS = np.arange(1, 7) / 10
UNEQUAL = np.append(np.arange(1.0, 6.0), 2.0**16)  # of several magnitudes
KINDS = {"whole": WHOLE, "few": FEW, "tenths": TENTHS, "unequal": UNEQUAL}
# What k stands for, as a float and exactly; sums of the last two round.
UNITS = {
    "integers": lambda k: (k, Fraction(k)),
    "whole floats": lambda k: (float(k), Fraction(k)),
    "dyadic": lambda k: (k / 8, Fraction(k, 8)),
    "tenths": lambda k: (k / 10, Fraction(k, 10)),
    "thirds": lambda k: (k / 3, Fraction(k, 3)),
}


@st.composite
def questions(draw):
    """A weighted matrix, its exact entries, and one way of calling betweenness on it."""
    n, edges = draw(patterns(max_nodes=7, max_edges=18))
    unit = UNITS[draw(st.sampled_from(list(UNITS)))]
    counts = draw(st.lists(st.integers(1, 5), min_size=len(edges), max_size=len(edges)))
    stored, exact = [unit(k)[0] for k in counts], [unit(k)[1] for k in counts]
    ends = np.array(edges, dtype=np.int32).reshape(-1, 2).T
    dtype = np.int16 if all(isinstance(value, int) for value in stored) else np.float64
    coo = sp.coo_array((np.array(stored, dtype=dtype), tuple(ends)), shape=(n, n))
    A = draw(st.sampled_from(CLASSES))(coo)
    options = {name: draw(st.booleans()) for name in ("directed", "normalized", "endpoints")}
    route = draw(st.sampled_from(["all", "sample", "subset"] if n else ["all"]))
    if route == "sample":
        options |= {"k": draw(st.integers(1, n)), "rng": draw(st.integers(0, 2**32))}
    elif route == "subset":
        some = st.lists(st.integers(0, n - 1), min_size=1, unique=True)
        options |= {name: draw(st.none() | some) for name in ("sources", "targets")}
    entries = [(i, j, value) for (i, j), value in zip(edges, exact, strict=True)]
    return A, entries, options


def defined(n, entries, options):
    """Scores by all simple paths, measured in exact fractions; takes the options apart."""
    sampled = sample_of(options, n)
    normalized = options.pop("normalized")
    ways = {name: options[name] for name in ("directed", "endpoints")}
    length = oracle.merged(entries, directed=options["directed"])
    exact = oracle.raw(n, length, **options, length=length)
    want = oracle.scaled(exact, **ways, normalized=normalized, sampled=sampled)
    return np.array(want, dtype=np.float64)


def sample_of(options, n):
    """Nodes that k and rng draw, moved to the sources for the oracle; None for no sample."""
    k, seed = options.pop("k", None), options.pop("rng", None)
    if k is None:
        return None
    sampled = np.random.default_rng(seed).choice(n, k, replace=False)
    options["sources"] = sampled.tolist()
    return sampled


@functools.cache
def lengthened(name, kind):
    """A named graph with lengths of a kind."""
    return with_lengths((MEDIUM | LARGE)[name], KINDS[kind], seed=77)


def subdivided(A):
    """Put w - 1 nodes on each edge of whole length w, behind the nodes there are."""
    coo = sp.coo_array(A)
    edges, fresh = [], A.shape[0]
    for i, j, w in zip(coo.row, coo.col, coo.data, strict=True):
        stops = [i, *range(fresh, fresh + int(w) - 1), j]
        fresh += int(w) - 1
        edges += itertools.pairwise(stops)
    tails, heads = np.array(edges).T
    return sp.csr_array((np.ones(len(edges)), (tails, heads)), shape=(fresh, fresh))


@pytest.mark.parametrize("name", SELECTED)
def test_a_length_is_as_many_edges(fast_device, name):
    """An edge of length w is a path of w edges, where only the old nodes are ends."""
    A = lengthened(name, "few")
    old = np.arange(A.shape[0])
    want = betweenness(
        subdivided(A), sources=old, targets=old, normalized=False, device=fast_device
    )[old]
    got = betweenness(A, weighted=True, normalized=False, device=fast_device)
    np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("length", [0.1, 7])
@pytest.mark.parametrize("name", SELECTED)
def test_equal_lengths_are_no_lengths(fast_device, name, length):
    """Not a bit differs from the unweighted scores."""
    A = LARGE[name]
    same = sp.csr_array((np.full(A.nnz, length), A.indices, A.indptr), shape=A.shape)
    for options in ({"tie_rtol": 0}, {"directed": False}):
        got = betweenness(same, weighted=True, **options, device=fast_device)
        want = betweenness(A, directed=options.get("directed", True), device=fast_device)
        assert got.tobytes() == want.tobytes()


@pytest.mark.parametrize("power", [-40, 1])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["streets", "large hubs", "unicyclic"])
def test_scaling_by_a_power_of_two_changes_no_bit(device, name, kind, power):
    """Sums, comparisons and buckets scale with the lengths."""
    A = lengthened(name, kind)
    ways = {"weighted": True, "normalized": False, "device": device}
    assert betweenness(A * 2.0**power, **ways).tobytes() == betweenness(A, **ways).tobytes()


@pytest.mark.parametrize("name", ["streets", "large hubs", "sparse", "unicyclic", "dense"])
def test_buckets_of_any_width_agree(device, name):
    """A long edge far away changes how nodes are settled, and nothing else."""
    A = lengthened(name, "few")
    far = sp.csr_array(([2.0**30], ([0], [1])), shape=(2, 2))
    ways = {"weighted": True, "normalized": False, "device": device}
    got = betweenness(sp.block_diag([A, far], format="csr"), **ways)
    np.testing.assert_allclose(got[:-2], betweenness(A, **ways), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", ["few", "tenths"])
@pytest.mark.parametrize("name", ["digraph", "dense graph", "disconnected", "hubs"])
def test_an_edge_longer_than_the_way_changes_nothing(device, name, kind):
    """Edges between random nodes, each longer than the shortest path that joins them already."""
    A = lengthened(name, kind)
    distance = csgraph.dijkstra(A)
    tails, heads = np.random.default_rng(31).integers(A.shape[0], size=(2, 40))
    joined = np.isfinite(distance[tails, heads]) & (tails != heads) & (A[tails, heads] == 0)
    more = sp.lil_array(A.astype(float))
    more[tails[joined], heads[joined]] = distance[tails[joined], heads[joined]] * 1.5
    ways = {"weighted": True, "normalized": False, "device": device}
    got = betweenness(more.tocsr(), **ways)
    np.testing.assert_allclose(got, betweenness(A, **ways), rtol=1e-11, atol=1e-11)
