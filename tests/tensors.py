"""Stand-ins for the tensors of PyTorch and JAX, with the attributes by which these are known."""

from functools import partial

import numpy as np


class Tensor:
    """An array with the DLPack protocol alone, in the memory of a device."""

    def __init__(self, array, device=1, refused=False):
        self.array, self.device, self.refused = np.asarray(array), device, refused

    def __dlpack__(self, **options):
        assert self.device == 1, "NumPy reads no other memory"
        if self.refused:
            raise BufferError("gradients are not exported")
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.device, 0


class Sparse:
    """A sparse tensor whose arrays ``tensor`` makes; `shares` tests if a matrix has its memory."""

    def __init__(self, coo, shape=None, tensor=Tensor):
        self.shape = coo.shape if shape is None else shape
        self._tensor = tensor

    def shares(self, matrix):
        return np.shares_memory(self.memory.array, matrix.data)


class Torch(Sparse):
    """A sparse tensor of PyTorch in a layout."""

    def __init__(self, coo, layout, **options):
        super().__init__(coo, **options)
        self.layout, self._coo = f"torch.sparse_{layout}", coo
        if layout in ("csr", "csc"):
            matrix = coo.asformat(layout)
            parts = map(self._tensor, (matrix.indptr, matrix.indices, matrix.data))
            pointers, indices, self.memory = parts
            first, second = (
                ("crow_indices", "col_indices")
                if layout == "csr"
                else ("ccol_indices", "row_indices")
            )
            setattr(self, first, lambda: pointers)
            setattr(self, second, lambda: indices)
            self.values = lambda: self.memory
        else:
            ends = self._tensor(np.stack((coo.row, coo.col)).astype(np.int64))
            self.memory = self._tensor(coo.data)
            self._indices, self._values = lambda: ends, lambda: self.memory

    def sparse_dim(self):
        return 2


class BCOO(Sparse):
    """A JAX matrix of index pairs."""

    __module__ = "jax.experimental.sparse.bcoo"

    def __init__(self, coo, n_batch=0, n_dense=0, **options):
        super().__init__(coo, **options)
        self.n_batch, self.n_dense = n_batch, n_dense
        self.indices = self._tensor(np.stack((coo.row, coo.col), axis=1))
        self.data = self.memory = self._tensor(coo.data)


class BCSR(Sparse):
    """A JAX matrix of rows."""

    __module__ = "jax.experimental.sparse.bcsr"

    def __init__(self, coo, **options):
        super().__init__(coo)
        csr = coo.tocsr()
        self.indptr, self.indices, self._bcoo = csr.indptr, csr.indices, BCOO(coo, **options)
        self.memory = self._bcoo.memory

    def to_bcoo(self):
        return self._bcoo


LAYOUTS = {
    **{f"torch {layout}": partial(Torch, layout=layout) for layout in ("coo", "csr", "csc")},
    "jax BCOO": BCOO,
    "jax BCSR": BCSR,
}
