"""Sums of `engines/sums.py` as a kernel has them: template flags, and arrays of results."""

from __future__ import annotations

from typing import Any

from ....graph.graph import Graph
from ...sums import SUMS
from .layout import FLAGS


def flags_of(sums: frozenset[str]) -> str:
    """Template parameter of a backward phase: the flags of its sums."""
    return str(sum(flag for name, flag in FLAGS.items() if name in sums))


def add_results(workspace: Any, graph: Graph, sums: frozenset[str]) -> None:
    """Add an attribute of zeros to a workspace for each sum, shaped as in `engines.sums`."""
    for name in sums:
        size = graph.limits.size * (graph.arcs if SUMS[name].by_arc else graph.n)
        setattr(workspace, name, graph.ops.xp.zeros(size))
