"""Stress where a node has about as many paths on as a byte counts."""

from itertools import pairwise, product

import networkx as nx
import numpy as np
import pytest
from conformance import verdict
from conformance.drawing import Question
from graphs import close, layered, matrix
from hypothesis import example, given
from hypothesis import strategies as st

from sparsebc import stress
from sparsebc.engines.cuda import kernel_table as table
from sparsebc.testing import brandes


def wide_layers(last):
    """A node has ``last`` paths on, itself one more, and is one of 300 successors of a node."""
    layers, n = [], 0
    for size in (1, 2, 300, last):
        layers, n = [*layers, range(n, n + size)], n + size
    return n, [(i, j, 1) for one, other in pairwise(layers) for i, j in product(one, other)]


def leaves_on_a_cycle():
    """Nodes that stand for more targets than a byte holds."""
    graph = nx.cycle_graph(6)
    graph.add_edges_from((v, 6 + 300 * v + leaf) for v in (0, 1) for leaf in range(300))
    return len(graph), [(i, j, 1) for i, j in graph.to_directed().edges]


@pytest.mark.parametrize(
    ("n", "entries"),
    [*map(wide_layers, (253, 254, 255)), leaves_on_a_cycle()],
    ids=["253", "254", "255", "leaves"],
)
def test_counts_about_a_byte(fast_device, n, entries, monkeypatch):
    """In step on a GPU, too, where a graph so small has a block of threads to each source."""
    question = Question(n, entries, "stress")
    want = verdict.expected(question)
    assert not verdict.complaints(question, fast_device, want)
    monkeypatch.setattr(table, "AT_ONCE", 0)
    assert not verdict.complaints(question, fast_device, want)


@given(st.integers(1, 6), st.integers(2, 9))
@example(4, 9)  # sources of one batch lie where those before have counted more than a byte
def test_stress_of_layers(fast_device, width, layers):
    """Through a node run width**(b - a) paths from all of layer a to all of layer b."""
    through = [
        sum(width ** (b - a) for a in range(i) for b in range(i + 1, layers)) for i in range(layers)
    ]
    got = stress(layered(width, layers), reduce="none", workers=1, device=fast_device)
    np.testing.assert_array_equal(got, np.repeat(through, width))


def test_weights_that_are_no_integers_are_not_cut(fast_device):
    """Though they are small, and path counts as small are kept in bytes."""
    A = matrix(nx.gnp_random_graph(90, 0.1, seed=1))
    weights = 1 + np.arange(90) % 3 / 2
    got = stress(A, target_weights=weights, reduce="none", device=fast_device)
    close(got, brandes(A, "stress", target_weights=weights))
