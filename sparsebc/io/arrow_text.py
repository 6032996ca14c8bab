"""Columns of text of data frames as PyArrow has them, some rows at a time."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

Rows = Callable[[int, int], Any]  # array of strings of PyArrow: so many rows from this one on


def text_of(column: Any) -> Rows | None:
    """Rows of a column of text; None of a column of other things, and where PyArrow is missing."""
    rows = _BY_LIBRARY.get(type(column).__module__.partition(".")[0])
    return rows(column) if rows and importlib.util.find_spec("pyarrow") else None


def _of_pandas(column: Any) -> Rows | None:
    import pandas
    import pyarrow

    if column.dtype == object:
        # None of a column in which something is missing, or is no text.
        values, kind = column.to_numpy(), pandas.api.types.infer_dtype(column, skipna=False)
        texts = pyarrow.large_string()
        if kind != "string":
            return None
        return lambda first, count: pyarrow.array(values[first : first + count], texts)
    if not pandas.api.types.is_string_dtype(column.dtype):
        return None
    return lambda first, count: _whole(pyarrow.array(column.iloc[first : first + count]))


def _of_polars(column: Any) -> Rows | None:
    import polars

    if column.dtype != polars.String:
        return None
    plain = polars.CompatLevel.oldest()
    return lambda first, count: column.slice(first, count).to_arrow(compat_level=plain)


def _of_pyarrow(column: Any) -> Rows | None:
    from pyarrow import types

    # What has a dictionary is spelt out: the chunks of a column may have one each, of any size.
    kind = column.type.value_type if types.is_dictionary(column.type) else column.type
    kinds = types.is_string, types.is_large_string, types.is_string_view
    if not any(is_kind(kind) for is_kind in kinds):
        return None
    return lambda first, count: _whole(column.slice(first, count).cast(kind))


def _whole(array: Any) -> Any:
    """An array in one piece, of texts one after the other."""
    import pyarrow

    if isinstance(array, pyarrow.ChunkedArray):
        array = array.combine_chunks()
    return array.cast("large_string") if pyarrow.types.is_string_view(array.type) else array


_BY_LIBRARY: dict[str, Callable[[Any], Rows | None]] = {
    "pandas": _of_pandas,
    "polars": _of_polars,
    "pyarrow": _of_pyarrow,
}
