"""Edge lists of names by the readers of CSV of other libraries, to what `sparsebc.io.read` returns.

Each function takes a path and the separator of a file with the columns ``protein1``, ``protein2``
and ``combined_score``, and returns a matrix and the names of its nodes. The order of the nodes is
left to the library.
"""

import numpy as np
import scipy.sparse

ENDS, WEIGHT = ("protein1", "protein2"), "combined_score"


def pyarrow(path, separator):
    """PyArrow: both columns of text encoded by one dictionary."""
    import pyarrow
    from pyarrow import csv

    table = csv.read_csv(
        path, csv.ReadOptions(use_threads=False), csv.ParseOptions(delimiter=separator)
    )
    chunks = [chunk for end in ENDS for chunk in table[end].chunks]
    encoded = pyarrow.chunked_array(chunks).dictionary_encode()
    codes = np.concatenate([chunk.indices for chunk in encoded.chunks])
    names = encoded.chunk(0).dictionary.to_numpy(zero_copy_only=False)
    return _network(codes, table[WEIGHT].to_numpy(), names.tolist())


def pyarrow_dictionaries(path, separator):
    """PyArrow: columns read as dictionaries, a block at a time, which are made one."""
    import pyarrow
    from pyarrow import csv

    texts = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    table = csv.read_csv(
        path,
        csv.ReadOptions(use_threads=False),
        csv.ParseOptions(delimiter=separator),
        csv.ConvertOptions(column_types=dict.fromkeys(ENDS, texts)),
    )
    chunks = [chunk for end in ENDS for chunk in table[end].chunks]
    unified = pyarrow.chunked_array(chunks).unify_dictionaries()
    codes = np.concatenate([chunk.indices for chunk in unified.chunks])
    names = unified.chunk(0).dictionary.to_numpy(zero_copy_only=False)
    return _network(codes, table[WEIGHT].to_numpy(), names.tolist())


def pandas(path, separator):
    """The parser of pandas in C, and `pandas.factorize` of both columns."""
    import pandas

    table = pandas.read_csv(path, sep=separator, engine="c")
    codes, names = pandas.factorize(pandas.concat([table[end] for end in ENDS]))
    return _network(codes, table[WEIGHT].to_numpy(), names.tolist())


def polars(path, separator):
    """Polars: both columns as an Enum of their distinct texts."""
    import polars

    table = polars.read_csv(path, separator=separator)
    columns = [table[end] for end in ENDS]
    names = polars.concat(columns).unique()
    codes = [column.cast(polars.Enum(names)).to_physical().to_numpy() for column in columns]
    return _network(np.concatenate(codes), table[WEIGHT].to_numpy(), names.to_list())


def polars_categories(path, separator):
    """Polars: columns read as categories."""
    import polars

    table = polars.read_csv(
        path, separator=separator, schema_overrides=dict.fromkeys(ENDS, polars.Categorical)
    )
    columns = [table[end] for end in ENDS]
    every = polars.concat(columns).unique()
    places = every.to_physical().to_numpy()
    number = np.empty(int(places.max()) + 1, dtype=np.int32)
    number[places] = np.arange(len(places))
    codes = [number[column.to_physical().to_numpy()] for column in columns]
    names = every.cast(polars.String).to_list()
    return _network(np.concatenate(codes), table[WEIGHT].to_numpy(), names)


def _network(codes, weights, names):
    """Matrix of edges, the sources of which come first in `codes`."""
    n, m = len(names), len(weights)
    edges = (weights.astype(np.float64), (codes[:m], codes[m:]))
    return scipy.sparse.coo_array(edges, shape=(n, n)).tocsr(), names
