"""Lines of streets: their points, directions and names."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError


class Lines(NamedTuple):
    """Lines of streets, and their names.

    Attributes
    ----------
    points : ndarray, shape (p, 2), dtype float64
        Coordinates (x, y) of all lines, concatenated, each line from its first end to its last.
    starts : ndarray, shape (m + 1,), dtype int64
        Index of each line's first point, and p.
    names : tuple of str, length m
        Names of the streets, empty for those without a name.
    crs : object
        Coordinate reference system of the graph or the GeoDataFrame; None if it has none.
    """

    points: NDArray[np.float64]
    starts: NDArray[np.int64]
    names: tuple[str, ...]
    crs: Any

    @property
    def geographic(self) -> bool:
        """Whether coordinates are longitudes and latitudes in degrees."""
        if self.crs is None or hasattr(self.crs, "is_geographic"):
            return self.crs is not None and bool(self.crs.is_geographic)
        import pyproj

        return bool(pyproj.CRS.from_user_input(self.crs).is_geographic)


def of_frame(lines: NDArray[Any], frame: Any) -> Lines:
    """Lines of a GeoDataFrame, with the names in its column ``name``."""
    import shapely

    names = frame["name"] if "name" in frame.columns else [""] * len(lines)
    starts = np.append(0, np.cumsum(shapely.get_num_coordinates(lines)))
    return Lines(shapely.get_coordinates(lines), starts, tuple(map(_text, names)), frame.crs)


def of_graph(G: Any) -> Lines:
    """Lines of the edges of a NetworkX graph, with the names in their attribute ``name``.

    A line is the edge's attribute ``geometry``, in either direction, or straight between the
    attributes ``x`` and ``y`` of its nodes.
    """
    coordinates = {node: (data.get("x"), data.get("y")) for node, data in G.nodes(data=True)}
    lines, names = [np.zeros((0, 2))], []
    for u, v, attributes in G.edges(data=True):
        street, line = f"street ({u!r}, {v!r})", attributes.get("geometry")
        places = coordinates[u], coordinates[v]
        known = None not in (*places[0], *places[1])
        is_missing = line is None or isinstance(line, float)  # NaN of a table
        if is_missing and not known:
            raise InputError(
                f"{street} has no attribute 'geometry', and its nodes have no 'x' and 'y': turns "
                "and maps need either"
            )
        try:
            ends = np.array(places if known else [], dtype=np.float64)
            points = ends if is_missing else np.array(line.coords, dtype=np.float64)[:, :2]
            first = points[0]
        except (AttributeError, IndexError, NotImplementedError, TypeError, ValueError) as error:
            raise InputError(
                f"{street} has the 'geometry' {line!r} between {places}; expected a LineString "
                "with points, and numbers: osmnx.load_graphml converts the text in its files"
            ) from error
        if known and math.dist(first, ends[1]) < math.dist(first, ends[0]):
            points = points[::-1]
        lines.append(points)
        names.append(_text(attributes.get("name")))
    starts = np.cumsum([len(points) for points in lines])
    return Lines(np.concatenate(lines), starts, tuple(names), G.graph.get("crs"))


def _text(name: Any) -> str:
    """Name of a street, or the joined names of a merged one; empty for None or NaN."""
    names: Sequence[Any] = name if isinstance(name, (list, tuple)) else [name]
    return ", ".join(part for part in names if isinstance(part, str))
