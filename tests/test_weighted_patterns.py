"""Lengths that are read and prepared on a GPU: what the host makes of them."""

import numpy as np
import pytest
import scipy.sparse as sp
from changed_kernels import changed_sources
from graphs import LARGE, MEDIUM, with_lengths
from numpy.testing import assert_allclose, assert_array_equal

from sparsebc import centralities
from sparsebc.engines import devices
from sparsebc.graph.read_weights import weighted
from sparsebc.reduce.prune import backbone

LENGTHS = {"whole": np.arange(1, 30), "tenths": np.arange(1, 30) / 10, "equal": np.array([2.5])}
NAMES = ["dense digraph", "dense graph", "communities", "tournament", "disconnected"]

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not devices.gpus(), reason="no GPU"),
]


def two_ways(A, lengths, seed):
    """Draw a length for each arc of a pattern, as floats."""
    drawn = np.random.default_rng(seed).choice(lengths, A.nnz).astype(float)
    return sp.csr_array((drawn, A.indices, A.indptr), shape=A.shape)


def on_both(A, *, directed):
    """The graph of a matrix, read by the host and by the device."""
    from sparsebc.engines.cuda.prepare.graph_ops import CUDAOps

    options = {"directed": directed, "tie_rtol": 1e-10}
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
        assert (got.lengths.whole, got.lengths.rtol) == (lengths.whole, lengths.rtol)
        assert_array_equal(got.lengths.outgoing, lengths.outgoing)
        assert_array_equal(got.lengths.incoming, lengths.incoming)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("kind", LENGTHS)
@pytest.mark.parametrize("name", NAMES)
def test_read_as_by_the_host(name, kind, form, directed):
    """In every format, of SciPy and CuPy; lengths equal in both directions, and others."""
    import cupyx.scipy.sparse

    for A in (two_ways(MEDIUM[name], LENGTHS[kind], 5), two_ways(MEDIUM[name], [3.0, 4.0], 6)):
        for given in (A + A.T, A):
            there = getattr(cupyx.scipy.sparse, f"{form}_matrix")(sp.csr_matrix(given))
            for matrix in (given.asformat(form), there):
                host, device = on_both(matrix, directed=directed)
                assert_same_graph(device, host)


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_what_is_out_of_order(form):
    """Repeated entries are summed, those on the diagonal dropped."""
    rows, columns = np.array([3, 0, 0, 2, 0, 2, 1, 3]), np.array([0, 3, 1, 2, 3, 0, 2, 1])
    A = sp.coo_array((np.arange(1.0, 9.0), (rows, columns)), shape=(4, 4))
    if form == "csr":
        indptr = np.concatenate(([0], np.cumsum(np.bincount(rows))))
        order = np.argsort(rows, kind="stable")[::-1]
        order = order[np.argsort(rows[order], kind="stable")]
        A = sp.csr_array((A.data[order], columns[order], indptr), shape=A.shape)
    given = A if form != "csc" else A.tocsc()
    host, device = on_both(given, directed=True)
    assert host.arcs == 6
    assert_same_graph(device, host)


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf, 1e-310])
def test_refused_as_by_the_host(bad):
    """With the same message."""
    from sparsebc.engines.cuda.prepare.graph_ops import CUDAOps

    A = two_ways(MEDIUM["dense digraph"], np.arange(1, 9), 5)
    A.data[17] = bad
    messages = []
    for home in ({}, {"ops_for": lambda _: CUDAOps()}):
        with pytest.raises(ValueError, match="A") as error:
            weighted(A, directed=True, tie_rtol=1e-10, **home)
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
        (want, kept), (got, there) = (backbone(graph, 10**9) for graph in (host, device))
        assert (there is None) == (kept is None)
        assert_same_graph(got, want)
        if kept is not None:
            assert_array_equal(there.get(), kept)


@pytest.mark.parametrize("slots", [1, 7, 64])
def test_a_table_of_few_slots(slots, monkeypatch):
    """Columns that share a slot are found by search."""
    with changed_sources(monkeypatch, "prepare/triangles.cu", "SLOTS = 8192,", f"SLOTS = {slots},"):
        test_the_same_edges_are_left_out("dense", "whole", 1 << 30, monkeypatch)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("kind", ["whole", "tenths"])
@pytest.mark.parametrize("name", ["dense", "large hubs", "large digraph", "leaves on hubs"])
def test_every_measure_of_a_graph_that_is_there(name, kind, directed, monkeypatch):
    """Whether a graph is prepared by the host or on the device, the scores are the same."""
    from sparsebc.engines.cuda import engine

    A = two_ways(LARGE[name], LENGTHS[kind], 7)
    names = ["betweenness", "edge_betweenness", "stress", "closeness", "harmonic", "eccentricity"]
    options = {"weighted": True, "directed": directed, "device": "cuda"}
    want = centralities(A, names, **options)
    monkeypatch.setattr(engine, "SMALL", 0)
    got = centralities(A, names, **options)
    for one in names:
        there, here = (getattr(scores[one], "data", scores[one]) for scores in (got, want))
        assert_allclose(there, here, rtol=1e-12, atol=1e-12 * np.max(here))
