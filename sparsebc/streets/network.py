"""Streets of osmnx, momepy and GeoPandas as matrices of lengths, and scores by street."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
import scipy.sparse
import scipy.sparse.csgraph
from numpy.typing import ArrayLike, NDArray

from ..arguments import by_node, check_choice
from ..errors import InputError, InputTypeError
from ..foreign import on_host
from ..io.network import assemble, both_ways, entries_at
from ..io.remarks import ReadWarning
from ..matrix.matrix_arrays import csr_of, described
from .lines import Lines, of_frame, of_graph

Zero = Literal["raise", "merge"]
WEB_MERCATOR = 3857  # EPSG code


@dataclass(frozen=True, eq=False)
class Streets:
    """A network of streets: its matrix of lengths, and the mapping of scores back to streets.

    `from_networkx` and `from_geodataframe` make one.

    Attributes
    ----------
    matrix : csr_array, shape (n, n), dtype float64
        Entry [i, j] is the length of the shortest street from junction i to junction j, in the
        units of the lengths given; symmetric if undirected. Streets from a junction to itself have
        no entry.
    directed : bool
        Whether streets lead from their first node to their second only. Pass it to measures.
    nodes : tuple, length at least n
        Names of the nodes: those of the graph, or coordinates (x, y) of the ends of lines.
    junction : ndarray, shape (len(nodes),), dtype int64
        Row of ``matrix`` for each node. Nodes joined by streets of length zero are one junction.
    ends : ndarray, shape (m, 2), dtype int64
        Rows of the junctions where each street begins and ends, in the order of `on_edges`.
    lengths : ndarray, shape (m,), dtype float64
        Length of each street, parallel streets included.

    Examples
    --------
    >>> import networkx as nx
    >>> from sparsebc import closeness, edge_betweenness, streets
    >>> G = nx.MultiDiGraph([("a", "b", {"length": 9.0}), ("a", "b", {"length": 5.0})])
    >>> city = streets.from_networkx(G)
    >>> city.on_edges(edge_betweenness(city.matrix, weighted=True))  # doctest: +SKIP
    u  v  key
    a  b  0      0.0
          1      0.5
    dtype: float64
    """

    matrix: Any
    directed: bool
    nodes: tuple[Any, ...]
    junction: NDArray[np.int64]
    ends: NDArray[np.int64]
    lengths: NDArray[np.float64]
    _share: NDArray[np.float64]  # of its entry's score, for each street; NaN if of length zero
    _labels: Any  # of the streets: an index of pandas, or tuples of a graph's ``_titles``
    _titles: tuple[str, ...]
    _lines: Callable[[], Lines]

    def __repr__(self) -> str:
        """Number of streets, size of the matrix and first nodes, in one line."""
        first = ", ".join(map(repr, self.nodes[:3])) + ", ..." * (len(self.nodes) > 3)
        size = described(self.matrix)
        return f"<Streets: {len(self._share):,} streets, {size}; nodes {first or 'none'}>"

    def on_nodes(self, scores: ArrayLike) -> Any:
        """Scores of junctions by node, as one or several columns.

        Parameters
        ----------
        scores : array_like, shape (n,), (n, c) or (n, q, c)
            A score for each row of ``matrix``, for each of c cutoffs, and for each of q kinds of
            points of interest.

        Returns
        -------
        pandas.Series or pandas.DataFrame
            Indexed by node name; nodes of one junction have its score. Columns are cutoffs, 0 to
            c - 1, or kinds and cutoffs, (0, 0) to (q - 1, c - 1); columns of a DataFrame keep their
            titles.

        Raises
        ------
        ImportError
            If pandas is not installed.
        ValueError
            If there is not one score for each row of ``matrix``.
        """
        import pandas

        names = self.nodes if len(self.nodes) == self.matrix.shape[0] else None
        values = np.asarray(on_host(by_node("scores", scores, names)))
        if values.ndim not in (1, 2, 3) or values.shape[:1] != self.matrix.shape[:1]:
            raise InputError(
                f"scores has shape {values.shape}; expected {self.matrix.shape[:1]}, one for each "
                "row of matrix: scores of edges go to on_edges"
            )
        index = pandas.Index(self.nodes, tupleize_cols=False)
        if values.ndim == 1:
            return pandas.Series(values[self.junction], index)
        columns = getattr(scores, "columns", None)
        if values.ndim == 3:
            columns = pandas.MultiIndex.from_product(list(map(range, values.shape[1:])))
        rows = values[self.junction].reshape(len(index), int(np.prod(values.shape[1:])))
        return pandas.DataFrame(rows, index, columns)

    def on_edges(self, scores: Any) -> Any:
        """Scores of matrix entries by street, as one or several columns.

        Parameters
        ----------
        scores : sparse array, shape (n, n), or list of sparse arrays
            As `sparsebc.edge_betweenness` returns for ``matrix`` and ``directed``; a list for
            several cutoffs.

        Returns
        -------
        pandas.Series or pandas.DataFrame
            A DataFrame with columns from 0 on for a list. The index is (u, v, key) of the graph,
            (u, v) if it has no keys, or that of the GeoDataFrame. The shortest of parallel streets
            share the score equally, as in NetworkX; longer ones have 0, and so has a street that
            leads back to its junction. A street of length zero, part of a junction, has NaN.

        Raises
        ------
        ImportError
            If pandas is not installed.
        TypeError
            If `scores` is not a sparse matrix.
        ValueError
            If it has another shape.
        """
        if isinstance(scores, (list, tuple)) and scores:
            import pandas

            return pandas.concat(list(map(self.on_edges, scores)), axis=1)
        if not hasattr(scores, "tocsr"):
            raise InputTypeError(
                f"scores must be a sparse matrix, as edge_betweenness returns, got "
                f"{type(scores).__name__}: scores of nodes go to on_nodes"
            )
        if scores.shape != self.matrix.shape:
            raise InputError(f"scores has shape {scores.shape}; expected {self.matrix.shape}")
        known = csr_of(scores, "scores")
        tails, heads = self.ends.T
        values = entries_at(known, tails, heads, None if self.directed else np.fmax)
        return self.column(np.nan_to_num(values, nan=0.0) * self._share)

    def column(self, values: NDArray[Any]) -> Any:
        """Values by street, as one or several columns.

        Parameters
        ----------
        values : ndarray, shape (m,) or (m, c)
            In the order of ``lengths``.

        Returns
        -------
        pandas.Series or pandas.DataFrame
            Labels are those of `on_edges`.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        import pandas

        index = self._labels
        if self._titles:
            columns = zip(*index, strict=True) if index else [()] * len(self._titles)
            parts = [pandas.Index(column, tupleize_cols=False) for column in columns]
            index = pandas.MultiIndex.from_arrays(parts, names=self._titles)
        kind = pandas.Series if values.ndim == 1 else pandas.DataFrame
        return kind(values, index=index)

    def bearings(self) -> NDArray[np.float64]:
        """Direction of each street at its first end and at its last.

        Returns
        -------
        ndarray, shape (m, 2), dtype float64
            Degrees counterclockwise from the first axis, in -180..180, of the first and the last
            segment of the line from first end to last, repeated points skipped; NaN for a line that
            is a point.

        Raises
        ------
        ImportError
            If shapely is not installed; or pyproj, if a graph has a coordinate reference system.
        ValueError
            If streets have no coordinates, or coordinates in degrees.
        """
        points, starts, _, crs = lines = self.lines()
        if lines.geographic:
            raise InputError(
                f"streets have coordinates in degrees ({crs}), which give turns no angle: "
                "make them of osmnx.project_graph(G), or of frame.to_crs(frame.estimate_utm_crs())"
            )
        line = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        step = points[1:] - points[:-1]
        segment = np.flatnonzero((line[1:] == line[:-1]) & step.any(axis=1))
        x, y = step[segment].T
        degrees, owner = np.degrees(np.arctan2(y, x)), line[segment]
        bearings = np.full((len(starts) - 1, 2), np.nan)
        bearings[owner, 1] = degrees  # the last segment overwrites the others
        bearings[owner[::-1], 0] = degrees[::-1]
        return bearings

    def lines(self) -> Lines:
        """Lines of the streets from first end to last, and their names.

        Returns
        -------
        Lines
            ``points``, ``starts``, ``names`` and ``crs``, in the order of ``lengths``.

        Raises
        ------
        ImportError
            If shapely is not installed.
        ValueError
            If streets have no coordinates.
        """
        return self._lines()


def from_networkx(G: Any, weight: str | None = "length", *, zero: Zero = "raise") -> Streets:
    """Streets of a NetworkX graph, such as osmnx and momepy make.

    Parameters
    ----------
    G : networkx.MultiDiGraph, MultiGraph, DiGraph or Graph
        It is not modified.
    weight : str or None, default "length"
        Attribute of the edges that holds their lengths: ``"length"`` in osmnx, in meters, or its
        ``"travel_time"``, ``"mm_len"`` in momepy. None makes every street of length 1.
    zero : {"raise", "merge"}, default "raise"
        What to do with streets of length zero, over which shortest paths cannot be counted: refuse
        them, or make one junction of the nodes at their ends, whatever their direction.

    Returns
    -------
    Streets
        Nodes in the order of G; of parallel streets the shortest counts.

    Raises
    ------
    TypeError
        If G is not a NetworkX graph, or a length not a real number.
    ValueError
        If an edge lacks the attribute, a length is negative or not finite, or zero with
        ``zero="raise"``, or `zero` is unknown.

    See Also
    --------
    from_geodataframe : From lines.
    sparsebc.networkx.from_networkx : For NetworkX's own functions.

    Notes
    -----
    O(n + m log m) time, through NetworkX's lists of Python objects, and 60 bytes a street.

    Examples
    --------
    >>> import networkx as nx
    >>> from sparsebc import betweenness, streets
    >>> G = nx.MultiGraph()
    >>> _ = G.add_edge("a", "b", length=5.0), G.add_edge("a", "b", length=2.0)
    >>> _ = G.add_edge("b", "c", length=0.0), G.add_edge("c", "d", length=1.0)
    >>> city = streets.from_networkx(G, zero="merge")
    >>> city.matrix.toarray()
    array([[0., 2., 0.],
           [2., 0., 1.],
           [0., 1., 0.]])
    >>> betweenness(city.matrix, directed=city.directed, weighted=True)[city.junction]
    array([0., 1., 1., 0.])
    """
    for needed in ("is_directed", "is_multigraph", "edges", "nodes"):
        if not hasattr(G, needed):
            raise InputTypeError(f"G must be a graph of NetworkX, got {type(G).__name__}")
    nodes = tuple(G)
    number = dict(zip(nodes, range(len(nodes)), strict=True))
    if not isinstance(weight, Hashable):
        raise InputTypeError(f"weight must be the name of an attribute, got {weight!r:.60}")
    titles = ("u", "v", "key") if G.is_multigraph() else ("u", "v")
    labels = list(G.edges(keys=True)) if G.is_multigraph() else list(G.edges())
    lengths = np.ones(len(labels))
    if weight is not None:
        values = [attributes.get(weight) for *_, attributes in G.edges(data=True)]
        missing = [label for label, value in zip(labels, values, strict=True) if value is None]
        if missing:
            raise InputError(
                f"street {missing[0]} has no attribute {weight!r}: name the one "
                "with lengths, as in weight='mm_len', or use weight=None"
            )
        lengths = _numbers(values, f"attribute {weight!r}")

    ends = np.array([(number[u], number[v]) for u, v, *_ in labels], np.int64).reshape(-1, 2)
    known = labels, titles, partial(of_graph, G)
    return _streets(nodes, ends, lengths, *known, directed=G.is_directed(), zero=zero)


def from_geodataframe(frame: Any, weight: str | None = None, *, zero: Zero = "raise") -> Streets:
    """Streets of a GeoDataFrame's lines, which meet where their ends have equal coordinates.

    Parameters
    ----------
    frame : geopandas.GeoDataFrame
        A LineString in each row, as in momepy, used in both directions; for one-way streets, make a
        graph (``momepy.gdf_to_nx``) and use `from_networkx`. It is not modified.
    weight : str, optional
        Column of lengths; by default the lengths of the lines, in the units of their coordinates.
    zero : {"raise", "merge"}, default "raise"
        As in `from_networkx`.

    Returns
    -------
    Streets
        Nodes are the ends of lines (x, y) in order of appearance, as in momepy; z does not count.

    Raises
    ------
    TypeError
        If `frame` is not a GeoDataFrame, or a length not a real number.
    ValueError
        If a row has no LineString, coordinates without `weight` are in degrees, or there is no such
        column; and as in `from_networkx`.

    Warns
    -----
    sparsebc.io.ReadWarning
        If coordinates without `weight` are those of web maps (EPSG:3857).

    See Also
    --------
    from_networkx : From a graph of osmnx or momepy.

    Notes
    -----
    O(m log m) time and some 150 bytes a street.

    Examples
    --------
    >>> import geopandas, shapely  # doctest: +SKIP
    >>> from sparsebc import edge_betweenness, streets
    >>> lines = [shapely.LineString(ends) for ends in ([(0, 0), (3, 0)], [(3, 0), (3, 4)])]
    ... # doctest: +SKIP
    >>> frame = geopandas.GeoDataFrame(geometry=lines)  # doctest: +SKIP
    >>> city = streets.from_geodataframe(frame)  # doctest: +SKIP
    >>> scores = edge_betweenness(city.matrix, directed=False, weighted=True)  # doctest: +SKIP
    >>> frame["betweenness"] = city.on_edges(scores)  # doctest: +SKIP
    """
    if not hasattr(frame, "set_geometry") or not hasattr(frame, "columns"):
        raise InputTypeError(f"frame must be a geopandas.GeoDataFrame, got {type(frame).__name__}")
    if not hasattr(frame, "geometry"):
        raise InputError(
            "frame has no geometry: frame.set_geometry names its column of lines, which is one of "
            f"{list(frame.columns)}"
        )
    import shapely

    lines = np.asarray(frame.geometry.array)
    labels = frame.index
    bad = np.flatnonzero((shapely.get_type_id(lines) != 1) | shapely.is_empty(lines))
    if bad.size:
        line = lines[bad[0]]
        empty = "an empty " if line is not None and line.is_empty else ""
        kind = "nothing" if line is None else empty + line.geom_type
        raise InputError(
            f"row {labels[bad[0]]!r} of frame has {kind}; expected a LineString with points: "
            "frame.explode(index_parts=False) splits MultiLineStrings, "
            "frame[frame.geom_type == 'LineString'] keeps lines only, and "
            "frame[~frame.is_empty] drops empty ones"
        )
    if weight is None:
        remedy = "use frame.to_crs(frame.estimate_utm_crs()), or name a column in weight"
        if frame.crs is not None and frame.crs.is_geographic:
            raise InputError(
                f"frame has coordinates in degrees ({frame.crs.name}), which give lines no length: "
                f"{remedy}"
            )
        if frame.crs is not None and frame.crs.to_epsg() == WEB_MERCATOR:
            warnings.warn(
                f"frame has coordinates of web maps ({frame.crs.name}), in which lengths grow with "
                f"the latitude, to twice those of the streets at 60 degrees: {remedy}",
                ReadWarning,
                stacklevel=2,
            )
        lengths = shapely.length(lines)
    elif weight in frame.columns:
        lengths = _numbers(frame[weight], f"column {weight!r}")
    else:
        raise InputError(f"frame has no column {weight!r}; its columns are {list(frame.columns)}")
    points = np.stack(
        [shapely.get_coordinates(shapely.get_point(lines, end)) for end in (0, -1)], axis=1
    ).reshape(-1, 2)
    _, first, inverse = np.unique(points, axis=0, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    nodes = tuple(map(tuple, points[np.sort(first)].tolist()))
    ends = rank[inverse.reshape(-1, 2)]
    known = labels, (), partial(of_frame, lines, frame)
    return _streets(nodes, ends, lengths, *known, directed=False, zero=zero)


def _numbers(values: Any, title: str) -> NDArray[np.float64]:
    """Lengths as float64, one for each street."""
    try:
        array = np.asarray(values)
    except ValueError:  # lists of several sizes, as merged streets may have
        array = np.asarray(values, dtype=object)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iuf"):
        raise InputTypeError(
            f"{title} has dtype {array.dtype} and shape {array.shape}; expected a length, which is "
            "a real number, for each street"
            + ": osmnx.load_graphml converts the text in its files"
            * (array.dtype.kind == "U")
        )
    return array.astype(np.float64)


def _streets(
    nodes: tuple[Any, ...],
    ends: NDArray[np.int64],
    lengths: NDArray[np.float64],
    labels: Sequence[Any],
    titles: tuple[str, ...],
    lines: Callable[[], Lines],
    *,
    directed: bool,
    zero: Zero,
) -> Streets:
    """`Streets` from the end nodes, as indices of ``nodes``, and the length of each street."""
    check_choice("zero", zero, get_args(Zero))
    wrong = np.flatnonzero(~((lengths >= 0) & (lengths < np.inf)))
    if wrong.size:
        k = int(wrong[0])
        raise InputError(f"street {labels[k]}: length {lengths[k]}; expected a positive number")
    is_zero = lengths == 0
    if is_zero.any() and zero == "raise":
        raise InputError(
            f"street {labels[int(np.argmax(is_zero))]}: length 0, as of "
            f"{np.count_nonzero(is_zero)} of {len(lengths)} streets; expected a positive one: "
            "zero='merge' makes one junction of the nodes at its ends"
        )
    zero_streets = scipy.sparse.coo_array(
        (np.ones(np.count_nonzero(is_zero), dtype=bool), tuple(ends[is_zero].T)),
        shape=(len(nodes),) * 2,
    )
    n, component = scipy.sparse.csgraph.connected_components(zero_streets, directed=False)
    junction = component.astype(np.int64)
    ends = junction[ends]
    tails, heads = ends.T
    pairs = (tails, heads) if directed else (np.minimum(tails, heads), np.maximum(tails, heads))
    is_link = tails != heads
    arcs = (*(side[is_link] for side in pairs), lengths[is_link])
    row, column, data = arcs if directed else both_ways(*arcs)
    matrix = assemble(row, column, data, n, "arc {}".format, shortest=True)
    # Streets as short as their entry get equal parts of its score.
    chosen = entries_at(matrix, *pairs) == lengths
    keys = (pairs[0] * n + pairs[1])[chosen]
    _, entry, counts = np.unique(keys, return_inverse=True, return_counts=True)
    share = np.zeros(len(lengths))
    share[chosen] = 1 / counts[entry]
    share[is_zero] = np.nan
    return Streets(matrix, directed, nodes, junction, ends, lengths, share, labels, titles, lines)
