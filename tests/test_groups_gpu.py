"""Groups of nodes on a GPU: every kernel, and the same bits however sources are shared out."""

import networkx as nx
import numpy as np
import pytest
from graphs import LARGE, LARGEST, layered, matrix, with_lengths
from numpy.testing import assert_allclose, assert_array_equal

from sparsebc import group_betweenness, prominent_group
from sparsebc.engines import devices

WHEEL = matrix(nx.compose(nx.star_graph(1100), nx.cycle_graph(1101)))  # a block shares its hub
GRAPHS = {**LARGE, **LARGEST, "wheel": WHEEL}
NAMES = [
    *("large hubs", "dense", "large digraph", "streets", "grid", "directed cycle", "acyclic"),
    *("hubs", "components", "wheel"),
]


def some_groups(n):
    """Groups of a few nodes, of one, and of half of all."""
    rng = np.random.default_rng(7)
    return [rng.choice(n, size, replace=False) for size in (5, 1, n // 2)]


@pytest.mark.gpu
@pytest.mark.skipif(not devices.gpus(), reason="no GPU")
class TestOnTheDevice:
    """Need CuPy and a GPU."""

    @pytest.mark.parametrize("weighted", [False, True])
    @pytest.mark.parametrize("name", NAMES)
    def test_equals_the_cpu(self, name, weighted):
        """Wide levels and thin ones, by length, hubs, digraphs; both ends outside, or any."""
        A = with_lengths(GRAPHS[name], np.arange(1, 6), seed=3) if weighted else GRAPHS[name]
        groups = some_groups(A.shape[0])
        for directed, endpoints in ((True, False), (False, True)):
            options = {"weighted": weighted, "directed": directed}
            want, got = (
                group_betweenness(A, groups, endpoints=endpoints, device=device, **options)
                for device in ("cpu", "cuda")
            )
            assert_allclose(got, want, rtol=1e-11)
            want, got = (
                prominent_group(A, 3, device=device, **options) for device in ("cpu", "cuda")
            )
            assert_array_equal(got.nodes, want.nodes)
            assert_allclose(got.scores, want.scores, rtol=1e-11)
            assert got.bound == pytest.approx(want.bound, rel=1e-11)

    @pytest.mark.parametrize("weighted", [False, True])
    @pytest.mark.parametrize("name", ["hubs", "streets", "wheel"])
    def test_nothing_changes_a_bit(self, name, weighted, monkeypatch):
        """Another run, less memory, short level lists, a graph that is prepared on the device."""
        from sparsebc.engines.cuda import engine
        from sparsebc.engines.cuda.brandes_batch import workspace
        from sparsebc.engines.cuda.per_source import sssp

        A = with_lengths(GRAPHS[name], [1, 2, 3], seed=3) if weighted else GRAPHS[name]
        groups = some_groups(A.shape[0])

        def numbers(**run):
            found = prominent_group(A, 2, weighted=weighted, device="cuda", **run)
            scores = group_betweenness(A, groups, weighted=weighted, device="cuda", **run)
            return np.concatenate([scores, found.nodes, found.scores, [found.bound]])

        want = numbers()
        assert_array_equal(numbers(), want)
        assert_array_equal(numbers(memory_budget=24 << 20), want)
        monkeypatch.setattr(workspace, "SPREAD", 1)
        monkeypatch.setattr(sssp, "LAUNCH_ARCS", 1)
        assert_array_equal(numbers(), want)
        monkeypatch.setattr(engine, "SMALL", 0)
        assert_allclose(numbers(), want, rtol=1e-12)

    @pytest.mark.parametrize("weighted", [False, True])
    def test_counts_beyond_floats(self, weighted):
        """10**328 paths: the host counts what no float can."""
        A = layered(10, 330)
        A.data[:] = 3
        A.data[0] = 4 if weighted else 3
        groups = [[1650], [1655], [3, 2000]]
        want, got = (
            group_betweenness(A, groups, weighted=weighted, device=device)
            for device in ("cpu", "cuda")
        )
        assert_allclose(got, want, rtol=1e-9)

    def test_the_matrix_is_on_the_device(self):
        """Computed there; a few numbers come back to the host."""
        cupyx = pytest.importorskip("cupyx.scipy.sparse")
        A = LARGE["large hubs"]
        there = cupyx.csr_matrix(A.astype(np.float64))
        got = group_betweenness(there, [[0, 3], [7]])
        assert type(got) is np.ndarray
        assert_allclose(got, group_betweenness(A, [[0, 3], [7]], device="cpu"), rtol=1e-12)
        found = prominent_group(there, 2)
        assert_array_equal(found.nodes, prominent_group(A, 2, device="cpu").nodes)

    @pytest.mark.parametrize("weighted", [False, True])
    @pytest.mark.parametrize("name", ["large digraph", "grid"])
    def test_the_algebra_on_the_device(self, name, weighted):
        """The literal engine on CuPy's matrices."""
        A = with_lengths(LARGE[name], [1, 2, 3], seed=3)
        groups = some_groups(A.shape[0])
        want, got = (
            group_betweenness(A, groups, weighted=weighted, device=device)
            for device in ("cpu", "reference:cuda")
        )
        assert_allclose(got, want, rtol=1e-11)
        want, got = (
            prominent_group(A, 2, weighted=weighted, device=device)
            for device in ("cpu", "reference:cuda")
        )
        assert_array_equal(got.nodes, want.nodes)
        assert_allclose(got.scores, want.scores, rtol=1e-11)


def test_a_hub_is_there():
    """A row of more neighbours than a warp takes alone, on the graph that is to have one."""
    assert int(np.diff(WHEEL.indptr).max()) == 1100
