"""Launches `brandes_batch.cu`: the fused products, many batches of sources in flight.

A batch is 128 sources. All batches of a launch go through their levels in step, from one work list,
and nothing is read back but the end of the search.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ....matrix.graph import HIGH_DIAMETER, Graph
from ...common.base import Sweep
from ...common.sums import (
    Batch,
    Launch,
    PairwiseSum,
    Sums,
    Swept,
    add_sums,
    needs_g_and_h,
    sizes_of,
    spans,
)
from ..layout import BATCH, BATCH_LEVEL, BATCH_STATE, BY_NODE, Plan, flags_of, pointer_type
from ..runtime.allocation import InFlight, evenly
from ..runtime.copies import as_reals, clear, download, download_many, upload_arcs, upload_many
from ..runtime.kernels import compiled, for_each, multiprocessors

# Entries of the level lists that a row is given room for; more are needed where a batch's sources
# lie far apart on a high-diameter graph, and then the plan changes.
SPREAD = 12
# Bytes of such entries from which a search that bounds their number is worth its time.
LONG_LISTS, ENTRY_BYTES = 1 << 33, 4 + 4 * BATCH.WORDS
# Rows of more neighbours than this, per mask word, are shared by a block: at most `LONGEST_ROW`. Of
# fewer arcs a level is soon done, and then waits for its longest rows.
HUB, HUB_OF_FEW, FEW_ARCS = 192, 96, 1 << 19
# Slots and list entries are numbered in 32 bits.
MOST_SLOTS = 1 << 29
MOST_ENTRIES = (1 << 32) - 2 * MOST_SLOTS
# Levels launched between looks at whether the search has ended, at least and at most.
FIRST_LOOK, LOOK = 4, 16
# Arcs per node from which path counts are bit-sliced too.
SLICED_DEGREE = 32
SLICES = BATCH.COUNT_PARTS * (BATCH.PART_BITS + 1)  # words of 32 columns, and of their masks

FRONTIER = ("mark", "list")
FORWARD = ("start", "forward", "forward_hubs")
FORWARD_SLICED = ("forward_ones", "forward_sliced")  # where path counts are bit-sliced
BACKWARD = ("backward", "backward_hubs")  # compiled for the sums that are wanted
AT_SOURCE = {"arcs", "ends"}  # of level 0 as well
# Zero when a launch begins, with the sums.
CLEARED = ("seen", "spans", "full", "out_of_range", "marked", "starting")


class BatchWorkspace:
    """The graph on the device, and the state of as many batches as the memory holds."""

    def __init__(self, graph: Graph, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> None:
        self._graph, self._given, self._memory, self._stop = graph, sweep, memory, stop
        self._sums, self._limits = sweep.sums, graph.limits.tolist()
        pointer = pointer_type(graph.arcs)
        file, types = "brandes_batch/brandes_batch.cu", (sweep.dtype, pointer)
        self._kernels = compiled(
            (file, FRONTIER, pointer),
            (file, FORWARD, *types),
            *([(file, FORWARD_SLICED, *types)] if _is_sliced(graph) else []),
            (file, BACKWARD, *types, flags_of(sweep)),
            ("common/totals.cu", ("add_up",)),
        )
        self._blocks = 8 * multiprocessors()
        self._arrays = self._upload(pointer)
        self._set_spread(SPREAD)

    def _set_spread(self, spread: int) -> None:
        """Level lists with room for so many entries of each row."""
        n, hubs = self._graph.n, self._arrays["hubs"].size
        self._spread = spread
        most = max(1, min(MOST_SLOTS, MOST_ENTRIES // spread) // max(n, 1))
        self._at_once = plan(self._graph, self._given, spread).slots(self._memory, most)
        sizes = partial(state, self._graph, self._given, spread, hubs)
        self._in_flight = InFlight(sizes, f"one batch of {BATCH.COLUMNS} sources", n)

    def __call__(self, launch: Launch, limit: float) -> Swept:
        """Sweep the blocks, which are batches, as many at once as fit."""
        tree: PairwiseSum[Sums | None] = PairwiseSum(add_sums)
        batches = [batch for block in launch.blocks for batch in block]
        out_of_range: list[int] = []
        done = 0
        while done < len(batches) and not self._stop[0]:
            size = self._in_flight.reserve(evenly(len(batches) - done, self._at_once))
            some = batches[done : done + size]
            if not self._run(some, limit):  # its lists were too short: the next has longer
                if self._spread < BATCH.COLUMNS:
                    self._set_spread(min(2 * self._spread, BATCH.COLUMNS))
                    continue
                # One batch alone needs more than `MOST_ENTRIES`: left to a kernel without lists.
                self._in_flight.arrays["out_of_range"].fill(1)
            first = launch.first + done
            for span in spans(first, first + size):
                tree.take(span, self._node(span, first))
            flags = download(self._in_flight.arrays["out_of_range"]).view(np.uint32)
            out_of_range += (done + np.flatnonzero(flags[:size])).tolist()
            done += size
        nodes = tree.nodes
        if self._graph.ops.xp is not cupy:  # the graph is small, and on the host
            every = [each for _, sums in nodes for each in (sums or {}).values()]
            there = iter(download_many(every))
            nodes = [(span, {name: next(there) for name in sums or {}}) for span, sums in nodes]
        return nodes, out_of_range

    def _node(self, span: range, first: int) -> Sums:
        """Sums of the batches in flight that are the leaves of a node."""
        sums, left_out = {}, self._in_flight.arrays["out_of_range"]
        for name, size in sizes_of(self._sums, self._graph).items():
            parts = "shares" if name == "arcs" else name
            sums[name] = cupy.empty(size)
            columns = map(self._columns, (self._in_flight.arrays[parts], sums[name]))
            for part, total in zip(*columns, strict=True):
                leaves = np.uint32(span.start - first), np.uint32(len(span))
                numbers = part, np.uint64(total.size), *leaves, left_out, total
                for_each(self._kernels["add_up"], total.size, BATCH.THREADS, *numbers)
        return sums

    def _columns(self, values: Any) -> Any:
        """A run of an array for each limit."""
        return values.reshape(len(self._limits), -1)

    def _upload(self, pointer: np.dtype[Any]) -> dict[str, Any]:
        """Arrays that outlive a launch: the graph, which is made where it lives, and levels.

        A degree is twice that of the arcs out, plus one for a hub: a row of too many neighbours one
        way for a warp.
        """
        graph = self._graph
        xp, levels = graph.ops.xp, 2 * graph.n + 2 + LOOK
        leaving, entering = graph.outgoing.degrees, graph.incoming.degrees
        most = BATCH.WORDS * (HUB_OF_FEW if graph.arcs < FEW_ARCS else HUB)
        is_hub = xp.maximum(leaving, entering) > most
        there = upload_arcs(
            graph,
            pointer,
            degree=(2 * leaving + is_hub).astype(np.uint32),
            hubs=xp.flatnonzero(is_hub).astype(np.int32),
            omega=as_reals(self._given.omega, self._given.dtype),
        )
        return there | {"levels": cupy.empty((levels, BATCH_LEVEL.dtype.itemsize), np.uint8)}

    def _run(self, batches: Sequence[Batch], limit: float) -> bool:
        """Sweep the batches of a launch; False if its lists were too short."""
        # Blocks for rows and for hubs: what the device runs at once, or less; and for spans.
        slots, hubs = len(batches) * self._graph.n, len(batches) * self._arrays["hubs"].size
        rows = min(self._blocks, -(-slots * BATCH.COLUMNS // (4 * BATCH.THREADS)))
        grids = rows, min(self._blocks // 4, hubs), -(-slots // BATCH.SPAN)
        states = self._states(batches, limit)
        self._launch("start", states[0], -(-len(batches) * BATCH.COLUMNS // BATCH.THREADS))
        last_start = int(states[0].view(BATCH_STATE.dtype)["last_start"][0])
        depth = self._forward(states[0], grids, last_start)
        if depth is None:
            return False
        depths = [min(depth, last_start + most) for most in self._limits]
        self._backward(states, grids, depths)
        return True

    def _states(self, batches: Sequence[Batch], limit: float) -> list[NDArray[Any]]:
        """Arguments of the kernels with the sums of each limit: level 0 unset, all else clear."""
        graph = self._graph
        taken = np.arange(BATCH.COLUMNS) < np.array([[batch.sources.size] for batch in batches])
        alpha = np.zeros(taken.shape, dtype=self._given.dtype)
        alpha[taken] = np.concatenate([batch.alpha for batch in batches])
        sources = np.full(taken.shape, -1, dtype=np.int32)
        sources[taken] = np.concatenate([batch.sources for batch in batches])
        # All start at once where level 0 is the sources, which are left out or looked at.
        given = [batch.starts for batch in batches if batch.starts is not None]
        given = [] if "ends" in self._sums else given
        starts = np.zeros(taken.shape if given else 0, dtype=np.int32)
        if given:
            starts[taken] = np.concatenate(given)
        live = np.packbits(taken, axis=1, bitorder="little")
        self._arrays |= upload_many(alpha=alpha, sources=sources, starts=starts, live=live)
        arrays, hubs = self._in_flight.arrays, self._arrays["hubs"].size
        sums = [name for name in (*BY_NODE, "shares") if name in arrays]
        for array in (self._arrays["levels"], *(arrays[name] for name in (*CLEARED, *sums))):
            clear(array)
        if _is_sliced(graph):
            until = arrays["sliced_until"]
            until.data.memset_async(255, until.nbytes)  # all levels have slices
        values = {
            **dict.fromkeys((*BY_NODE, "shares")),  # null unless they are wanted
            **self._arrays,
            **arrays,
            "limit": limit,
            "arcs": graph.arcs * len(batches),
            "graph_arcs": graph.arcs,
            "room": room(graph.n, self._spread, hubs, self._in_flight.capacity),
            "n": graph.n,
            "batches": len(batches),
            "hub_count": hubs,
            "last_start": starts.max(initial=0),
            "sliced": _is_sliced(graph),
        }
        rows = zip(*(self._columns(arrays[name]) for name in sums), strict=True)
        return [BATCH_STATE.pack({**values, **dict(zip(sums, row, strict=True))}) for row in rows]

    def _forward(
        self, state: NDArray[Any], grids: tuple[int, int, int], last_start: int
    ) -> int | None:
        """Search to the last level within all limits; returns its depth, None if a list is full."""
        rows, hubs, spans = grids
        depth, most = 0, int(last_start + self._limits[-1])
        while depth < most:
            last = min(depth + min(max(depth, FIRST_LOOK), LOOK), most)
            for d in range(depth + 1, last + 1):
                if self._stop[0]:
                    return 0
                self._launch("mark", state, rows, d)
                self._launch("list", state, spans, d)
                if hubs:
                    self._launch("forward_hubs", state, hubs, d, threads=BATCH.HUB_THREADS)
                names, (ones, sliced) = ["forward"], FORWARD_SLICED
                if _is_sliced(self._graph):  # both gather the rows between them
                    # Up to level `LAST_ONES` + 1 all counts are ones, unless a search starts later.
                    is_first = d - 1 <= BATCH.LAST_ONES and last_start == 0
                    names = [ones] if is_first else [sliced, "forward"]
                for name in names:
                    self._launch(name, state, rows, d)
            levels = self._arrays["levels"][depth + 1 : last + 1]
            found, full = download_many([levels, self._in_flight.arrays["full"]])  # device to host
            if full.any():
                return None
            reached = int(found.view(BATCH_LEVEL.dtype)["count"].any(axis=-1).sum())
            if reached < last - depth:
                return depth + reached
            depth = last
        return most

    def _backward(
        self, states: Sequence[NDArray[Any]], grids: tuple[int, int, int], depths: Sequence[int]
    ) -> None:
        """Accumulate from the last level of each limit to the first, the largest limit first.

        g takes the place of the path counts, or of a copy of them.
        """
        rows, hubs, _ = grids
        arrays, several = self._in_flight.arrays, len(states) > 1
        for column in reversed(range(len(states))):
            if several and column == len(states) - 1:
                cupy.copyto(arrays["counts"], arrays["sigma"])
            elif several:
                cupy.copyto(arrays["sigma"], arrays["counts"])
                taken = BATCH_LEVEL.dtype["taken"].itemsize  # the last field
                self._arrays["levels"][:, -taken:] = 0
            clear(arrays["seen"])
            for d in range(depths[column], -1 if self._sums & AT_SOURCE else 0, -1):
                if self._stop[0]:
                    return
                if hubs:
                    self._launch(
                        "backward_hubs", states[column], hubs, d, threads=BATCH.HUB_THREADS
                    )
                self._launch("backward", states[column], rows, d)

    def _launch(
        self, name: str, state: NDArray[Any], blocks: int, *rest: Any, threads: int = BATCH.THREADS
    ) -> None:
        arguments = [np.int32(a) if isinstance(a, int) else a for a in rest]
        self._kernels[name]((blocks,), (threads,), (state, *arguments))


def _is_sliced(graph: Graph) -> bool:
    """Whether rows are long enough for bit-sliced counts, which are added up by the word."""
    return graph.arcs >= SLICED_DEGREE * graph.n


def plan(graph: Graph, sweep: Sweep, spread: int | None = None) -> Plan:
    """Rows, levels and sums; a batch, by default with room for every list it could need.

    A row can be on as many lists as sources, or as levels that its component has. A search from the
    busiest node that ends within `HIGH_DIAMETER` levels bounds all distances in its component, to
    which nearly all rows of a low-diameter graph belong.
    """
    level, columns = BATCH_LEVEL.dtype.itemsize, graph.limits.size
    row = 4 + 4 + sweep.dtype.itemsize + 8 * len(sweep.sums) * columns + 8 + 2 * level
    arcs = 8 * graph.arcs * columns * ("arcs" in sweep.sums)
    fixed = graph.n * row + arcs + level * (2 + LOOK) + (1 << 16)
    if spread is None:
        is_long = graph.n * BATCH.COLUMNS * ENTRY_BYTES >= LONG_LISTS
        is_bounded = is_long and graph.symmetric and not graph.traits.high_diameter
        spread = 2 * HIGH_DIAMETER + 1 if is_bounded else BATCH.COLUMNS
    return Plan(fixed, state(graph, sweep, spread, 0, 1))


def state(graph: Graph, sweep: Sweep, spread: int, hubs: int, batches: int) -> dict[str, int]:
    """Bytes of the arrays of so many batches, with lists for so many entries of each row."""
    slots, columns, sums = batches * graph.n, graph.limits.size, sweep.sums
    entries = sum(room(graph.n, spread, hubs, batches))
    reals = slots * BATCH.COLUMNS * sweep.dtype.itemsize
    by_arc = {"shares": 8 * batches * graph.arcs * columns} if "arcs" in sums else {}
    return {
        "sigma": reals,
        "counts": reals * (columns > 1),
        "h": reals * needs_g_and_h(sums),
        "slices": 4 * slots * BATCH.WORDS * SLICES * _is_sliced(graph),
        "sliced_until": 4 * batches,
        "slots": 4 * entries,
        "masks": 4 * entries * BATCH.WORDS,
        "seen": 2 * 4 * slots * BATCH.WORDS,
        "spans": 2 * 4 * -(-slots // BATCH.SPAN),
        "full": 8,
        "out_of_range": 4 * batches,
        "marked": 4 * (slots // 32 + 1),
        "starting": 4 * (slots // 32 + 1),
        **{name: 8 * slots * columns for name in BY_NODE if name in sums},
        **by_arc,
    }


def room(n: int, spread: int, hubs: int, batches: int) -> tuple[int, int]:
    """Entries of the level lists of so many batches: rows, and hubs."""
    rows = min(spread * batches * (n - hubs), MOST_ENTRIES)
    return rows, min(spread * batches * hubs, MOST_SLOTS)
