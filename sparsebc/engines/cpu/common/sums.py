"""Sums over the sources swept so far: an array for each row of `SUMS`, empty if not wanted."""

from collections import namedtuple
from collections.abc import Collection
from typing import Any

import numpy as np

from ....jit import subroutine
from ....matrix.graph import Graph
from ...common.sums import SUMS

Sums: Any = namedtuple("Sums", list(SUMS))  # type: ignore[misc]


def wanted(names: Collection[str], graph: Graph) -> Any:
    """The sums of these names from zero on, on a graph: a column for each limit."""
    return Sums(*(np.zeros(row.size(graph) if name in names else 0) for name, row in SUMS.items()))


def nbytes(names: Collection[str], graph: Graph) -> int:
    """Memory of those."""
    return 8 * sum(SUMS[name].size(graph) for name in names)


@subroutine
def first_within(limits, distance):
    """The first column whose cutoff is at least ``distance``, which must be within the last."""
    column = 0
    while limits[column] < distance:
        column += 1
    return column
