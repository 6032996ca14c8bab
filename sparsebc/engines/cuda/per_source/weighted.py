"""GPU engine on a weighted graph: paths counted by `per_source/weighted.cu`, a block a source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ....brandes import count_limit
from ....graph.edge_weights import Lengths, TooFar, TooShort
from ....graph.graph import Graph
from ...contract import Group, needs_g_and_h
from ..runtime import FLAGS, c_type, clear, fetch, flags_of, kernels
from .workspace import WAYS, Lanes, Search, reach_bytes, way_bytes

# Sources of a group: each is a search of its own.
WIDTH = 64
NO_FAULT = np.uint64(2**64 - 1)

BY_NODE = ("dependency", "squares", "stress")  # sums of a lane
POINTERS = (
    *("in_indptr", "in_arcs", "omega", "alpha", "suffixes", *BY_NODE, "arcs"),
    *("order", "starts", "ends", "max_sigma", "fault", "too_far"),
)
STATE = np.dtype(
    [
        *WAYS,
        *((name, np.uint64) for name in POINTERS),
        *((name, np.float64) for name in ("limit", "rtol", "farthest", "clear")),
        *(("arc_count", np.int64), ("counts_ends", np.int32), ("__", np.int32)),
    ]
)


def workspace_bytes(
    graph: Graph, lengths: Lengths, dtype: np.dtype[Any], sums: frozenset[str]
) -> int:
    """One lane."""
    search = Search.of(lengths, graph.n)
    return fixed_bytes(graph, search, dtype, sums) + lane_bytes(graph, search, dtype, sums)


def fixed_bytes(graph: Graph, search: Search, dtype: np.dtype[Any], sums: frozenset[str]) -> int:
    """Device memory that does not depend on the lanes."""
    each = 2 * dtype.itemsize + 8 * len(sums - {"arcs"})
    ways = way_bytes(graph, search, both=True)
    return ways + graph.n * each + _arc_bytes(graph, sums) + (1 << 16)


def lane_bytes(graph: Graph, search: Search, dtype: np.dtype[Any], sums: frozenset[str]) -> int:
    """State of one lane."""
    suffix = dtype.itemsize if needs_g_and_h(sums) else 0
    each = suffix + 8 * len(sums & {*BY_NODE}) + 2 * 4
    reach = reach_bytes(graph, search, _node_bytes(search, dtype))
    return reach + graph.n * each + 2 * 4 + _arc_bytes(graph, sums)


class WeightedWorkspace(Lanes):
    """Sums of paths over the sources of a block."""

    _state_type = STATE

    def __init__(
        self,
        graph: Graph,
        lengths: Lengths,
        omega: NDArray[np.float64],
        dtype: np.dtype[Any],
        memory: int,
        sums: frozenset[str],
        stop: NDArray[np.uint8],
    ) -> None:
        search = Search.of(lengths, graph.n)
        super().__init__(
            graph,
            lengths,
            search,
            memory=memory - fixed_bytes(graph, search, dtype, sums),
            node_bytes=_node_bytes(search, dtype),
            lane_bytes=lane_bytes(graph, search, dtype, sums),
            stop=stop,
        )
        self.dependency, self.squares, self.stress, self.ends = (
            np.zeros(graph.n if name in sums else 0) for name in (*BY_NODE, "ends")
        )
        self.arcs = graph.ops.xp.zeros(graph.arcs if "arcs" in sums else 0)
        self._dtype, self._sums = dtype, sums
        types = c_type(dtype), *self._types, flags_of(sums)
        self._kernel = kernels("per_source/weighted.cu", ("sweep",), *types)["sweep"]
        self._constants |= {
            "limit": count_limit(dtype),
            "rtol": lengths.rtol,
            "farthest": np.inf if search.small else lengths.limit,
            "clear": np.inf if search.small else min(lengths.clear, lengths.limit),
            "arc_count": graph.arcs,
            "counts_ends": "ends" in sums,
        }
        with self._stream:
            outgoing = self._arrays["out_indptr"], self._arrays["out_arcs"]
            incoming = (
                outgoing if graph.symmetric else self._upload(graph.incoming, lengths.incoming)
            )
            self._arrays |= {
                **dict(zip(("in_indptr", "in_arcs"), incoming, strict=True)),
                "omega": cupy.asarray(omega.astype(dtype)),
                "ends": cupy.zeros(self.ends.size, np.uint64),
                "max_sigma": cupy.zeros(1, np.uint64),
                "fault": cupy.full(1, NO_FAULT),
                "too_far": cupy.zeros(1, np.uint64),
            }
            self._totals = {
                name: cupy.zeros(getattr(self, name).size) for name in FLAGS if name in sums
            }
        self._stream.synchronize()

    def run(self, groups: Sequence[Group]) -> None:
        """Sweep the sources, one after the other in each lane."""
        alpha = np.concatenate([group.alpha for group in groups])
        with self._device, self._stream:
            self._arrays["alpha"] = cupy.asarray(alpha.astype(self._dtype))
            for name in ("ends", "max_sigma"):
                clear(self._arrays[name])
            self._search_all(np.concatenate([group.sources for group in groups]))
            for name, total in {**self._totals, "ends": self._arrays["ends"]}.items():
                values = getattr(self, name)  # device to host, but for arcs that live there
                values += fetch(total) if isinstance(values, np.ndarray) else total

    def max_sigma(self) -> float:
        """Largest path count met by the last run."""
        with self._device, self._stream:
            return float(self._arrays["max_sigma"].view(np.float64).get()[0])

    def _check(self) -> None:
        fault = int(fetch(self._arrays["fault"])[0])  # device to host
        if self._arrays["too_far"].get()[0]:  # device to host
            raise TooFar
        if fault != NO_FAULT:
            raise TooShort(fault >> 32, fault & 0xFFFFFFFF)

    def _lane_arrays(self, lanes: int) -> dict[str, Any]:
        n, sums = self._graph.n, self._sums
        return super()._lane_arrays(lanes) | {
            "suffixes": cupy.empty(lanes * n if needs_g_and_h(sums) else 0, self._dtype),
            **{name: cupy.empty(lanes * getattr(self, name).size) for name in (*BY_NODE, "arcs")},
            "order": cupy.empty(lanes * n, np.int32),
            "starts": cupy.empty(lanes * (n + 2), np.int32),
        }


def _arc_bytes(graph: Graph, sums: frozenset[str]) -> int:
    """A sum over each arc."""
    return 8 * graph.arcs if "arcs" in sums else 0


def _node_bytes(search: Search, dtype: np.dtype[Any]) -> int:
    """A distance and a path count."""
    return 8 if search.length_bytes + dtype.itemsize == 8 else 16
