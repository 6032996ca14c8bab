"""Columns of text as numbers of distinct texts, by PyArrow: of pandas, polars and its own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Encoded = tuple[NDArray[Any], list[Any]]  # a place in the list for each row, -1 where there is none


def encoded(column: Any) -> Encoded | None:
    """Distinct texts of a column and the place of each row's; None of other things."""
    try:
        import pyarrow
        from pyarrow import types
    except ImportError:
        return None
    try:
        match type(column).__module__.partition(".")[0]:
            case "polars":
                column = column.to_arrow()
            case "pandas":
                column = pyarrow.array(column, from_pandas=True)
            case "pyarrow":
                pass
            case _:
                return None
    except (pyarrow.ArrowException, UnicodeError):  # objects that are no texts, or half a character
        return None
    chunks = column if isinstance(column, pyarrow.ChunkedArray) else pyarrow.chunked_array([column])
    if types.is_dictionary(chunks.type) and chunks.num_chunks > 1:
        chunks = chunks.cast(chunks.type.value_type)  # they may have a dictionary each, of any size
    if types.is_string(chunks.type) or types.is_large_string(chunks.type):
        chunks = chunks.dictionary_encode()  # by one dictionary
    if not types.is_dictionary(chunks.type) or not chunks.num_chunks:
        return None
    names = chunks.chunk(0).dictionary.to_pylist()
    if not set(map(type, names)) <= {str}:
        return None
    codes = [part.indices.cast("int64").fill_null(-1) for part in chunks.chunks]
    return np.concatenate(codes), names
