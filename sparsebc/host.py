"""What a caller has in the memory of a GPU, where the host wants it."""

from __future__ import annotations

from typing import Any

import scipy.sparse


def on_host(values: Any) -> Any:
    """Arrays and sparse matrices of CuPy, copied; all else as it is.

    A mapping, a frame and a matrix of SciPy may have a `get` too, which is another.
    """
    if scipy.sparse.issparse(values) or not hasattr(values, "get"):
        return values
    is_array = hasattr(values, "__cuda_array_interface__")
    array: Any = values if is_array else getattr(values, "data", None)
    if not (hasattr(array, "__cuda_array_interface__") and hasattr(array, "device")):
        return values
    with array.device:  # CuPy copies on the stream of the current one, which may be ahead
        return values.get()
