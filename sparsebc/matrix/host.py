"""Conversion of GPU arrays and of other libraries' tensors to arrays of NumPy or CuPy."""

from typing import Any

import numpy as np
import scipy.sparse

from ..errors import InputTypeError

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
    if scipy.sparse.issparse(values):
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
