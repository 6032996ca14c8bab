"""What is written to a run directory is what is read, by whoever maps it."""

import os

import numpy as np
import pytest
import scipy.sparse as sp

from sparsebc.graph.edge_weights import Lengths
from sparsebc.graph.graph import Graph
from sparsebc.graph.ops import HostOps
from sparsebc.run import directory, remote


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("lengths", [None, (True, 0.0), (False, 1e-10)])
def test_a_graph_in_files(symmetric, lengths):
    """What is read is what was written, and it is gone with the graph."""
    pattern = HostOps.canonical("coo", np.array([0, 1, 2, 2]), np.array([1, 0, 0, 1]), 4)
    reverse = pattern if symmetric else HostOps.reverse(pattern)
    along = np.arange(1.0, pattern.indices.size + 1)
    back = along if symmetric else along[::-1].copy()
    given = lengths and Lengths(along, back, *lengths)
    graph = Graph(4, pattern, reverse, HostOps(), given, 2.5, cutoffs=(1, 3))
    place = directory.of(graph)
    assert directory.of(graph) == place
    got = directory.read(place)
    assert (got.n, got.unit, got.symmetric, got.cutoffs) == (4, 2.5, symmetric, (1, 3))
    for side in ("outgoing", "incoming"):
        for mine, theirs in zip(getattr(got, side), getattr(graph, side), strict=True):
            np.testing.assert_array_equal(mine, theirs)
            assert (mine.dtype, type(mine), mine.flags.writeable) == (
                theirs.dtype,
                np.ndarray,
                True,
            )
        if lengths:
            mine, theirs = getattr(got.lengths, side), getattr(graph.lengths, side)
            np.testing.assert_array_equal(mine, theirs)
    assert lengths is None or (got.lengths.whole, got.lengths.rtol) == lengths
    del graph, got
    assert not os.path.exists(place)


@pytest.mark.parametrize("entries", [0, 5])
def test_a_matrix_in_files(entries):
    """Values and indices, in their types, where nothing is stored too; gone with the matrix."""
    given = sp.csr_array((np.arange(1.0, 8.0)[:entries], (range(entries), [3] * entries)), (7, 7))
    place = directory.of(given)
    got = directory.read(place)
    assert got.shape == given.shape
    for name in ("data", "indices", "indptr"):
        mine, theirs = getattr(got, name), getattr(given, name)
        np.testing.assert_array_equal(mine, theirs)
        assert (mine.dtype, type(mine)) == (theirs.dtype, np.ndarray)
    del given, got
    assert not os.path.exists(place)


def test_a_task_without_its_files():
    """It says what it lacks; where the run is over, nobody reads that."""
    nowhere = remote.Task("/nowhere/sparsebc-x", "/nowhere/sparsebc-x/y.job", ())
    assert remote.perform(nowhere) == remote.Absent(job=True, graph=True)
