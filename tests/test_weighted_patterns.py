"""Lengths that are read and prepared on a GPU: what the host makes of them."""

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import NEEDS_GPU
from graphs import LARGE, MEDIUM, with_lengths
from numpy.testing import assert_array_equal

from sparsebc.matrix.read_matrix import weighted
from sparsebc.reduce.prune import backbone

LENGTHS = {"whole": np.arange(1, 30), "tenths": np.arange(1, 30) / 10, "equal": np.array([2.5])}
NAMES = ["dense digraph", "dense graph", "communities", "tournament", "disconnected"]

pytestmark = list(NEEDS_GPU)


def two_ways(A, lengths, seed):
    """Draw a length for each arc of a pattern, as floats."""
    drawn = np.random.default_rng(seed).choice(lengths, A.nnz).astype(float)
    return sp.csr_array((drawn, A.indices, A.indptr), shape=A.shape)


def on_both(A, *, directed):
    """The graph of a matrix, read by the host and by the device."""
    from sparsebc.engines.cuda.prepare.graph_ops import CUDAOps

    options = {"directed": directed}
    return weighted(A, **options), weighted(A, ops_for=lambda _: CUDAOps(), **options)


def assert_same_graph(device, host):
    """Device arrays hold what those of the host do, and are shared where those are."""
    got, lengths = device.on_host(), host.lengths
    assert (device.symmetric, device.unit) == (host.symmetric, host.unit)
    for pair in ((got.outgoing, host.outgoing), (got.incoming, host.incoming)):
        for there, here in zip(*pair, strict=True):
            assert_array_equal(there, here)
    assert (got.lengths is None) == (lengths is None)
    if lengths:
        assert got.lengths.whole == lengths.whole
        assert_array_equal(got.lengths.outgoing, lengths.outgoing)
        assert_array_equal(got.lengths.incoming, lengths.incoming)


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf, 1e-310])
def test_refused_as_by_the_host(bad):
    """With the same message."""
    from sparsebc.engines.cuda.prepare.graph_ops import CUDAOps

    A = two_ways(MEDIUM["dense digraph"], np.arange(1, 9), 5)
    A.data[17] = bad
    messages = []
    for home in ({}, {"ops_for": lambda _: CUDAOps()}):
        with pytest.raises(ValueError, match="A") as error:
            weighted(A, directed=True, **home)
        messages.append(str(error.value))
    assert messages[0] == messages[1]


@pytest.mark.parametrize("many", [0, 1 << 30], ids=["busiest", "triangles"])
@pytest.mark.parametrize("kind", ["whole", "tenths"])
@pytest.mark.parametrize("name", [*NAMES, "dense", "large hubs", "large digraph"])
def test_the_same_edges_are_left_out(name, kind, many, monkeypatch):
    """Rows of more columns than the table has slots, too: some share one."""
    monkeypatch.setattr("sparsebc.reduce.prune.HUB_WORK", many)
    A = (MEDIUM | LARGE)[name]
    for given in (with_lengths(A, LENGTHS[kind], seed=5), two_ways(A, LENGTHS[kind], 7)):
        host, device = on_both(given, directed=True)
        want, got = (backbone(graph, 10**9) for graph in (host, device))
        assert (got is device) == (want is host)
        assert_same_graph(got, want)
