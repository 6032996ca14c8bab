"""Networks from the columns of a data frame: pandas, polars, pyarrow, or a plain dict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arguments import check_one_index
from ..errors import InputError, InputTypeError
from ..foreign import check_fetched, on_host, without_wide_integers
from .names import as_values, check_unique
from .network import Column, Edges, Network, Texts, assemble, both_ways, entries_at, numbered
from .remarks import remark
from .titles import (
    ENDS,
    Wanted,
    are_strengths,
    ends_of,
    extra_among,
    kinds_at,
    named,
    title_of,
    weight_among,
)

__all__ = ["read"]

MISSING = {"None", "nan", "NaT", "<NA>"}  # missing values as Python, NumPy and pandas spell them


def read(
    frame: Any,
    *,
    source: str | int | None = None,
    target: str | int | None = None,
    weight: str | int | None = None,
    weighted: bool | None = None,
) -> Network:
    """Network whose edges are the rows of a data frame.

    Parameters
    ----------
    frame : data frame or mapping
        Named columns, each with `to_numpy` or readable by `numpy.asarray`: of pandas, polars,
        pyarrow, cuDF or modin; or a dict of sequences.
    source, target : str or int, optional
        Titles of the columns of the two ends, which hold strings or integers; by default the only
        pair of ``from to``, ``source target``, ``protein1 protein2``, ``node1 node2`` and the
        others that `sparsebc.io.read` knows, in any case.
    weight : str or int, optional
        Title of the column of weights; by default the only one of ``weight``, ``score``,
        ``combined_score``, ``distance`` and ``length``. Without such a column all weights are 1.
    weighted : bool, optional
        Whether weights are needed. By default unreadable weights are replaced by 1, with a
        `ReadWarning`. If True, they are an error. If False, weights are ignored.

    Returns
    -------
    Network
        Edges are taken as directed, row by row. Nodes are numbered as by `sparsebc.io.read`: in
        ascending order if all names are integers, else in order of first appearance.

    Raises
    ------
    TypeError
        If `frame` has no named columns, a name is neither a string nor an integer, or a weight
        that is needed is not a real number.
    ValueError
        If a column is not there, or no default applies; if two columns have its title; if columns
        differ in length or in their index, or are empty; if a name is missing or empty; if a weight
        that is needed is not finite, or an edge has two and the title is not one of lengths.

    Notes
    -----
    Integers are numbered by NumPy, text of pandas, polars and pyarrow by PyArrow where that is
    installed, and other columns of strings by a dictionary. Numbering takes O(m) time, as does
    sorting the edges; memory is some 60 bytes a row beside the frame, and the names.

    See Also
    --------
    sparsebc.io.read : Network stored in a file.

    Examples
    --------
    >>> from sparsebc import bfs, frames
    >>> matrix, names = frames.read({"from": ["a", "b"], "to": ["b", "c"], "score": [0.9, 0.4]})
    >>> names
    ('a', 'b', 'c')
    >>> bfs(matrix, [names.index("a")])
    array([[0, 1, 2]], dtype=int32)
    """
    source, target, weight = (None if one is None else str(one) for one in (source, target, weight))
    wanted = Wanted(source, target, weight, weighted=weighted)
    return edges_of(frame, wanted).network(wanted)


def edges_of(frame: Any, wanted: Wanted) -> Edges:
    """Edges of a data frame: a row each, but two where Gephi calls one undirected."""
    if isinstance(frame, Mapping):
        check_one_index(frame)
    titles = _titles(frame)
    texts = list(map(str, titles))
    wanted.check()
    ends = _ends_among(texts, wanted)
    extras = [
        extra_among(texts, role, "frame") if told is None else named(told, texts, "frame")
        for role, told in wanted.extras.items()
    ]
    weight = None if wanted.extras else weight_among(texts, wanted, "frame")
    kinds = kinds_at(texts)
    others = [at for at in (*extras, weight, kinds) if at is not None]
    columns = {}
    for at in (*ends, *others):
        if (count := titles.count(titles[at])) > 1:
            raise InputError(f"frame has {count} columns {titles[at]!r}: rename all but one")
        columns[at] = without_wide_integers(frame[titles[at]])
    tails, heads = (_end(titles[at], columns[at]) for at in ends)
    values = {at: _array(titles[at], columns[at]) for at in others}
    m = len(tails)
    for column in (heads, *values.values()):
        if len(column) != m:
            raise InputError(f"columns differ in length: {m} and {len(column)} rows")
    if not m:
        raise InputError("frame has no rows: a network needs one edge at least")
    more = [(f"column {titles[at]!r} has", values[at]) for at in extras if at is not None]
    edges = Edges(*numbered([(tails, heads)]), "row {}".format, others=more)
    if weight is not None:
        data: NDArray[Any] | Exception
        try:
            argument = f"column {titles[weight]!r}"
            data = as_values(argument, values[weight], (m,), "edges").astype(float)
        except (TypeError, ValueError) as error:
            data = error
        edges = edges._replace(title=title_of(texts, weight), weights=data)
    if kinds is None:
        return edges
    return edges.both_where_undirected(list(map(str, values[kinds].tolist())))


def _ends_among(titles: Sequence[str], wanted: Wanted) -> Sequence[int]:
    """Places of the source and the target column."""
    if wanted.source is not None and wanted.target is not None:
        ends = [named(one, titles, "frame") for one in (wanted.source, wanted.target)]
        if ends[0] == ends[1]:
            raise InputError(f"frame: {wanted.source!r} for both ends; expected two columns")
        return ends
    pairs = ends_of(titles)
    if len(pairs) != 1:
        found = [[titles[end] for end in pair] for pair in pairs]
        raise InputError(
            f"frame has {found or 'no columns'} for the pair of ends, and one of {ENDS} was "
            f"expected: name the columns, as in source='a', target='b'; there are {titles}"
        )
    return pairs[0]


def _end(title: str, column: Any) -> Column:
    """One end of all edges; raises for a missing name or one of another type."""
    no_name = f"column {title!r} has no name in row {{}}: drop such rows"
    no_text = f"column {title!r} must hold strings or integers, got "
    known = _encoded(column)
    if known is not None:
        missing = known.codes < 0
        if "" in known.names:
            missing |= known.codes == known.names.index("")
        if missing.any():
            raise InputError(no_name.format(np.argmax(missing)))
        return known
    array = _array(title, column)
    if array.dtype.kind in "iu":
        return array
    if array.dtype.kind in "mM":  # as a list some would be integers, their nanoseconds
        raise InputTypeError(f"{no_text}{array.dtype}: convert it to text")
    # An array of strings has lost trailing NULs, and holds numbers beside strings as strings;
    # integers beyond int64 have become floats.
    values: list[Any] = [*column] if isinstance(column, Sequence) else array.tolist()
    if set(map(type, values)) != {str} or "" in values:
        for row, name in enumerate(values):  # first: a missing value makes other integers floats
            if not name if isinstance(name, str) else str(name) in MISSING:
                raise InputError(no_name.format(row))
        for row, name in enumerate(values):
            if isinstance(name, bool) or not isinstance(name, (str, int, np.integer)):
                raise InputTypeError(f"{no_text}{name!r} in row {row}: convert it")
    return list(map(str, values))


def _encoded(column: Any) -> Texts | None:
    """Encoded strings of a pandas, polars or PyArrow column, null as -1; None for other columns."""
    library = type(column).__module__.partition(".")[0]
    if library not in ("pandas", "polars", "pyarrow"):
        return None
    try:
        import pyarrow
        from pyarrow import types

        if library == "polars":
            column = column.to_arrow()
        elif library == "pandas":
            column = pyarrow.array(column, from_pandas=True)
    except ImportError:
        return None
    except (pyarrow.ArrowException, UnicodeError, OverflowError):
        return None  # objects other than strings, lone surrogates, integers beyond 64 bits
    chunks = column if isinstance(column, pyarrow.ChunkedArray) else pyarrow.chunked_array([column])
    if types.is_dictionary(chunks.type) and chunks.num_chunks > 1:
        chunks = chunks.cast(chunks.type.value_type)  # chunks may differ in their dictionaries
    if types.is_string(chunks.type) or types.is_large_string(chunks.type):
        chunks = chunks.dictionary_encode()  # one dictionary for all chunks
    if not types.is_dictionary(chunks.type) or not chunks.num_chunks:
        return None
    found = Texts.of_arrow(chunks)
    return found if set(map(type, found.names)) <= {str} else None


def _titles(frame: Any) -> list[str]:
    """Titles of the columns of a frame."""
    check_fetched(frame, "frame")
    for attribute in ("column_names", "columns"):  # pyarrow has both, and columns are data there
        if hasattr(frame, attribute):
            return list(getattr(frame, attribute))
    if isinstance(frame, Mapping):
        return list(frame)
    raise InputTypeError(
        f"frame must have named columns, as a pandas.DataFrame or a dict, got "
        f"{type(frame).__name__}: use {{'source': ..., 'target': ...}}"
    )


def _array(title: str, column: Any) -> NDArray[Any]:
    array = np.asarray(column.to_numpy() if hasattr(column, "to_numpy") else on_host(column))
    if array.ndim != 1:
        raise InputError(f"column {title!r} must be one-dimensional, got {array.ndim} dimensions")
    return array


def from_igraph(graph: Any, weight: str | None = None) -> Network:
    """Network of a graph of igraph.

    Parameters
    ----------
    graph : igraph.Graph
        Directed or not; an undirected edge is an entry each way.
    weight : str, optional
        Edge attribute that holds the weights; by default every edge has weight 1, as in igraph's
        own functions.

    Returns
    -------
    Network
        Nodes in the order of igraph, named by the attribute ``name`` if they have it, else by
        number.

    Raises
    ------
    TypeError
        If `graph` is not an igraph graph, a name is not a string, or a weight not a real number.
    ValueError
        If edges lack the attribute, or a weight is not finite.

    Warns
    -----
    ReadWarning
        If parallel edges differ in weight: the strengths of each pair are added up if `weight` is
        titled as strengths are (score, similarity, ...), else the least counts, as of lengths.
        igraph counts parallel edges as several paths; here they are one.

    Notes
    -----
    O(n + m) time and memory, through lists of Python objects as igraph returns them.

    Examples
    --------
    >>> import igraph
    >>> from sparsebc import betweenness, io
    >>> graph = igraph.Graph(edges=[(0, 1), (1, 2)], vertex_attrs={"name": ["a", "b", "c"]})
    >>> matrix, names = io.from_igraph(graph)
    >>> betweenness(matrix, directed=False), names
    (array([0., 1., 0.]), ('a', 'b', 'c'))
    """
    if not hasattr(graph, "get_edgelist"):
        raise InputTypeError(f"graph must be an igraph.Graph, got {type(graph).__name__}")
    n = graph.vcount()
    names = tuple(map(str, range(n)))
    if "name" in graph.vs.attributes():
        names = tuple(graph.vs["name"])
        for name in names:
            if not isinstance(name, str):
                raise InputTypeError(f"graph.vs['name'] must hold strings, got {name!r}")
        check_unique(names, "graph.vs['name']")
    ends = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    weights = None
    if weight is not None:
        if weight not in graph.es.attributes():
            raise InputError(
                f"graph has no attribute {weight!r} of edges; there are {graph.es.attributes()}"
            )
        weights = graph.es[weight]
    return _network(ends.T, weights, names, weight or "", directed=graph.is_directed())


def from_graph_tool(graph: Any, weight: Any = None) -> Network:
    """Network of a graph of graph-tool.

    Parameters
    ----------
    graph : graph_tool.Graph or GraphView
        Directed or not; an undirected edge is an entry each way. Vertices and edges that a view
        filters out are left out.
    weight : str or graph_tool.EdgePropertyMap, optional
        Scalar edge weights: a property map, or the name of an internal one (``graph.ep``); by
        default every edge has weight 1, as in graph-tool's own functions.

    Returns
    -------
    Network
        Nodes in the order of ``graph.get_vertices()``, named by the internal property map ``name``
        if that holds strings, else by vertex number.

    Raises
    ------
    TypeError
        If `graph` is not a graph-tool graph.
    ValueError
        If there is no such property, it does not hold numbers, a weight is not finite, or a name
        occurs twice.

    Warns
    -----
    ReadWarning
        If parallel edges differ in weight, as `from_igraph` does. graph-tool counts parallel edges
        as several paths; here they are one.

    Notes
    -----
    O(m log m) time, without a Python object per edge. ``graph_tool.spectral.adjacency`` also gives
    a matrix, but a transposed one in which a self-loop counts two.

    Examples
    --------
    >>> import graph_tool  # doctest: +SKIP
    >>> from sparsebc import betweenness, io
    >>> graph = graph_tool.Graph([(0, 1), (1, 2)], directed=False)  # doctest: +SKIP
    >>> matrix, names = io.from_graph_tool(graph)  # doctest: +SKIP
    >>> betweenness(matrix, directed=False)  # doctest: +SKIP
    array([0., 1., 0.])
    """
    if not hasattr(graph, "ep"):
        raise InputTypeError(f"graph must be a graph_tool.Graph, got {type(graph).__name__}")
    vertices = graph.get_vertices()
    names = tuple(map(str, vertices.tolist()))
    if "name" in graph.vp and graph.vp["name"].value_type() == "string":
        known = graph.vp["name"]
        names = tuple(known[v] for v in vertices.tolist())
        check_unique(names, "graph.vp['name']")
    title = weight if isinstance(weight, str) else ""
    if isinstance(weight, str):
        if weight not in graph.ep:
            raise InputError(f"graph has no edge property {weight!r}; there are {list(graph.ep)}")
        weight = graph.ep[weight]
    table = graph.get_edges([] if weight is None else [weight])
    ends = np.searchsorted(vertices, table[:, :2].T.astype(np.int64))
    weights = None if weight is None else table[:, 2]
    return _network(ends, weights, names, title, directed=graph.is_directed())


def _network(
    ends: NDArray[np.int64], weights: Any, names: tuple[str, ...], title: str, *, directed: bool
) -> Network:
    """Network of the edges; an undirected edge is an entry each way."""
    (tails, heads), data = ends, np.ones(ends.shape[1])
    if weights is not None:
        argument = f"the attribute {title!r} of edges" if title else "weight"
        data = as_values(argument, weights, tails.shape, "the edges").astype(np.float64)
    if not directed:
        tails, heads, data = both_ways(tails, heads, data)

    def edge(k: int) -> str:
        return f"edge {names[tails[k]]!r} - {names[heads[k]]!r}"

    matrix = assemble(tails, heads, data, len(names), edge, shortest=True)
    if matrix.nnz < len(data) and (entries_at(matrix, tails, heads) != data).any():
        how = "the least of each pair counts, as of lengths"
        if are_strengths(title):
            how = "the strengths of each pair are added up"
            pairs, at = np.unique(tails * len(names) + heads, return_inverse=True)
            matrix = assemble(*divmod(pairs, len(names)), np.bincount(at, data), len(names), edge)
        remark(f"parallel edges have different weights: {how}")
    return Network(matrix, names)
