"""Networks with scores as GraphML, GEXF or CX2, for programs that draw them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy.typing as npt

from . import destination, texts
from .annotated import annotate
from .formats import WRITERS

XML = (".graphml", ".gexf")  # suffixes


def check_names(suffix: str, names: Sequence[str]) -> None:
    """Refuse names that a network file of this suffix cannot hold, before scores are computed."""
    texts.check_unique(names)
    texts.check(names, xml=suffix in XML)


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
    """Write a network with scores on its nodes and edges, as GraphML, GEXF or CX2.

    Cytoscape, Gephi, igraph and NetworkX read these. The ``weight`` of an edge is its entry of
    `matrix`. Floating-point numbers are declared double and written with the digits that restore
    them exactly. A file appears complete or not at all.

    Parameters
    ----------
    path : str or path-like
        ``.graphml``, ``.gexf`` (Gephi) or ``.cx2`` (Cytoscape), compressed if ``.gz``, ``.bz2`` or
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
        written (control characters in XML), or the suffix is unknown.
    OSError
        If the file cannot be written.

    See Also
    --------
    write_scores : Scores alone, as a table.

    Notes
    -----
    The document is streamed: memory is that of the edges as arrays. CX2 is JSON, which has neither
    NaN nor infinity: an attribute that is NaN is left out, and infinity is written as 1e999.

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
    suffix = destination.suffix(path, WRITERS)
    network = annotate(matrix, names, nodes, edges, provenance, directed=directed)
    with destination.text(path) as file:
        file.writelines(WRITERS[suffix](network))
