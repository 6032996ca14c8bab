"""Attacks on a graph that a GPU keeps: the arcs drop out there, and the order is the same."""

import numpy as np
import pytest
from graphs import LARGE, with_lengths

from sparsebc import communities, dismantle
from sparsebc.engines import devices

BY = ("betweenness", "edge_betweenness")


@pytest.mark.gpu
@pytest.mark.skipif(not devices.gpus(), reason="no GPU")
@pytest.mark.usefixtures("no_graph_is_small")
class TestOnTheDevice:
    """Need CuPy and a GPU."""

    @pytest.mark.parametrize("by", BY)
    @pytest.mark.parametrize(
        ("directed", "weighted"), [(False, False), (True, False), (True, True)]
    )
    @pytest.mark.parametrize("name", ["large hubs", "streets", "large digraph"])
    def test_equals_the_cpu(self, name, by, directed, weighted):
        """Sources that changed, or all of a component; searches from the ends of an edge."""
        A = LARGE[name].astype(float)
        if weighted:
            A = with_lengths(A, [0.1, 0.2, 0.3])
        options = {"steps": 12, "directed": directed, "weighted": weighted, "normalized": False}
        want, got = (dismantle(A, by, device=device, **options) for device in ("cpu", "cuda"))
        np.testing.assert_array_equal(got.order, want.order)
        np.testing.assert_allclose(got.scores, want.scores, rtol=1e-10)
        np.testing.assert_array_equal(got.largest, want.largest)

    @pytest.mark.parametrize("by", BY)
    def test_to_the_last_node(self, by):
        """Until nothing is left to remove."""
        A = LARGE["forest"]
        want, got = (
            dismantle(A, by, directed=False, normalized=False, device=device)
            for device in ("cpu", "cuda")
        )
        np.testing.assert_allclose(got.scores, want.scores, rtol=1e-8, atol=1e-8)
        assert got.largest[-1] == want.largest[-1]

    def test_communities(self):
        """Level after level, as they are asked for."""
        A = LARGE["caterpillar"]
        ours, theirs = (communities.girvan_newman(A, device=device) for device in ("cuda", "cpu"))
        for _, got, want in zip(range(20), ours, theirs, strict=False):
            np.testing.assert_array_equal(got, want)
