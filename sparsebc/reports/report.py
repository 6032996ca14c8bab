"""Write a report: a network and its scores as one HTML page."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, TextIO

from numpy.typing import ArrayLike

from ..errors import imported
from ..io.output_file import suffix_of, text_file
from . import SUFFIXES
from .content import LIMIT, Content, compose


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

    The page has a table, ranked by the first score, which can be sorted by every column and
    searched by name; a plot of each score against degree, with names on hover; and the network in
    the colours of the first score: a map if `positions` are given, else up to 500 nodes and 5000
    edges, laid out by igraph or NetworkX if one is installed. The page says why there is no
    picture. Rows picked in one view are marked in the others. The page is self-contained: its
    header forbids the browser every request.

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
        which the search covers too. Device: any.
    edges : mapping of str to sparse array, shape (n, n), or pandas.DataFrame, optional
        Scores of the edges, by title, as `edge_betweenness` returns them; an edge without an entry
        gets 0. For `streets.Streets` also columns of the streets, as from ``on_edges``, and strings
        such as their class. Device: any.
    directed : bool, default True
        Whether edges lead from row to column only. If False an edge is shown once.
    positions : array_like, shape (n, 2), optional
        Coordinates x, y of the nodes in any unit of length; with `geographic`, longitude and
        latitude in degrees.
    geographic : bool, default False
        Whether `positions` are longitudes and latitudes; they are drawn in Mercator's projection.
    half_widths : mapping of str to array_like, shape (n,), optional
        Half-widths of the confidence intervals of estimated scores, by their titles in `nodes`.
    null_models : mapping of str to NullModel, optional
        Result of `null_model`, shape (n,), for the score of that title in `nodes`: columns of
        expectation, z and q. With edge probabilities, ``low`` and ``high`` take the place of z
        and q.
    units : mapping of str to str, optional
        Unit of each score, by title, for axes and hovers: ``{"betweenness": "share of pairs"}``.
    title : str, optional
        Head of the page. By default, the titles of the scores.
    notes : sequence of str, optional
        Lines below the head, such as the origin of the data.
    limit : int, default 20000
        Most nodes, and most edges, that the page lists and plots, those of highest score. The page
        says if it leaves some out. A map shows other edges, too.
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
    Takes O(n + m) time and memory for n nodes and m edges; the layout of 500 nodes takes a second
    with igraph, some seconds with NetworkX. A page takes 2.1 MB, and 20 to 50 bytes more for each
    row that it lists.

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
        suffix_of(path_or_file, SUFFIXES)
    content = compose(
        matrix, names, nodes, edges, directed=directed, positions=positions, geographic=geographic,
        half_widths=half_widths, null_models=null_models, units=units, title=title, notes=notes,
        limit=limit, provenance=provenance,
    )  # fmt: skip
    write(path_or_file, content)


def write(path_or_file: str | os.PathLike[str] | TextIO, content: Content) -> None:
    """Write content as a page."""
    from .page import render

    text = render(content)
    if isinstance(path_or_file, (str, os.PathLike)):
        with text_file(path_or_file) as file:
            file.write(text)
    else:
        path_or_file.write(text)


def check() -> None:
    """Raise ImportError, with the command that installs it, if Bokeh is missing."""
    imported("bokeh.embed", "a report needs Bokeh: python -m pip install bokeh")
