"""Sparse tensors of PyTorch and JAX as matrices of SciPy or CuPy, which share their arrays."""

from typing import Any

import numpy as np
import scipy.sparse

from ..errors import InputError, InputTypeError
from .host import array_of

# Names of the index arrays of a layout of PyTorch: row or column pointers, then the other indices.
_COMPRESSED = {"csr": ("crow_indices", "col_indices"), "csc": ("ccol_indices", "row_indices")}


def adopted(A: Any, name: str = "A") -> Any:
    """Matrix of a sparse tensor, or tuple of index arrays of tensors; all else as it is.

    A tensor on a GPU becomes a matrix of CuPy there. Copied are indices of JAX, its values if some
    are padding, and values on a GPU of a type that CuPy's matrices do not have.
    """
    if isinstance(A, tuple):
        parts = [array_of(part, f"{name}[{k}]") for k, part in enumerate(A)]
        return A if all(map(lambda one, other: one is other, parts, A)) else tuple(parts)
    if hasattr(A, "sparse_dim") and hasattr(A, "layout"):
        layout = str(A.layout).removeprefix("torch.sparse_")
        return _of_torch(A, layout, name) if layout in {*_COMPRESSED, "coo"} else A
    if type(A).__module__.startswith("jax.experimental.sparse."):
        return _of_jax(A, name)
    return A


def _of_torch(A: Any, layout: str, name: str) -> Any:
    """Matrix of a tensor in one of the layouts coo, csr and csc."""
    if layout == "coo":  # without `coalesce`, which sorts: the readers sum repeated entries
        ends = array_of(A._indices(), f"{name}.indices()")
        return _matrix(layout, array_of(A._values(), f"{name}.values()"), ends, A.shape, name)
    pointers, indices = (
        array_of(getattr(A, part)(), f"{name}.{part}()") for part in _COMPRESSED[layout]
    )
    values = array_of(A.values(), f"{name}.values()")
    return _matrix(layout, values, (indices, pointers), A.shape, name)


def _of_jax(A: Any, name: str) -> Any:
    """Matrix of a BCOO or BCSR, whose entries past the shape are padding."""
    if not hasattr(A, "indptr") and not hasattr(A, "n_batch"):
        raise InputTypeError(
            f"{name} is a {type(A).__name__}; expected a BCOO or a BCSR: use "
            f"jax.experimental.sparse.BCOO.fromdense({name}.todense())"
        )
    A = A.to_bcoo() if hasattr(A, "indptr") else A
    if A.n_batch or A.n_dense:
        raise InputError(
            f"{name} has n_batch = {A.n_batch} and n_dense = {A.n_dense}; expected 0 for both"
        )
    ends = array_of(A.indices, f"{name}.indices").T.copy()  # rows, then columns, each contiguous
    values = array_of(A.data, f"{name}.data")
    inside = (ends[0] < A.shape[0]) & (ends[-1] < A.shape[-1])
    if not inside.all():
        ends, values = ends[:, inside], values[inside]
    return _matrix("coo", values, ends, A.shape, name)


def _matrix(layout: str, values: Any, parts: Any, shape: Any, name: str) -> Any:
    """Sparse matrix on these arrays, of SciPy on the host and of CuPy on a GPU."""
    if isinstance(values, np.ndarray):
        made = getattr(scipy.sparse, f"{layout}_array")
    else:
        import cupyx.scipy.sparse

        made = getattr(cupyx.scipy.sparse, f"{layout}_matrix")
        if values.dtype.char not in "?fdFD":  # CuPy has no matrices of others
            values = values.astype(np.float64)
    arrays = (values, tuple(parts)) if layout == "coo" else (values, *parts)
    try:
        return made(arrays, shape=tuple(shape))
    except (TypeError, ValueError, IndexError) as error:
        raise InputError(
            f"{name} is not a valid sparse tensor of two dimensions ({error}): build it anew"
        ) from error
