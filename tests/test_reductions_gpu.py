"""Reductions of a graph that a GPU keeps: what the host finds, swept by either kind of kernel."""

import numpy as np
import pytest
import scipy.sparse as sp
from graphs import with_lengths
from test_reductions import LARGE, eager, some_one_way

from sparsebc import betweenness, centralities, edge_betweenness
from sparsebc.engines import devices
from sparsebc.engines.cuda import kernel_table as table

MEASURES = ["betweenness", "edge_betweenness"]
LENGTHS = [None, range(1, 6)]


def numbers(result):
    """Those of nodes or of edges."""
    return np.asarray(result.data if sp.issparse(result) else result)


@pytest.mark.gpu
@pytest.mark.skipif(not devices.gpus(), reason="no GPU")
@pytest.mark.usefixtures("no_graph_is_small")
class TestBlocks:
    """Need CuPy and a GPU."""

    @pytest.mark.parametrize("width", ["THIN", "WIDE"])
    @pytest.mark.parametrize("lengths", LENGTHS, ids=str)
    @pytest.mark.parametrize("directed", [False, True])
    @pytest.mark.parametrize("name", LARGE)
    def test_scores_are_those_of_the_graph(self, name, directed, lengths, width, monkeypatch):
        """Nodes, ends of pairs and edges, of all sources or some, by each kernel."""

        if lengths is None:
            is_alone = width == "THIN"
            monkeypatch.setattr(table, "goes_alone", lambda *_: is_alone)
        A = some_one_way(LARGE[name]) if directed else LARGE[name]
        A = A if lengths is None else with_lengths(A, lengths)
        some = np.random.default_rng(915).permutation(A.shape[0])
        options = {"directed": directed, "weighted": lengths is not None, "normalized": False}
        for asked in ({}, {"sources": some[:90]}, {"targets": some[:70]}, {"endpoints": True}):
            want = centralities(A, MEASURES, **options, **asked, device="cpu", reduce="none")
            for dtype, tolerance in (("float64", 1e-11), ("float32", 1e-5)):
                with eager():
                    got = centralities(A, MEASURES, **options, **asked, dtype=dtype, device="cuda")
                for one, other in zip(got.values(), want.values(), strict=True):
                    exact = numbers(other)
                    np.testing.assert_allclose(
                        numbers(one), exact, rtol=tolerance, atol=tolerance * exact.max()
                    )

    @pytest.mark.parametrize("directed", [False, True])
    @pytest.mark.parametrize("name", LARGE)
    def test_the_bits_are_those_of_any_plan(self, name, directed):
        """Memory, and who shares the blocks."""
        A = some_one_way(LARGE[name]) if directed else LARGE[name]
        options = {"directed": directed, "device": "cuda"}
        everyone = [f"cuda:{number}" for number in range(len(devices.gpus()))]
        with eager():
            want = edge_betweenness(A, **options)
            for plan in ({"memory_budget": 1 << 24}, {"device": everyone}):
                got = edge_betweenness(A, **options | plan)
                np.testing.assert_array_equal(got.data, want.data)

    @pytest.mark.parametrize("directed", [False, True])
    def test_edges_of_a_cupy_matrix(self, directed):
        """Arcs that were swept and bridges add up where the matrix lives."""
        import cupyx.scipy.sparse as cs

        A = some_one_way(LARGE["many blocks"]) if directed else LARGE["many blocks"]
        B = cs.csr_matrix(sp.csr_matrix(A.astype(float)))
        want = edge_betweenness(A, directed=directed, device="cpu", reduce="none")
        with eager():
            got = edge_betweenness(B, directed=directed)
            through = betweenness(B, directed=directed)
        np.testing.assert_allclose(got.data.get(), want.data, rtol=1e-11, atol=1e-14)
        exact = betweenness(A, directed=directed, device="cpu", reduce="none")
        np.testing.assert_allclose(through.get(), exact, rtol=1e-11, atol=1e-14)
