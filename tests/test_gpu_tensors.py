"""Tensors in the memory of a GPU are read where they lie, through DLPack."""

from functools import partial

import numpy as np
import pytest
from graphs import LARGE, with_lengths
from tensors import LAYOUTS

from sparsebc import betweenness, bfs, closeness, edge_betweenness, strength_to_distance
from sparsebc.engines import devices
from sparsebc.matrix.matrix_arrays import matrix_of

pytestmark = [pytest.mark.gpu, pytest.mark.filterwarnings("ignore:Sparse")]

A = with_lengths(LARGE["large hubs"], np.arange(1, 5), seed=3).tocsr()
N = A.shape[0]


class Exporter:
    """An array of CuPy of which only DLPack is seen."""

    def __init__(self, array):
        import cupy

        self.array = cupy.asarray(array)

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def of_torch(layout):
    torch = pytest.importorskip("torch")
    coo = A.tocoo()
    ends = torch.tensor(np.stack((coo.row, coo.col)), dtype=torch.int64)
    tensor = torch.sparse_coo_tensor(ends, torch.tensor(coo.data), A.shape).cuda()
    return tensor if layout == "coo" else getattr(tensor, f"to_sparse_{layout}")()


TENSORS = {
    **{
        f"stand-in, {name}": partial(make, A.tocoo(), tensor=Exporter)
        for name, make in LAYOUTS.items()
    },
    **{f"PyTorch, {layout}": partial(of_torch, layout) for layout in ("coo", "csr", "csc")},
}


@pytest.mark.parametrize("make", TENSORS.values(), ids=TENSORS)
def test_sparse_tensors_of_a_gpu_have_the_bits_of_cupys_matrix(make):
    """The bits of the matrix of CuPy, which is what comes back; the tensor is as it was."""
    import cupy
    import cupyx.scipy.sparse as cs

    tensor, there = make(), cs.csr_matrix(A.astype(float))
    assert devices.home(tensor) == "cuda:0"
    for ask in (
        betweenness,
        partial(betweenness, weighted=True),
        partial(closeness, weighted=True),
        partial(bfs, sources=[3, 5]),
    ):
        got = ask(tensor)
        assert isinstance(got, cupy.ndarray)
        np.testing.assert_array_equal(got.get(), ask(there).get())
    np.testing.assert_array_equal(
        edge_betweenness(tensor).toarray().get(), edge_betweenness(there).toarray().get()
    )
    assert devices.home(strength_to_distance(tensor)) == "cuda:0"
    np.testing.assert_array_equal(matrix_of(tensor).toarray().get(), A.toarray())
    np.testing.assert_allclose(
        betweenness(tensor, device="cpu").get(), betweenness(A, device="cpu")
    )


def test_index_arrays_of_a_gpu_stay_there():
    """Index arrays stay there; lists of sources come to the host."""
    import cupy

    want = betweenness((cupy.asarray(A.indptr), cupy.asarray(A.indices), N))
    got = betweenness((Exporter(A.indptr), Exporter(A.indices), N))
    assert isinstance(got, cupy.ndarray)
    np.testing.assert_array_equal(got.get(), want.get())
    nodes = Exporter(np.array([3, 5]))
    np.testing.assert_array_equal(bfs(A, nodes), bfs(A, [3, 5]))


def test_scores_go_back_to_pytorch():
    """Without a copy, and in the order of the stream that the tensor was written on."""
    torch = pytest.importorskip("torch")
    tensor = of_torch("csr")
    with torch.cuda.stream(torch.cuda.Stream()):
        torch.cuda._sleep(100_000_000)  # the values are written after this
        tensor.values().mul_(2)
        scores = betweenness(tensor, weighted=True)
    twice = A.astype(float)
    twice.data *= 2
    back = torch.from_dlpack(scores)
    assert back.device.type == "cuda"
    assert back.data_ptr() == scores.data.ptr
    np.testing.assert_allclose(
        back.cpu().numpy(), betweenness(twice, weighted=True, device="cpu"), rtol=1e-9
    )
