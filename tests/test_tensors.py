"""Tensors of PyTorch, JAX and what else speaks DLPack, of the host and of a stand-in for a GPU."""

import re
import sys
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from graphs import MEDIUM, with_lengths
from hypothesis import given
from tensors import BCOO, BCSR, LAYOUTS, Tensor, Torch

from sparsebc import betweenness, bfs, communities, strength_to_distance
from sparsebc.engines import devices
from sparsebc.matrix.matrix_arrays import Network, matrix_of
from sparsebc.testing import matrices

A = with_lengths(MEDIUM["graph"], np.arange(1, 5), seed=3)


def same(got, want):
    """Whether two matrices have the same entries, repeated ones summed, explicit zeros kept."""
    got, want = (sp.csr_array(sp.coo_array(M)) for M in (got, want))
    for M in (got, want):
        M.sort_indices()
    return all(
        np.array_equal(getattr(got, part), getattr(want, part))
        for part in ("indptr", "indices", "data")
    )


@pytest.mark.parametrize("make", LAYOUTS.values(), ids=LAYOUTS)
@given(matrix=matrices())
def test_sparse_tensors_are_matrices(make, matrix):
    """Entry by entry, on the same memory, whatever order they are in."""
    want = sp.coo_array(matrix)
    tensor = make(want)
    got = matrix_of(tensor)
    assert got.shape == want.shape
    assert same(got, want)
    assert not want.nnz or tensor.shares(got)
    assert devices.home(tensor) is None


@pytest.mark.parametrize("make", LAYOUTS.values(), ids=LAYOUTS)
def test_answers_from_tensors_are_those_from_matrices(make):
    """Of all kinds of functions, to the bit; the tensor alone or in a network."""
    tensor = make(A.tocoo())
    names = tuple(map(str, range(A.shape[0])))
    for ask in (
        lambda M: betweenness(M, device="reference"),
        lambda M: betweenness(M, weighted=True, device="reference"),
        lambda M: bfs(M, [3, 5], device="reference"),
        lambda M: strength_to_distance(M).toarray(),
        lambda M: communities.modularity(M, np.arange(A.shape[0]) % 3),
    ):
        np.testing.assert_array_equal(ask(tensor), ask(A))
        np.testing.assert_array_equal(ask(Network(tensor, names)), ask(A))


def test_tuples_of_tensors_are_a_graph():
    """Index arrays of any library, beside those of NumPy and lists."""
    want = betweenness(A, device="reference")
    for parts in (
        (Tensor(A.indptr), Tensor(A.indices), A.shape[0]),
        (A.indptr.tolist(), Tensor(A.indices), A.shape[0]),
    ):
        np.testing.assert_array_equal(betweenness(parts, device="reference"), want)


def test_padding_of_jax_is_no_edge():
    """Entries past the shape are no edges; those before 0 are errors, as in any matrix."""
    padded = BCOO(A.tocoo())
    ends = np.concatenate((padded.indices.array, [[A.shape[0], 0], [3, A.shape[1] + 5]]))
    padded.indices, padded.data = Tensor(ends), Tensor(np.append(padded.data.array, [7, np.nan]))
    assert same(matrix_of(padded), A)
    padded.indices = Tensor(np.where(ends == 5, -1, ends))
    with pytest.raises(ValueError, match="A is not a valid sparse tensor"):
        betweenness(padded)


class Dense(Torch):
    """A dense tensor of PyTorch."""

    __module__ = "torch"

    def __init__(self, coo):
        super().__init__(coo, "coo")
        self.layout = "torch.strided"


COO = A.tocoo()
ELSEWHERE, REFUSED = partial(Tensor, device=8), partial(Tensor, refused=True)
BAD = [
    (Dense(COO), TypeError, "use A.to_sparse_csr() if it is a matrix, or scipy.sparse.coo_array"),
    (Torch(COO, "bsr"), TypeError, "A must be a SciPy or CuPy sparse matrix"),
    (Torch(COO, "coo", tensor=ELSEWHERE), TypeError, "A.indices() is on a device that CuPy cannot"),
    (Torch(COO, "csr", tensor=REFUSED), TypeError, "use A.crow_indices().detach()"),
    (Torch(COO, "csr", shape=(1, 2, 2)), ValueError, "not a valid sparse tensor of two"),
    (Torch(COO, "coo", shape=(3, 3)), ValueError, "A is not a valid sparse tensor"),
    (BCOO(COO, n_batch=1), ValueError, "A has n_batch = 1 and n_dense = 0"),
    (BCSR(COO, n_dense=1), ValueError, "A has n_batch = 0 and n_dense = 1"),
    ((ELSEWHERE([0, 1]), [0], 1), TypeError, "A[0] is on a device"),
    ((REFUSED([0, 1]), [0], 1), TypeError, "A[0] cannot be read by NumPy (grad"),
]


@pytest.mark.parametrize(("tensor", "error", "message"), BAD)
def test_bad_tensors_are_refused(tensor, error, message):
    with pytest.raises(error, match=re.escape(message)):
        betweenness(tensor, device="reference")


def test_a_tensor_on_a_gpu_without_cupy_is_refused(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(TypeError, match=r"only CuPy can read: install .* or use sources\.cpu"):
        bfs(A, Tensor([0, 1], 2), device="reference")


@pytest.mark.filterwarnings("ignore:Sparse")
def test_tensors_of_pytorch_are_matrices():
    """Its tensors in every layout, as the stand-ins have them; repeated entries are summed."""
    torch = pytest.importorskip("torch")
    coo = A.tocoo()
    ends, values = torch.tensor(np.stack((coo.row, coo.col))), torch.tensor(coo.data)
    tensor = torch.sparse_coo_tensor(ends, values, A.shape)
    for given_tensor in (tensor, tensor.coalesce(), tensor.to_sparse_csr(), tensor.to_sparse_csc()):
        assert same(matrix_of(given_tensor), A)
    twice = torch.sparse_coo_tensor(torch.tensor([[0, 0], [1, 1]]), torch.tensor([1.0, 2]), (2, 2))
    assert strength_to_distance(twice, lambda s: s).toarray().tolist() == [[0, 3], [0, 0]]
    csr = tensor.to_sparse_csr()
    parts = csr.crow_indices(), csr.col_indices(), A.shape[0]
    np.testing.assert_array_equal(
        betweenness(parts, device="reference"), betweenness(A, device="reference")
    )
    with pytest.raises(TypeError, match=r"values\(\) cannot be read by NumPy .*\.detach\(\)"):
        betweenness(
            torch.sparse_csr_tensor(*parts[:2], csr.values().double().clone().requires_grad_())
        )
    with pytest.raises(TypeError, match="to_sparse_csr"):
        betweenness(torch.eye(2))


def test_tensors_of_jax_are_matrices():
    """Its BCOO and BCSR, padded as well."""
    jax = pytest.importorskip("jax")
    sparse = pytest.importorskip("jax.experimental.sparse")
    dense = jax.numpy.asarray(A.toarray(), dtype=jax.numpy.float32)
    for tensor in (
        sparse.BCOO.fromdense(dense),
        sparse.BCOO.fromdense(dense, nse=A.nnz + 7),
        sparse.BCSR.fromdense(dense),
        sparse.BCSR.fromdense(dense, nse=A.nnz + 7),
        sparse.BCOO.fromdense(dense.T).T,
    ):
        assert same(matrix_of(tensor), A)
    with pytest.raises(TypeError, match=r"BCOO\.fromdense\(A\) if it is a matrix"):
        betweenness(dense)
