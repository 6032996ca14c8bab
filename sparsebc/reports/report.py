"""Write a report: a network and its scores as one HTML page."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, TextIO

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError, InputTypeError, imported
from ..graph.network import by_node, check_flags
from ..host import on_host
from ..io import destination, texts
from ..io.annotated import Annotated, annotate
from ..measures.arguments import check_int
from ..streets import Streets
from . import SUFFIXES, streets
from .content import Content, Picture, Ranked, rank_edges, rank_nodes, split

LIMIT = 20_000
BOTH_WAYS = (
    "The matrix is symmetric, and taken for directed: each edge is shown in both directions."
)
# Most nodes and edges of a network that is laid out, and most edges on a map.
NODES_DRAWN, EDGES_DRAWN, EDGES_MAPPED = 500, 5_000, 50_000


def report(
    path_or_file: str | os.PathLike[str] | TextIO,
    matrix: Any,
    names: Sequence[str] | None = None,
    nodes: Mapping[str, ArrayLike] | None = None,
    edges: Mapping[str, Any] | None = None,
    *,
    directed: bool = True,
    positions: ArrayLike | None = None,
    geographic: bool = False,
    half_widths: Mapping[str, ArrayLike] | None = None,
    null_models: Mapping[str, Any] | None = None,
    units: Mapping[str, str] | None = None,
    title: str | None = None,
    notes: Sequence[str] = (),
    limit: int = LIMIT,
    provenance: Mapping[str, Any] | None = None,
) -> None:
    """Write a network and its scores as one page for a browser.

    The page has a table, ranked by the first score, which can be sorted by every column, searched
    by name and saved as CSV; a plot of each score against degree, with names on hover; the
    distributions of scores and degrees; and the network in the colours of a chosen score, on a map
    if `positions` are given, else laid out by its distances. With more than 500 nodes or 5000 edges
    the layout shows the 50 nodes of highest score with their neighbours, in order of score, up to
    500 nodes and 2000 edges; the page says what is left out. Rows picked in one view are marked in
    the others. The page is self-contained: its header forbids the browser every request.

    Parameters
    ----------
    path_or_file : str, path-like or text file
        A name that ends in ``.html``, or an open file. A file appears complete or not at all.
    matrix : sparse array, sparse matrix, Network, Streets or array_like, shape (n, n)
        The network; every stored entry is an edge. NumPy, SciPy or CuPy; never changed. For a
        `streets.Streets` each street is an edge, drawn along its line, with its name, length and
        direction; `names`, `directed`, `positions` and `geographic` are not needed.
    names : sequence of str or int, length n, optional
        Distinct names of the nodes. By default those of a `Network`, else numbers from 0.
    nodes : mapping of str to array_like, shape (n,), or pandas.DataFrame, optional
        Scores of the nodes by title, first the one that ranks. Strings become columns of text,
        which the search covers too; repeated strings can colour the network. Device: any.
    edges : mapping of str to sparse array, shape (n, n), or pandas.DataFrame, optional
        Scores of the edges, by title, as `edge_betweenness` returns them; an edge without an entry
        gets 0. For `streets.Streets` also columns of the streets, as from ``on_edges``, and strings
        such as their class. Device: any.
    directed : bool, default True
        Whether edges lead from row to column only. If False an edge is shown once. A note on the
        page says if a symmetric matrix was taken for a directed one.
    positions : array_like, shape (n, 2), optional
        Coordinates x, y of the nodes in any unit of length; with `geographic`, longitude and
        latitude in degrees.
    geographic : bool, default False
        Whether `positions` are longitudes and latitudes; they are drawn in Mercator's projection.
    half_widths : mapping of str to array_like, shape (n,), optional
        Half-widths of confidence intervals of the estimated score of that title in `nodes`.
    null_models : mapping of str to NullModel, optional
        Result of `null_model`, shape (n,), for the score of that title in `nodes`: columns of
        expectation, z and q, and a plot of score against expectation with nodes of q < 0.05
        coloured. With edge probabilities, ``low`` and ``high`` take the place of z and q.
    units : mapping of str to str, optional
        Unit of each score, by title, for axes and hovers: ``{"betweenness": "share of pairs"}``.
    title : str, optional
        Head of the page. By default, the titles of the scores.
    notes : sequence of str, optional
        Lines below the head, such as the origin of the data.
    limit : int, default 20000
        Most rows of nodes, and of edges, that the page lists and plots against degree, those of
        highest score; it says if it leaves some out. Distributions are of all rows.
    provenance : mapping of str to JSON values, optional
        Origin of the scores: a box of titles and values below the head.

    Returns
    -------
    None

    Raises
    ------
    ImportError
        If Bokeh is not installed.
    TypeError
        If `matrix`, `nodes`, `edges`, `half_widths`, `null_models`, `positions` or `provenance`
        hold anything else, or a name is neither text nor an integer.
    ValueError
        If a shape does not fit, text cannot be encoded as UTF-8, there is no score, a name occurs
        twice, a title is reserved (``name`` of nodes, ``weight`` of edges), `positions` are not
        finite or not degrees, `limit` is below 1, or the suffix is not ``.html``.
    OSError
        If the file cannot be written.

    See Also
    --------
    sparsebc.io.write_network : For programs that draw networks.
    sparsebc.io.write_scores : Scores alone, as a table.

    Notes
    -----
    Takes O(n + m) time and memory for n nodes and m edges, and O(d^2) if d nodes are laid out by
    their distances. A page takes 2.1 MB, and 20 to 50 bytes more for each row that it lists. The
    layout is by stress majorization [1]_.

    References
    ----------
    .. [1] E. R. Gansner, Y. Koren and S. North, "Graph drawing by stress majorization", Graph
       Drawing 2004, LNCS 3383, doi:10.1007/978-3-540-31843-9_25.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from sparsebc import betweenness, datasets, report
    >>> matrix, names = datasets.load("karate")
    >>> scores = {"betweenness": betweenness(matrix, directed=False)}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "karate.html")
    ...     report(path, matrix, names, scores, directed=False, title="A karate club")
    ...     text = path.read_text()
    >>> "<title>A karate club</title>" in text
    True
    """
    check()
    if isinstance(path_or_file, (str, os.PathLike)):
        destination.suffix(path_or_file, SUFFIXES)
    content = compose(
        matrix, names, nodes, edges, directed=directed, positions=positions, geographic=geographic,
        half_widths=half_widths, null_models=null_models, units=units, title=title, notes=notes,
        limit=limit, provenance=provenance,
    )  # fmt: skip
    write(path_or_file, content)


def compose(
    matrix: Any,
    names: Sequence[str] | None,
    nodes: Mapping[str, ArrayLike] | None = None,
    edges: Mapping[str, Any] | None = None,
    *,
    directed: bool,
    positions: ArrayLike | None,
    geographic: bool,
    title: str | None,
    notes: Sequence[str],
    half_widths: Mapping[str, ArrayLike] | None = None,
    null_models: Mapping[str, Any] | None = None,
    units: Mapping[str, str] | None = None,
    limit: int = LIMIT,
    provenance: Mapping[str, Any] | None = None,
) -> Content:
    """Content of a report, from the arguments of `report`."""
    limit = check_int("limit", limit)
    check_flags(directed=directed, geographic=geographic)
    nodes = {} if nodes is None else texts.titled("nodes", nodes)
    edges = {} if edges is None else texts.titled("edges", edges)
    scores, picture = (nodes, edges, provenance), None
    if isinstance(matrix, Streets):
        if names is not None or positions is not None:
            raise InputError(
                "streets have names and positions of their own: leave out names and positions"
            )
        network, picture = streets.mapped(matrix, streets.annotated(matrix, *scores))
        directed = False  # symmetric streets are intended: no note
    else:
        matrix = np.asarray(matrix) if isinstance(matrix, list) else matrix
        network = annotate(matrix, names, *scores, directed=directed)
    units = units or {}
    notes = texts.as_texts([notes] if isinstance(notes, str) else notes, "notes")
    texts.check([*units.values(), title or ""])
    widths = {
        title: _of_score("half_widths", title, values, network)
        for title, values in (half_widths or {}).items()
    }
    models = {
        title: {
            field: _of_score(
                "null_models", title, getattr(model, field, None), network, f".{field}"
            )
            for field in ("mean", "z", "q", "low", "high")
        }
        for title, model in (null_models or {}).items()
    }
    ranked = rank_nodes(network, widths, models, units, limit)
    ranked_edges = rank_edges(network, units, limit)
    first = ranked or ranked_edges
    if first is None:
        raise InputError("nodes and edges have no score: give nodes={'betweenness': scores}")
    beside = (column.title for rows in (ranked, ranked_edges) if rows for column in rows.beside)
    if unknown := {*units} - {*network.nodes, *network.edges, *beside}:
        raise InputError(f"units has {min(unknown)!r}, which is not a title of nodes or edges")
    titles = [column.title for rows in (ranked, ranked_edges) if rows for column in rows.scores]
    picture = picture or _picture(network, positions, first, geographic=geographic)
    if picture is not None:
        words = ranked_edges.texts if ranked_edges else split(network.edges)[1]
        of_lines = {title: [text[e] for e in picture.edges] for title, text in words.items()}
        picture = picture._replace(texts=of_lines)
    return Content(
        title or titles[0][:1].upper() + ", ".join(titles)[1:],
        [
            f"{len(network.names):,} nodes",
            f"{len(network.tails):,} edges",
            "directed" if network.directed else "undirected",
        ],
        (*notes, *([BOTH_WAYS] if directed and _is_symmetric(network) else [])),
        network.facts,
        ranked,
        ranked_edges,
        picture,
    )


def write(path_or_file: str | os.PathLike[str] | TextIO, content: Content) -> None:
    """Write content as a page."""
    from .page import render

    text = render(content)
    if isinstance(path_or_file, (str, os.PathLike)):
        with destination.text(path_or_file) as file:
            file.write(text)
    else:
        path_or_file.write(text)


def check() -> None:
    """Raise ImportError, with the command that installs it, if Bokeh is missing."""
    imported("bokeh.embed", "a report needs Bokeh: python -m pip install bokeh")


def _is_symmetric(network: Annotated) -> bool:
    """Whether each edge of a directed network has a reverse edge of equal weight."""
    n, tails, heads = len(network.names), network.tails, network.heads
    weights = network.edges["weight"]
    keys, reversed_keys = tails * n + heads, heads * n + tails  # keys are sorted
    order = np.argsort(reversed_keys)
    return bool(
        tails.size
        and np.array_equal(keys, reversed_keys[order])
        and np.array_equal(weights, weights[order], equal_nan=True)
    )


def _of_score(
    argument: str, title: str, values: Any, network: Annotated, field: str = ""
) -> NDArray[np.float64]:
    """Numbers of an argument for the score of a title, validated."""
    if title not in network.nodes:
        raise InputError(f"{argument} has {title!r}, which is not a title of nodes")
    what = f"{argument}[{title!r}]{field}"
    if values is None:
        raise InputTypeError(f"{what} is missing: give the NullModel of the score")
    column = np.asarray(on_host(by_node(what, values, network.names)))
    if column.dtype.kind not in "iuf" or column.shape != (len(network.names),):
        raise InputError(
            f"{what} is {column.dtype} of shape {column.shape}; expected "
            f"real numbers of shape ({len(network.names)},)"
        )
    return column.astype(np.float64)


def _picture(
    network: Annotated, positions: ArrayLike | None, ranked: Ranked, *, geographic: bool
) -> Picture | None:
    """Picture of the nodes at given positions, or of a layout; of a subgraph if that is large."""
    from . import layout
    from .neighbourhood import Part, neighbourhood

    n, m = len(network.names), len(network.tails)
    part = Part(np.arange(n), np.arange(m), "")
    if positions is None:
        if geographic:
            raise InputError("geographic=True has an effect only with positions: give positions")
        if n > NODES_DRAWN or m > EDGES_DRAWN:
            part = neighbourhood(network, ranked)
        if not part.nodes.size:
            return None
        coordinates, kind = np.full((n, 2), np.nan), "drawn"
        ends = (
            np.searchsorted(part.nodes, of[part.edges]) for of in (network.tails, network.heads)
        )
        coordinates[part.nodes] = layout.draw(len(part.nodes), *ends)
    else:
        given = by_node("positions", positions, network.names)
        try:
            coordinates = np.asarray(on_host(given), dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InputTypeError(f"positions must hold real numbers, x and y ({error})") from error
        kind = "globe" if geographic else "plane"
        if coordinates.shape != (n, 2):
            raise InputError(f"positions has shape {coordinates.shape}; expected ({n}, 2): x, y")
        expected = "finite numbers"
        wrong = ~np.isfinite(coordinates)
        if geographic and not wrong.any():
            expected = "longitude from -180 to 180 and latitude from -90 to 90, or geographic=False"
            wrong = abs(coordinates) > (180, 90)
        if wrong.any():
            v = int(np.flatnonzero(wrong.any(axis=1))[0])
            raise InputError(f"positions[{v}] is {coordinates[v].tolist()}; expected {expected}")
        if geographic:
            coordinates = layout.project(coordinates)
    tails, heads = network.tails[part.edges], network.heads[part.edges]
    return Picture(
        x=coordinates[:, 0].copy(),
        y=coordinates[:, 1].copy(),
        edges=part.edges,
        tails=tails,
        heads=heads,
        points=coordinates[np.column_stack((tails, heads)).ravel()],
        starts=2 * np.arange(len(tails) + 1),
        kind=kind,
        lines=len(tails) <= EDGES_MAPPED,
        arrows=network.directed and len(tails) <= EDGES_DRAWN,
        part=part.told,
    )
