"""Chains on a GPU: searches kept side by side, a block of threads to each end."""

import networkx as nx
import numpy as np
import pytest
from changed_kernels import changed_sources
from graphs import layered, matrix
from test_chains import LARGE, eager, stretched

from sparsebc import betweenness, centralities, edge_betweenness, explain
from sparsebc.engines import devices
from sparsebc.engines.cuda import kernel_table as table

MEASURES = ["betweenness", "edge_betweenness"]
CHOICES = ({"chains"}, "all")
SHAPES = (("Levels<true>", 512), ("Levels<true>", 1024), ("Levels<false>", 1024))
GRAPHS = LARGE | {
    "cycle": matrix(nx.cycle_graph(101)),
    "long arms": stretched(nx.cycle_graph(5), 77, most=400),
    "many arms": stretched(nx.star_graph(600), 78, most=3),
}


def assert_close(got, want, tolerance=1e-11):
    """Every measure, to rounding."""
    for name, values in want.items():
        mine, exact = (np.asarray(getattr(one[name], "data", one[name])) for one in (got, want))
        np.testing.assert_allclose(
            np.array(mine), np.array(exact), rtol=tolerance, atol=tolerance * np.max(values)
        )


@pytest.mark.gpu
@pytest.mark.skipif(not devices.gpus(), reason="no GPU")
class TestOnTheDevice:
    """Need CuPy and a GPU."""

    @pytest.fixture(autouse=True, params=[0, 1 << 40], ids=["there", "host"])
    def home(self, request, monkeypatch):
        """Where the graph is prepared."""
        from sparsebc.engines.cuda import engine

        monkeypatch.setattr(engine, "SMALL", request.param)
        monkeypatch.setattr(table, "BUSY", 1 << 20)

    @pytest.mark.parametrize("ends", [1, 7, 4096])
    @pytest.mark.parametrize("name", GRAPHS)
    def test_scores_are_those_without(self, name, ends):
        """Groups of any size, sources, targets and weights, whole or real."""
        A, rng = GRAPHS[name], np.random.default_rng(79)
        n = A.shape[0]
        some = rng.permutation(n)
        for asked in (
            {},
            {"sources": some[: n // 2], "targets": some[n // 3 :]},
            {"source_weights": rng.random(n), "target_weights": rng.random(n)},
            {"source_weights": rng.integers(0, 9, n)},
        ):
            options = {"directed": False, "normalized": False, **asked}
            want = centralities(A, MEASURES, **options, device="cpu", reduce="none")
            with eager(ends):
                for choice in CHOICES:
                    for dtype, tolerance in (("float64", 1e-11), ("float32", 1e-5)):
                        got = centralities(
                            *(A, MEASURES), **options, device="cuda", dtype=dtype, reduce=choice
                        )
                        assert_close(got, want, tolerance)

    @pytest.mark.parametrize("name", GRAPHS)
    def test_the_bits_are_those_of_any_plan(self, name, monkeypatch):
        """Memory, where bits are kept, how many nodes of arms are added up at once, and who."""
        from sparsebc.engines.cuda.chains import brandes_chains as chains

        file = "chains/brandes_chains.cu"
        options = {"directed": False, "device": "cuda"}
        everyone = [f"cuda:{number}" for number in range(len(devices.gpus()))]

        def scores(**plan):
            return edge_betweenness(GRAPHS[name], **options | plan).data

        with eager(64):
            want = scores()
            assert explain(GRAPHS[name], **options).kernels == (f"cuda/{file}",)
            for plan in ({"memory_budget": 1 << 26}, {"device": everyone}):
                np.testing.assert_array_equal(scores(**plan), want)
            for change in ("TABLE = 128;", "TABLE = 5;"), ("QUEUE = 1024;", "QUEUE = 1;"):
                with changed_sources(monkeypatch, file, *change):
                    np.testing.assert_array_equal(scores(), want)
            for marks, threads in SHAPES:

                def shape_of(n, room, marks=marks, threads=threads):
                    return marks, chains.padded(n) // 32, threads

                monkeypatch.setattr(chains, "shape_of", shape_of)
                np.testing.assert_allclose(scores(), want, rtol=1e-11)

    def test_counts_beyond_floats(self):
        """Those blocks are swept again by the host."""
        width, layers = 10, 330
        graph = nx.from_scipy_sparse_array(layered(width, layers))
        n = len(graph)
        nx.add_path(graph, [0, *range(n, n + layers - 2), n - 1])
        A = matrix(graph)
        options = {"directed": False, "sources": range(n, n + layers - 2, 9)}
        want = betweenness(A, **options, device="cpu", reduce="none")
        with eager():
            got = betweenness(A, **options, device="cuda", reduce={"chains"})
        np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-15)
