"""Directions of the end segments of lines, in degrees counterclockwise from east."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError


def of_points(points: NDArray[np.float64], line: NDArray[np.int64], m: int) -> NDArray[np.float64]:
    """Directions of the first and the last segment of each of m lines, along it, shape (m, 2).

    ``points`` (p, 2) are those of the lines one after the other, ``line`` (p,) tells whose each is.
    Points that repeat their neighbor do not count; of a line that is a point both are NaN.
    """
    step = points[1:] - points[:-1]
    segment = np.flatnonzero((line[1:] == line[:-1]) & step.any(axis=1))
    x, y = step[segment].T
    degrees, of = np.degrees(np.arctan2(y, x)), line[segment]
    found = np.full((m, 2), np.nan)
    found[of, 1] = degrees  # of several segments the last is kept
    found[of[::-1], 0] = degrees[::-1]
    return found


def of_frame(lines: NDArray[Any], crs: Any) -> NDArray[np.float64]:
    """Directions at both ends of the lines of a GeoDataFrame, shape (m, 2)."""
    import shapely

    if crs is not None and crs.is_geographic:
        raise _degrees("frame", crs.name, "frame.to_crs(frame.estimate_utm_crs())")
    points, line = shapely.get_coordinates(lines, return_index=True)
    return of_points(points, line, len(lines))


def of_graph(G: Any) -> NDArray[np.float64]:
    """Directions at both ends of each edge of a graph of NetworkX, from u to v, shape (m, 2).

    An edge follows its attribute ``geometry``, drawn either way, or the straight line between the
    attributes ``x`` and ``y`` of its nodes.
    """
    if (crs := G.graph.get("crs")) is not None:
        import pyproj

        if pyproj.CRS.from_user_input(crs).is_geographic:
            raise _degrees("G", crs, "osmnx.project_graph(G)")
    places = {node: (at.get("x"), at.get("y")) for node, at in G.nodes(data=True)}
    lines = []
    for u, v, attributes in G.edges(data=True):
        ends, line = (places[u], places[v]), attributes.get("geometry")
        known = None not in (*ends[0], *ends[1])
        if line is None and not known:
            raise InputError(
                f"street ({u!r}, {v!r}) has no attribute 'geometry', and its nodes no 'x' and 'y': "
                "turns need either"
            )
        points = np.array(ends if line is None else line.coords, dtype=np.float64)[:, :2]
        if known and math.dist(points[0], ends[1]) < math.dist(points[0], ends[0]):
            points = points[::-1]
        lines.append(points)
    line = np.repeat(np.arange(len(lines)), [len(points) for points in lines])
    return of_points(np.concatenate([np.zeros((0, 2)), *lines]), line, len(lines))


def _degrees(title: str, crs: Any, way_out: str) -> InputError:
    return InputError(
        f"{title} has coordinates in degrees ({crs}), which turns have no angle in: make the "
        f"streets of {way_out}"
    )
