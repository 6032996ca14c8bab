"""Networks with scores as GraphML (for NetworkX, igraph, Gephi, Cytoscape, yEd) or GEXF 1.2."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike, NDArray

from ..arguments import by_node, check_flags
from ..errors import InputError, InputTypeError
from ..matrix.matrix_arrays import csr_of, matrix_of, names_of
from .names import as_texts, as_values, check_texts, check_unique, facts, titled
from .network import entries_at
from .output_file import suffix_of, text_file

_GRAPHML = "http://graphml.graphdrawing.org/xmlns"
_GEXF = "http://www.gexf.net/1.2draft"
# Infinities, NaN and booleans as XML Schema spells them.
_SPELT = {"inf": "INF", "-inf": "-INF", "nan": "NaN", "True": "true", "False": "false"}
_ESCAPES = {'"': "&quot;", "\r": "&#13;", "\n": "&#10;", "\t": "&#9;"}  # in attributes and texts


def write_network(
    path: str | os.PathLike[str],
    matrix: Any,
    names: Sequence[str] | None = None,
    nodes: Mapping[str, npt.ArrayLike] | None = None,
    edges: Mapping[str, Any] | None = None,
    *,
    directed: bool = True,
    provenance: Mapping[str, Any] | None = None,
) -> None:
    """Write a network with scores on its nodes and edges, as GraphML or GEXF.

    Cytoscape, Gephi, igraph and NetworkX read these. The ``weight`` of an edge is its entry of
    `matrix`. Floating-point numbers are declared double and written with the digits that restore
    them exactly. A file appears complete or not at all.

    Parameters
    ----------
    path : str or path-like
        ``.graphml`` (Cytoscape and others) or ``.gexf`` (Gephi), compressed if ``.gz``, ``.bz2`` or
        ``.xz`` follows.
    matrix : sparse array, sparse matrix, Network or ndarray, shape (n, n)
        The network; every stored entry is an edge. It is not modified.
    names : sequence of str or int, length n, optional
        Names of the nodes, all distinct. By default those of a `Network`, else numbers from 0.
    nodes : mapping of str to array_like, shape (n,), optional
        Real numbers or strings, by title; a pandas.Series by the names in its index.
    edges : mapping of str to sparse array, shape (n, n), optional
        Real numbers, by title, as `sparsebc.edge_betweenness` returns them; an edge without an
        entry gets 0.
    directed : bool, default True
        Whether edges lead from row to column only. If False, an edge is written once, with the
        smaller weight and the larger score of both directions.
    provenance : mapping of str to JSON values, optional
        Origin of the scores, written as attributes of the network, or as its description in GEXF,
        which has no such attributes. Values other than text and numbers are written as JSON.

    Raises
    ------
    TypeError
        If `matrix`, `nodes`, `edges` or `provenance` hold anything else, or a name is neither text
        nor an integer.
    ValueError
        If a shape does not fit, a matrix is malformed (see `sparsebc.betweenness`), a name occurs
        twice, a title is reserved (``name`` of nodes, ``weight`` of edges), a text cannot be
        written (control characters), or the suffix is unknown.
    OSError
        If the file cannot be written.

    See Also
    --------
    write_scores : Scores alone, as a table.

    Notes
    -----
    The document is streamed: memory is that of the edges as arrays.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from sparsebc import betweenness, datasets, edge_betweenness
    >>> matrix, names = datasets.load("karate")
    >>> scores = betweenness(matrix, directed=False)
    >>> ties = edge_betweenness(matrix, directed=False)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "karate.graphml")
    ...     write_network(path, matrix, names, {"betweenness": scores},
    ...                   {"edge_betweenness": ties}, directed=False)
    ...     lines = path.read_text().splitlines()
    >>> lines[3]
    '<key id="node0" for="node" attr.name="betweenness" attr.type="double"/>'
    >>> lines[7][:67]
    '<node id="1"><data key="name">1</data><data key="node0">0.437635281'
    """
    suffix = suffix_of(path, WRITERS)
    network = annotate(matrix, names, nodes, edges, provenance, directed=directed)
    check_texts(
        [*network.names, *network.nodes, *network.edges, *map(str, network.facts)], xml=True
    )
    for column in network.nodes.values():
        if column.dtype.kind == "U":
            check_texts(column.tolist(), xml=True)
    with text_file(path) as file:
        file.writelines(WRITERS[suffix](network))


def graphml(network: Annotated) -> Iterator[str]:
    """Text of a GraphML document, a line at a time.

    The name of a node is both its id, which NetworkX uses, and its attribute ``name``, which igraph
    uses.
    """
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="{_GRAPHML}">\n'
    yield '<key id="name" for="node" attr.name="name" attr.type="string"/>\n'
    owners = {"node": network.nodes, "edge": network.edges, "graph": network.facts}
    for what, columns in owners.items():
        for k, (title, column) in enumerate(columns.items()):
            kind = _TYPES[type(column) if what == "graph" else column.dtype.kind]
            named = f'attr.name="{_spell(title)}" attr.type="{kind}"'
            yield f'<key id="{what}{k}" for="{what}" {named}/>\n'
    yield f'<graph edgedefault="{"directed" if network.directed else "undirected"}">\n'
    for k, fact in enumerate(network.facts.values()):
        yield f'<data key="graph{k}">{_spell(fact)}</data>\n'
    names = list(map(_spell, network.names))
    cells = _cells('<data key="node{}">{}</data>', network.nodes.values())
    for name, data in zip(names, cells, strict=False):
        yield f'<node id="{name}"><data key="name">{name}</data>{data}</node>\n'
    cells = _cells('<data key="edge{}">{}</data>', network.edges.values())
    for tail, head, data in zip(network.tails, network.heads, cells, strict=False):
        yield f'<edge source="{names[tail]}" target="{names[head]}">{data}</edge>\n'
    yield "</graph>\n</graphml>\n"


def gexf(network: Annotated) -> Iterator[str]:
    """Text of a GEXF document, a line at a time; weights are the format's own attribute."""
    scores = {title: column for title, column in network.edges.items() if title != "weight"}
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<gexf xmlns="{_GEXF}" version="1.2">\n'
    if network.facts:  # a GEXF network has a description, but no attributes
        told = "; ".join(f"{title}: {value}" for title, value in network.facts.items())
        yield f"<meta><creator>sparsebc</creator><description>{_spell(told)}</description></meta>\n"
    yield f'<graph defaultedgetype="{"directed" if network.directed else "undirected"}">\n'
    for what, columns in (("node", network.nodes), ("edge", scores)):
        for k, (title, column) in enumerate(columns.items()):
            yield "" if k else f'<attributes class="{what}">\n'
            kind = _TYPES[column.dtype.kind]
            yield f'<attribute id="{k}" title="{_spell(title)}" type="{kind}"/>\n'
        yield "</attributes>\n" if columns else ""
    yield "<nodes>\n"
    names, cell = list(map(_spell, network.names)), '<attvalue for="{}" value="{}"/>'
    for name, data in zip(names, _cells(cell, network.nodes.values()), strict=False):
        values = data and f"<attvalues>{data}</attvalues>"
        yield f'<node id="{name}" label="{name}">{values}</node>\n'
    yield "</nodes>\n<edges>\n"
    weights, cells = network.edges["weight"].tolist(), _cells(cell, scores.values())
    edges = zip(network.tails, network.heads, map(_spell, weights), cells, strict=False)
    for k, (tail, head, weight, data) in enumerate(edges):
        values = data and f"<attvalues>{data}</attvalues>"
        ends = f'source="{names[tail]}" target="{names[head]}"'
        yield f'<edge id="{k}" {ends} weight="{weight}">{values}</edge>\n'
    yield "</edges>\n</graph>\n</gexf>\n"


def _spell(value: object) -> str:
    """Value as XML text; a number by its `repr`, which restores it exactly."""
    if isinstance(value, str):
        return escape(value, _ESCAPES)
    text = repr(value)
    return _SPELT.get(text, text)


def _cells(cell: str, columns: Iterable[NDArray[Any]]) -> Iterator[str]:
    """XML elements of each row across columns, by the template `cell` of index and text."""
    texts = [map(_spell, column.tolist()) for column in columns]
    for row in zip(*texts, strict=True) if texts else repeat(()):
        yield "".join([cell.format(k, text) for k, text in enumerate(row)])


# Writers by suffix.
WRITERS = {".graphml": graphml, ".gexf": gexf}


# Type names in GraphML and GEXF of a column, by the kind of its dtype, and of a fact, by its type.
_TYPES: dict[str | type, str] = {"i": "long", "u": "long", "f": "double", "U": "string"}
_TYPES |= {str: "string", bool: "boolean", int: "long", float: "double"}


class Annotated(NamedTuple):
    """Nodes and edges of a network, with columns of scores, and its attributes."""

    directed: bool
    names: Sequence[str]
    nodes: dict[str, NDArray[Any]]  # columns of n values, by title
    tails: NDArray[np.int64]
    heads: NDArray[np.int64]
    edges: dict[str, NDArray[Any]]  # columns of m values, by title
    facts: Mapping[str, Any]  # attributes of the network: provenance of the scores


def annotate(
    matrix: Any,
    names: Sequence[str] | None,
    nodes: Mapping[str, ArrayLike] | None,
    edges: Mapping[str, Any] | None,
    provenance: Mapping[str, Any] | None = None,
    *,
    directed: bool,
) -> Annotated:
    """Checked nodes, edges and columns of a network; an undirected edge once, by smaller weight.

    ``names`` default to those of a `Network`, else to numbers from 0.
    """
    check_flags(directed=directed)
    names = names_of(matrix) if names is None else names
    matrix = csr_of(matrix_of(matrix), "matrix")
    names = list(map(str, range(matrix.shape[0]))) if names is None else names
    n = len(names)
    if matrix.shape != (n, n):
        raise InputError(
            f"matrix has shape {matrix.shape}; expected ({n}, {n}), a row for each name"
        )
    labels, names = names, as_texts(names)
    check_unique(names)
    columns = {}
    for title, values in titled("nodes", {} if nodes is None else nodes, ("name",)).items():
        argument = f"nodes[{title!r}]"
        values = by_node(argument, values, labels)
        columns[title] = as_values(argument, values, (n,), "names", kinds="iufU")
    coo = matrix.tocoo()
    tails, heads = coo.row.astype(np.int64), coo.col.astype(np.int64)
    if not directed:
        keys = np.unique(np.minimum(tails, heads) * n + np.maximum(tails, heads))
        tails, heads = keys // max(n, 1), keys % max(n, 1)
    weights = entries_at(matrix, tails, heads, None if directed else np.fmin)
    if matrix.dtype.kind in "biu":
        weights = weights.astype(np.int64)
    found: dict[str, NDArray[Any]] = {"weight": weights}
    for title, scores in titled("edges", {} if edges is None else edges, ("weight",)).items():
        if not hasattr(scores, "tocsr"):
            raise InputTypeError(
                f"edges[{title!r}] must be a sparse matrix of shape ({n}, {n}), as "
                f"edge_betweenness returns, got {type(scores).__name__}"
            )
        if scores.shape != (n, n):
            raise InputError(f"edges[{title!r}] has shape {scores.shape}; expected ({n}, {n})")
        scores = csr_of(scores, f"edges[{title!r}]")
        found[title] = np.nan_to_num(
            entries_at(scores, tails, heads, None if directed else np.fmax),
            nan=0.0, posinf=np.inf, neginf=-np.inf,
        )  # fmt: skip

    return Annotated(directed, names, columns, tails, heads, found, facts(provenance))
