"""Columns of text as the libraries of data frames encode them: a number for each distinct text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Encoded = tuple[NDArray[Any], list[Any]]  # a place in the list for each row, -1 where there is none


def encoded(column: Any) -> Encoded | None:
    """Distinct texts of a column and the place of each row's; None of a column of other things."""
    encode = _BY_LIBRARY.get(type(column).__module__.partition(".")[0])
    found = encode(column) if encode else None
    return found if found and set(map(type, found[1])) <= {str} else None


def _of_pandas(column: Any) -> Encoded | None:
    import pandas

    if isinstance(column.dtype, pandas.CategoricalDtype):
        return column.cat.codes.to_numpy(), column.cat.categories.tolist()
    if not pandas.api.types.is_string_dtype(column.dtype):
        return None
    try:
        codes, names = column.factorize()
    except TypeError:  # objects that are no texts, and have no hash
        return None
    return codes, names.tolist()


def _of_polars(column: Any) -> Encoded | None:
    import polars

    if column.dtype == polars.String:
        names = column.drop_nulls().unique(maintain_order=True)
        codes = column.cast(polars.Enum(names)).to_physical().cast(polars.Int64)
    elif column.dtype in (polars.Categorical, polars.Enum):
        every = column.drop_nulls().unique()
        names, numbers = every.cast(polars.String), every.to_physical().to_numpy()
        place = np.full(int(numbers.max(initial=0)) + 2, -1)
        place[numbers] = np.arange(len(numbers))
        physical = column.to_physical().cast(polars.Int64).fill_null(len(place) - 1)
        return place[physical.to_numpy()], names.to_list()
    else:
        return None
    return codes.fill_null(-1).to_numpy(), names.to_list()


def _of_pyarrow(column: Any) -> Encoded | None:
    import pyarrow
    from pyarrow import types

    chunks = column if isinstance(column, pyarrow.ChunkedArray) else pyarrow.chunked_array([column])
    if types.is_dictionary(chunks.type) and chunks.num_chunks > 1:
        chunks = chunks.cast(
            chunks.type.value_type
        )  # chunks may have a dictionary each, of any size
    if types.is_string(chunks.type) or types.is_large_string(chunks.type):
        chunks = chunks.dictionary_encode()  # by one dictionary
    elif not types.is_dictionary(chunks.type):
        return None
    if not chunks.num_chunks:
        return np.empty(0, dtype=np.int64), []
    codes = np.concatenate([part.indices.cast("int64").fill_null(-1) for part in chunks.chunks])
    return codes, chunks.chunk(0).dictionary.to_numpy(zero_copy_only=False).tolist()


_BY_LIBRARY: dict[str, Callable[[Any], Encoded | None]] = {
    "pandas": _of_pandas,
    "polars": _of_polars,
    "pyarrow": _of_pyarrow,
}
