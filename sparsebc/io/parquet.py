"""Writer of tables as Parquet, by PyArrow, a block of rows at a time."""

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import imported
from . import json_text

_BLOCK = 1 << 18  # rows in a row group


def check() -> None:
    """Raise ImportError with the remedy if PyArrow is not installed."""
    way = "Parquet needs PyArrow: 'python -m pip install pyarrow', or write .csv"
    imported("pyarrow.parquet", way)


def write(
    file: Any,
    types: Mapping[str, Any],
    rows: Iterable[Iterable[Any]],
    provenance: Mapping[str, Any] | None = None,
) -> None:
    """Write rows to a binary file; `types` are NumPy dtypes by the titles of the columns.

    Provenance is JSON in the metadata of the schema, under the key ``sparsebc``.
    """
    import pyarrow
    import pyarrow.parquet

    schema = pyarrow.schema(
        [(title, pyarrow.from_numpy_dtype(kind)) for title, kind in types.items()],
        metadata=None if provenance is None else {"sparsebc": json_text.value(dict(provenance))},
    )
    every = iter(rows)
    with pyarrow.parquet.ParquetWriter(file, schema) as writer:
        while block := list(itertools.islice(every, _BLOCK)):
            columns = zip(*block, strict=True)
            writer.write_table(pyarrow.table(list(map(list, columns)), schema=schema))
