"""Groups of nodes on a GPU: the device prepares the graph, and kernels of the host sweep it."""

import numpy as np
import pytest
from graphs import LARGE, LARGEST, with_lengths
from numpy.testing import assert_allclose, assert_array_equal

from sparsebc import group_betweenness, prominent_group
from sparsebc.engines import devices

GRAPHS = {**LARGE, **LARGEST}


def some_groups(n):
    """Groups of a few nodes, of one, and of half of all."""
    rng = np.random.default_rng(7)
    return [rng.choice(n, size, replace=False) for size in (5, 1, n // 2)]


def assert_equals_the_cpu(A, device, **options):
    """Groups that are given, and a prominent one."""
    groups = some_groups(A.shape[0])
    for endpoints in (False, True):
        want, got = (
            group_betweenness(A, groups, endpoints=endpoints, device=where, **options)
            for where in ("cpu", device)
        )
        assert_allclose(got, want, rtol=1e-11)
    want, got = (prominent_group(A, 3, device=where, **options) for where in ("cpu", device))
    assert_array_equal(got.nodes, want.nodes)
    assert_allclose(got.scores, want.scores, rtol=1e-11)
    assert got.bound == pytest.approx(want.bound, rel=1e-11)


@pytest.mark.gpu
@pytest.mark.skipif(not devices.gpus(), reason="no GPU")
class TestOnTheDevice:
    """Need CuPy and a GPU."""

    @pytest.mark.parametrize("weighted", [False, True])
    @pytest.mark.parametrize("name", ["large hubs", "large digraph", "streets", "components"])
    @pytest.mark.parametrize("small", [None, 0])
    def test_equals_the_cpu(self, name, weighted, small, monkeypatch):
        """Digraphs, hubs, roads, by length; the graph prepared where its size says, or on a GPU."""
        from sparsebc.engines.cuda import engine

        if small is not None:
            monkeypatch.setattr(engine, "SMALL", small)
        A = with_lengths(GRAPHS[name], np.arange(1, 6), seed=3) if weighted else GRAPHS[name]
        for directed in (False, True):
            assert_equals_the_cpu(A, "cuda", weighted=weighted, directed=directed)

    def test_the_matrix_is_on_the_device(self):
        """A few numbers come back, in the memory of the host."""
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
        assert_equals_the_cpu(A, "reference:cuda", weighted=weighted)
