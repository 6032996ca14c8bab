"""Sums of squared dependencies, from which estimates take their variance, on every engine."""

from dataclasses import replace

import numpy as np
import pytest
from conformance.knobs import turned
from graphs import layered
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsebc.engines import devices
from sparsebc.matrix import read_matrix
from sparsebc.matrix.read_matrix import canonical
from sparsebc.reduce import reduce
from sparsebc.reduce.reduce import Choice
from sparsebc.sweep import options
from sparsebc.sweep.sum_by_range import sum_blocks
from sparsebc.testing import by_definition, matrices


def squares(A, device, dtype=np.float64, sources=None, twins=False, **how):
    """The engine's sums of dependencies and of their squares, by the nodes of the graph given."""
    engine = devices.select(device)
    with engine.here():
        if how.pop("weighted", False):
            graph = read_matrix.weighted(A, directed=True)
        else:
            graph = canonical(A, ops=engine.ops, **how)
        everyone = np.ones(graph.n, dtype=bool)
        is_source = everyone if sources is None else np.isin(np.arange(graph.n), sources)
        problem = reduce.as_given(graph, is_source, everyone)
        if twins:
            problem = reduce.reduced(graph, is_source, everyone, Choice({"twins"}))
        run = options.parse({"device": device, "dtype": dtype})
        wanted = frozenset({"dependency", "squares"})
        found = sum_blocks(engine, replace(problem, sums=wanted, dtype=run.dtype), run)
    whole = {name: np.zeros(graph.n) for name in found}
    for name, sums in found.items():
        whole[name][problem.nodes] = sums
    return whole


@settings(max_examples=20)
@given(matrices(max_nodes=6), st.booleans())
def test_sums_of_squares_from_the_definition(device, A, directed):
    """Of each source the score that it alone gives, over ordered pairs, squared and added up."""
    ways = {"directed": directed, "normalized": False}
    each = [by_definition(A, sources=[s], **ways) for s in range(A.shape[0])]
    want = sum((one * (1 if directed else 2)) ** 2 for one in each)
    for twins in (False, True)[: 1 + (device != "reference")]:
        with turned(["twins"], on_gpu=False):
            got = squares(A, device, twins=twins, directed=directed)
        np.testing.assert_allclose(got["squares"], want, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("knobs", [["twins"], ["twins", "sources together"]])
def test_the_square_of_a_source_counts_once_for_each_twin(device, knobs):
    """Three of a layer are twins, in batches of sources as well as alone."""
    A = layered(3, 5)
    want = sum(
        by_definition(A, sources=[s], directed=True, normalized=False) ** 2 for s in range(15)
    )
    with turned(knobs, on_gpu=False):
        got = squares(A, device, twins=device != "reference", directed=True)
    np.testing.assert_allclose(got["squares"], want, rtol=1e-12)


@pytest.mark.parametrize("device", ["cpu", "reference"])
def test_sums_of_squares_beyond_floats(device):
    """Ten nodes a layer, 330 layers: more paths than 1.8e308. A layer shares what passes it."""
    width, layers = 10, 330
    A = layered(width, layers)
    layer = np.repeat(np.arange(layers), width)
    sources = [0, 1, 5]  # of the first layer
    behind = (layers - 1 - layer) * (layer > 0.0)  # a tenth of the pairs that pass its layer
    got = squares(A, device, sources=sources)
    np.testing.assert_allclose(got["dependency"], 3 * behind, rtol=1e-11)
    np.testing.assert_allclose(got["squares"], 3 * behind**2, rtol=1e-11)
