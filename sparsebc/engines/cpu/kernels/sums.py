"""Sums over all sources so far, one array for each row of `contract.SUMS`; empty if not wanted."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Collection
from typing import Any

import numpy as np

from ...contract import SUMS

Sums: Any = namedtuple("Sums", list(SUMS))  # type: ignore[misc]


def wanted(names: Collection[str], n: int, arcs: int) -> Any:
    """The sums of these names from zero on, for so many nodes and arcs."""
    return Sums(*(np.zeros(_size(name, n, arcs) if name in names else 0) for name in SUMS))


def nbytes(names: Collection[str], n: int, arcs: int) -> int:
    """Memory of those."""
    return 8 * sum(_size(name, n, arcs) for name in names)


def _size(name: str, n: int, arcs: int) -> int:
    return arcs if SUMS[name].by_arc else n
