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


def duckdb(path, separator):
    """DuckDB: texts are joined with a table of their numbers."""
    import duckdb

    with duckdb.connect(config={"threads": 1}) as base:
        base.execute("SET enable_progress_bar = false")
        base.execute(
            "CREATE TABLE edges AS SELECT * FROM read_csv($path, delim=$separator, header=true)",
            {"path": str(path), "separator": separator},
        )
        base.execute(
            "CREATE TABLE nodes AS SELECT row_number() OVER () - 1 AS number, name FROM "
            "(SELECT protein1 AS name FROM edges UNION SELECT protein2 FROM edges)"
        )
        found = base.execute(
            "SELECT a.number AS source, b.number AS target, combined_score FROM edges "
            "JOIN nodes a ON a.name = protein1 JOIN nodes b ON b.name = protein2"
        ).fetchnumpy()
        names = base.execute("SELECT name FROM nodes ORDER BY number").fetchnumpy()["name"]
    codes = np.concatenate([found["source"], found["target"]])
    return _network(codes, found[WEIGHT], names.tolist())


def _network(codes, weights, names):
    """Matrix of edges, the sources of which come first in `codes`."""
    n, m = len(names), len(weights)
    edges = (weights.astype(np.float64), (codes[:m], codes[m:]))
    return scipy.sparse.coo_array(edges, shape=(n, n)).tocsr(), names
