"""Launches `brandes_batch/groups.cu`: groups of nodes, many groups of sources in flight."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ....graph.graph import Graph
from ...batch import Batch, NodeSets
from ...pairwise_sum import Span
from ...sums import Sums
from ..runtime import clear, outside
from . import workspace
from .layout import COLUMNS, HUB_THREADS, STATE, THREADS
from .workspace import CUDAWorkspace

DEPENDENCY = frozenset({"dependency"})  # sums of rows, of whatever kind
# The template parameter of `meet`: what is wanted of the paths that meet a group.
PAIRS_OUTSIDE, ALL_PAIRS, COUNTS = "PAIRS_OUTSIDE", "ALL_PAIRS", "COUNTS"


class GroupWorkspace(CUDAWorkspace):
    """The same graph and state, and for each source and row the paths that meet a group."""

    def __init__(
        self,
        graph: Graph,
        omega: NDArray[np.float64],
        dtype: np.dtype[Any],
        memory: int,
        sums: frozenset[str],
        stop: NDArray[np.uint8],
        asked: NodeSets,
    ) -> None:
        self._asked, self._is_one = asked, asked.member.ndim == 1
        super().__init__(graph, omega, dtype, memory - fixed_bytes(asked), DEPENDENCY, stop)
        with self._stream:
            self._outside = outside(asked)
        self._stream.synchronize()

    def _backward_kernels(self, real: str, pointer: str) -> list[tuple[Any, ...]]:
        file = "brandes_batch/groups.cu"
        wanted = ALL_PAIRS if self._asked.endpoints else PAIRS_OUTSIDE
        return [
            (file, ("leave", "gain", "gain_hubs", "add_rows"), pointer),
            (file, ("meet", "meet_hubs"), pointer, COUNTS if self._is_one else wanted),
        ]

    def _starts(self, groups: Sequence[Batch]) -> list[NDArray[np.int32]]:
        """All at once: level 0 has a kernel of its own."""
        return []

    def _group_bytes(self) -> int:
        return super()._group_bytes() + group_bytes(self._graph, self._asked)

    def _group_arrays(self, groups: int) -> dict[str, Any]:
        reals = groups * self._graph.n * COLUMNS
        return {
            **super()._group_arrays(groups),
            "met": cupy.empty(reals),
            "pairs": cupy.empty(groups * self._asked.size * (not self._is_one)),
        }

    def _node(self, span: Span, first: int) -> Sums:
        """Sums of the groups of sources that are the leaves of a node."""
        if self._is_one:
            return super()._node(span, first)
        total = cupy.empty(self._asked.size)
        self._add_up(self._in_flight.arrays["pairs"], total, span, first)
        return {"dependency": total}

    def _backward(
        self, states: Sequence[NDArray[Any]], grids: tuple[int, int, int], depths: Sequence[int]
    ) -> None:
        """One group of nodes after the other, on the levels of the search."""
        (state,), (depth,), held = states, depths, self._in_flight.arrays
        groups = int(state.view(STATE.dtype)["groups"][0])
        starts = -(-groups * COLUMNS // THREADS)
        alpha, sources = self._arrays["alpha"], self._arrays["sources"]
        for k, omega in enumerate(self._outside):
            if self._stop[0]:
                return
            counted = alpha.view(np.float64)
            if not self._asked.endpoints:
                counted = counted * omega[sources.view(np.int32)]  # 0 where there is no source
            places = {"omega": omega, "alpha": counted}
            forth = _with(state, sigma=held["met"], h=held["sigma"], **places)
            self._clear("seen", "dependency")
            self._launch("leave", forth, starts)
            self._walk("meet", forth, grids, range(1, depth + 1))
            if self._is_one:
                back = _with(state, h=held["met"], **places)
                self._clear("seen")
                self._walk("gain", back, grids, range(depth, -1, -1))
            else:
                where = held["pairs"], k, self._asked.size
                self._launch("add_rows", forth, groups, *where, threads=HUB_THREADS)

    def _walk(
        self, name: str, state: NDArray[Any], grids: tuple[int, int, int], levels: Iterable[int]
    ) -> None:
        """Go through the lists of some levels."""
        rows, hubs, _ = grids
        self._hand_out_again()
        for depth in levels:
            if self._stop[0]:
                return
            if hubs:
                self._launch(f"{name}_hubs", state, hubs, depth, threads=HUB_THREADS)
            self._launch(name, state, rows, depth)

    def _clear(self, *names: str) -> None:
        for name in names:
            clear(self._in_flight.arrays[name])


def _with(state: NDArray[Any], **arrays: Any) -> NDArray[Any]:
    """The same with other arrays in the place of some."""
    changed = state.view(STATE.dtype).copy()
    for name, array in arrays.items():
        changed[name] = array.data.ptr
    return changed.view(state.dtype)


def least_bytes(graph: Graph, dtype: np.dtype[Any], sums: frozenset[str], asked: NodeSets) -> int:
    """One group of sources with room for every list it could need."""
    search = workspace.least_bytes(graph, dtype, DEPENDENCY)
    return search + fixed_bytes(asked) + group_bytes(graph, asked)


def fixed_bytes(asked: NodeSets) -> int:
    """The groups of nodes."""
    return 10 * asked.member.size


def group_bytes(graph: Graph, asked: NodeSets) -> int:
    """Of a group of sources, beside the state of its search."""
    return 8 * (graph.n * COLUMNS + asked.size)
