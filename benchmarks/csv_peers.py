"""Edge lists of names, read by the CSV readers of other libraries into a matrix and node names.

Each function takes a path and the separator of a file with the columns ``protein1``, ``protein2``
and ``combined_score``, and returns a matrix and names as `sparsebc.io.read` does, with the nodes in
any order. ``coded`` columns of text are read as dictionaries, or categories.
"""

import numpy as np
import scipy.sparse

ENDS, WEIGHT = ("protein1", "protein2"), "combined_score"


def pyarrow(path, separator, *, coded=False):
    """PyArrow: columns of text encoded by one dictionary, or read as dictionaries by block."""
    import pyarrow
    from pyarrow import csv

    texts = pyarrow.dictionary(pyarrow.int32(), pyarrow.string()) if coded else pyarrow.string()
    table = csv.read_csv(
        path,
        csv.ReadOptions(use_threads=False),
        csv.ParseOptions(delimiter=separator),
        csv.ConvertOptions(column_types=dict.fromkeys(ENDS, texts)),
    )
    chunks = pyarrow.chunked_array([chunk for end in ENDS for chunk in table[end].chunks])
    encoded = chunks.unify_dictionaries() if coded else chunks.dictionary_encode()
    codes = np.concatenate([chunk.indices for chunk in encoded.chunks])
    names = encoded.chunk(0).dictionary.to_numpy(zero_copy_only=False)
    return _network(codes, table[WEIGHT].to_numpy(), names.tolist())


def pandas(path, separator):
    """pandas: its C parser, and `pandas.factorize` of both columns."""
    import pandas

    table = pandas.read_csv(path, sep=separator, engine="c")
    codes, names = pandas.factorize(pandas.concat([table[end] for end in ENDS]))
    return _network(codes, table[WEIGHT].to_numpy(), names.tolist())


def polars(path, separator, *, coded=False):
    """Polars: both columns as an Enum of their distinct texts, or read as categories."""
    import polars

    types = dict.fromkeys(ENDS, polars.Categorical) if coded else None
    table = polars.read_csv(path, separator=separator, schema_overrides=types)
    columns = [table[end] for end in ENDS]
    distinct = polars.concat(columns).unique()
    if coded:
        places = distinct.to_physical().to_numpy()
        number = np.empty(int(places.max()) + 1, dtype=np.int32)
        number[places] = np.arange(len(places))
        codes = [number[column.to_physical().to_numpy()] for column in columns]
    else:
        codes = [column.cast(polars.Enum(distinct)).to_physical().to_numpy() for column in columns]
    names = distinct.cast(polars.String).to_list()
    return _network(np.concatenate(codes), table[WEIGHT].to_numpy(), names)


def _network(codes, weights, names):
    """Matrix and names from the codes of all sources, then of all targets."""
    n, m = len(names), len(weights)
    edges = (weights.astype(np.float64), (codes[:m], codes[m:]))
    return scipy.sparse.coo_array(edges, shape=(n, n)).tocsr(), names
