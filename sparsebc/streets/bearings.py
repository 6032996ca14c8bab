"""Directions of the end segments of lines, in degrees counterclockwise from east."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .lines import Lines


def of_lines(lines: Lines) -> NDArray[np.float64]:
    """Directions of the first and the last segment of each of m lines, along it, shape (m, 2).

    Points that repeat their neighbor do not count; of a line that is a point both are NaN.
    """
    if lines.geographic:
        raise InputError(
            f"streets have coordinates in degrees ({lines.crs}), which turns have no angle in: "
            "make them of osmnx.project_graph(G), or of frame.to_crs(frame.estimate_utm_crs())"
        )
    m = len(lines.starts) - 1
    line = np.repeat(np.arange(m), np.diff(lines.starts))
    step = lines.points[1:] - lines.points[:-1]
    segment = np.flatnonzero((line[1:] == line[:-1]) & step.any(axis=1))
    x, y = step[segment].T
    degrees, of = np.degrees(np.arctan2(y, x)), line[segment]
    found = np.full((m, 2), np.nan)
    found[of, 1] = degrees  # of several segments the last is kept
    found[of[::-1], 0] = degrees[::-1]
    return found
