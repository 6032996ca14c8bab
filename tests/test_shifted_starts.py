"""Searches of a batch that wait for each other, to meet at the busiest node of a component."""

import dataclasses

import networkx as nx
import numpy as np
import pytest
from conformance.knobs import turned
from graphs import close, matrix, square

from sparsebc import betweenness
from sparsebc.engines.common.base import Task
from sparsebc.engines.cpu.engine import CPU
from sparsebc.matrix.read_matrix import canonical
from sparsebc.sweep.options import Run
from sparsebc.sweep.plan import planned


def broom(handle, bristles, tails):
    """A path to a busy node, many paths of different lengths to it, and a piece that is apart."""
    G = nx.DiGraph(nx.path_graph(handle, create_using=nx.DiGraph))
    for k in range(bristles):
        nx.add_path(G, [*((k, i) for i in range(k % 7)), handle // 2])
    for k in range(tails):
        nx.add_path(G, [handle - 1, *(("tail", k, i) for i in range(k % 5)), "end"])
    nx.add_path(G, ["apart 0", "apart 1", "apart 2"])
    return G


def groups_of(graph):
    """Batches of all nodes of a deep graph, as the CPU engine has them."""
    everyone = np.arange(graph.n, dtype=np.int32)
    task = Task("paths", graph, True, everyone, np.ones(graph.n))
    return [batch for block in planned(CPU(), task, Run()).blocks for batch in block]


def have_starts(A):
    """Of each batch, whether its searches start one after the other."""
    batches = groups_of(canonical(A))
    return [batch.starts is not None for batch in batches]


def test_where_starts_are_shifted():
    """Where searches meet at a busy node; a grid has none, and its nodes are left alone."""
    graph = canonical(matrix(broom(16, 1500, 4)))
    meeting = groups_of(graph)
    assert all(batch.starts is not None and batch.clustered for batch in meeting)
    assert max(batch.starts.max() for batch in meeting) > 1
    assert not any(have_starts(square(60)))
    assert not any(have_starts(matrix(broom(16, 300, 4))))
    for other in (graph.with_unit_lengths(), dataclasses.replace(graph, cutoffs=(3,))):
        assert all(batch.starts is None for batch in groups_of(other))


@pytest.mark.parametrize("n", [3, 70, 130])
def test_searches_that_start_late_reach_the_ends_of_a_path(n):
    """Those from beside the busiest node, an end of it: by their starts, in more than n steps."""
    with turned({"shifted starts"}, on_gpu=False):
        got = betweenness(matrix(nx.path_graph(n)), reduce="none", normalized=False, device="cpu")
    close(got, 2.0 * np.arange(n) * np.arange(n)[::-1])
