"""Arrays of GPUs and tensors of other libraries as arrays and matrices of NumPy, SciPy or CuPy."""

from typing import Any

import numpy as np
import scipy.sparse

from .errors import InputError, InputTypeError

# DLPack device types: NumPy reads kDLCPU, kDLCUDAHost and kDLROCMHost, CuPy reads kDLCUDA and
# kDLCUDAManaged.
_HOST, _CUDA = (1, 3, 11), (2, 13)

# Methods that fetch the rows of a lazy or remote table, by library.
_FETCH = {
    "polars": ("collect",),
    "pyarrow": ("to_table", "read_all"),
    "pyspark": ("toPandas",),
    "duckdb": ("df",),
    "ibis": ("to_pandas",),
}


def fetch_of(values: Any) -> str:
    """The call that fetches the rows of a lazy table; "" for everything else."""
    kind = type(values)
    methods = _FETCH.get(kind.__module__.partition(".")[0].lstrip("_"), ())
    return next((f".{method}()" for method in methods if hasattr(kind, method)), "")


def check_fetched(values: Any, name: str) -> None:
    """Refuse a lazy table."""
    if fetch := fetch_of(values):
        raise InputTypeError(
            f"{name} is of type {type(values).__name__}, whose rows are not in memory: use "
            f"{name}{fetch}"
        )


def on_host(values: Any, name: str = "tensor") -> Any:
    """CuPy arrays, CuPy matrices, GPU tensors and graphs, downloaded; all else unchanged.

    Mappings, frames and SciPy matrices may have an unrelated `get`. Messages name a tensor by
    ``name``.
    """
    if type(values) is np.ndarray or scipy.sparse.issparse(values):
        return values
    if hasattr(type(values), "on_host"):
        return values.on_host()
    check_fetched(values, name)
    values = without_wide_integers(values)
    if _is_tensor(values) and int(values.__dlpack_device__()[0]) not in _HOST:
        values = array_of(values, name)
    if not hasattr(values, "get"):
        return values
    is_array = hasattr(values, "__cuda_array_interface__")
    array: Any = values if is_array else getattr(values, "data", None)
    if not (hasattr(array, "__cuda_array_interface__") and hasattr(array, "device")):
        return values
    with array.device:  # else CuPy copies on a stream of the current device, which may be ahead
        return values.get()


def without_wide_integers(values: Any) -> Any:
    """Integers of 128 bits, which polars has and NumPy lacks, as a list; others unchanged."""
    is_wide = str(getattr(values, "dtype", "")) in ("Int128", "UInt128")
    return values.to_list() if is_wide else values


def array_of(values: Any, name: str) -> Any:
    """The array of NumPy or CuPy that shares the memory of a tensor; everything else unchanged.

    Raises
    ------
    TypeError
        If a tensor has a gradient, or a type or a device that neither library supports.
    """
    if not _is_tensor(values):
        return values
    kind = int(values.__dlpack_device__()[0])
    if kind not in (*_HOST, *_CUDA):
        raise InputTypeError(
            f"{name} is on a device that CuPy cannot read (number {kind} of DLPack): use "
            f"{name}.cpu()"
        )
    try:
        if kind in _HOST:
            return np.from_dlpack(values)
        import cupy

        return cupy.from_dlpack(values)
    except ImportError as error:
        raise InputTypeError(
            f"{name} is in the memory of a GPU, which only CuPy can read: install "
            f"sparsebc[cuda13x], or use {name}.cpu()"
        ) from error
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        library = "NumPy" if kind in _HOST else "CuPy"
        raise InputTypeError(
            f"{name} cannot be read by {library} ({error}): use {name}.detach().double()"
        ) from error


def _is_tensor(values: Any) -> bool:
    """Whether an object implements DLPack, and is no array of NumPy, CuPy or Arrow."""
    return (
        hasattr(values, "__dlpack_device__")
        and not isinstance(values, np.ndarray)
        and not type(values).__module__.startswith("cupy")
        and not hasattr(values, "__arrow_c_array__")  # Arrow has nulls, and packs bits
    )


# Methods of a PyTorch tensor that return its index arrays: row or column pointers, then indices.
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
