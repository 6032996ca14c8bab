"""Weights of directed blocks, and pairs from block to block, against paths in what is left."""

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import NEEDS_GPU
from graphs import LARGE, MEDIUM
from numpy.testing import assert_array_equal
from scipy.sparse import csgraph
from test_biconnected import found_in, rows_at
from test_reductions import some_one_way

from sparsebc.graph.ops import GraphOps
from sparsebc.graph.read_matrix import canonical
from sparsebc.reduce.biconnected_reach import weights_by_reach
from sparsebc.reduce.biconnected_rows import biconnected_rows

GRAPHS = MEDIUM | LARGE


@pytest.fixture(params=["host", pytest.param("device", marks=NEEDS_GPU)], scope="module")
def ops(request):
    """Where the rows are."""
    if request.param == "host":
        return GraphOps()
    from sparsebc.engines.cuda.prepare.graph_ops import CUDAOps

    return CUDAOps()


def rows_of(A):
    """Rows of the blocks of a matrix, on the host; None if it has no edges."""
    graph = canonical(sp.csr_array(A), directed=True)
    if graph.symmetric:  # one object, which a directed graph of symmetric blocks would not be
        return None
    left, (block, tops, *_) = found_in(graph)
    return biconnected_rows(graph, left, block, tops)


def found(rows, own, ops, most=np.inf):
    """What is found where ``ops`` keep the rows, on the host."""
    weights = weights_by_reach(rows_at(rows, ops), ops.asarray(own), ops, most)
    return None if weights is None else tuple(map(ops.on_host, weights))


@pytest.mark.parametrize("name", sorted(GRAPHS))
def test_where_the_graph_lives(ops, name):
    """The same everywhere; None where that is too dear."""
    A = some_one_way(GRAPHS[name])
    rows = rows_of(A)
    if rows is None or not rows.sizes.size:
        return
    own = np.random.default_rng(8).integers(0, 4, (2, A.shape[0]))
    want = found(rows, own, GraphOps())
    for got, wanted in zip(found(rows, own, ops), want, strict=True):
        assert_array_equal(got, wanted)
        assert got.dtype == wanted.dtype
    assert found(rows, own, ops, -1) is None


def test_a_long_way(ops):
    """A chain of bridges, each way and both ways: the tree of blocks is as deep as it is long."""
    n, draws = 3000, np.random.default_rng(3)
    ways = draws.integers(0, 10, n - 1)
    order = draws.permutation(n)
    A = sp.diags_array([(ways > 0).astype(float), (ways != 1).astype(float)], offsets=[1, -1])
    A = sp.csr_array(A)[order][:, order]
    A.eliminate_zeros()
    rows, own = rows_of(A), draws.integers(0, 4, (2, n))
    ends, _ = found(rows, own, ops)
    at, reached = np.argsort(order), np.zeros(n, dtype=np.int64)
    reached[at[0]] = own[0, at[0]]
    for i in range(1, n):  # from smaller numbers, along the chain
        reached[at[i]] = own[0, at[i]] + (reached[at[i - 1]] if ways[i - 1] > 0 else 0)
    first = {
        frozenset(rows.nodes[rows.start[b] : rows.start[b + 1]].tolist()): b for b in range(n - 1)
    }
    for i in range(1, n):
        b = first[frozenset((at[i - 1], at[i]))]
        r = rows.start[b] + int(rows.nodes[rows.start[b]] != at[i - 1])
        assert ends[0, r] == reached[at[i - 1]]


@pytest.mark.parametrize("name", sorted(GRAPHS))
def test_strong_components(ops, name):
    """Those of SciPy, block after block; arcs between them once."""
    rows = rows_of(some_one_way(GRAPHS[name]))
    if rows is None or not rows.sizes.size:
        return
    there = rows_at(rows, ops)
    ways = there.outgoing.pattern, there.incoming.pattern
    count, want = csgraph.connected_components(rows.outgoing.pattern.matrix(), connection="strong")
    one_of_each = np.empty(count, np.int32)
    one_of_each[want] = np.arange(want.size)
    some = np.where(want % 3 == 0, one_of_each[want], -1).astype(np.int32)
    for known in (None, ops.asarray(some)):
        parts = ops.condensed(*ways, there.start, known)
        number, first = map(ops.on_host, parts[:2])
        assert first[-1] == count == len(set(zip(number.tolist(), want.tolist(), strict=True)))
        of_block = np.searchsorted(first, number, side="right") - 1
        assert_array_equal(of_block, rows.block)
        pattern = rows.outgoing.pattern
        pairs = {*zip(number[pattern.rows].tolist(), number[pattern.indices].tolist(), strict=True)}
        heads, tails = (
            ops.on_host(a).tolist() for a in (parts.between.indices, ops.rows(parts.between))
        )
        assert sorted(zip(tails, heads, strict=True)) == sorted((a, b) for a, b in pairs if a != b)
