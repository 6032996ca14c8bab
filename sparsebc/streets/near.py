"""Nodes within a distance of each source, as the rows of a sparse pattern."""

# mypy: disable-error-code="no-untyped-def"

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engines.cpu.common.simd import lowest
from ..engines.cpu.sssp.sssp import search, sssp
from ..engines.cpu.sssp.sssp_high_diameter import BITS, MARK, WORD
from ..jit import kernel, stopped
from ..matrix.csr import CSR
from ..process import Threads

BLOCKS = 4  # parts of the sources, per thread
ROOM = 1 << 20  # least size of the buffer of nodes found


def near(
    matrix: Any,
    sources: NDArray[np.int64],
    limit: float,
    is_target: NDArray[np.bool_],
    label: NDArray[np.int64],
    workers: int,
) -> CSR:
    """Targets within ``limit`` of each source, ascending, without those of the source's label.

    The matrix holds lengths, at least one; ``sources`` are sorted.
    """
    n, stop = matrix.shape[0], np.zeros(1, dtype=np.uint8)
    arrays = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data
    find = partial(_block, arrays, limit, is_target, label, stop)
    blocks = np.array_split(sources, max(1, min(BLOCKS * workers, sources.size)))
    with Threads(workers) as threads:
        try:
            found = list(threads.map(find, blocks))
        except BaseException:
            stop[0] = 1
            raise
    degrees = np.zeros(n + 1, dtype=np.int64)
    degrees[sources + 1] = np.concatenate([sizes for sizes, _ in found])
    return CSR(np.cumsum(degrees), np.concatenate([part for _, parts in found for part in parts]))


def _block(
    arrays: tuple[Any, ...],
    limit: float,
    is_target: NDArray[np.bool_],
    label: NDArray[np.int64],
    stop: NDArray[np.uint8],
    sources: NDArray[np.int64],
) -> tuple[NDArray[np.int64], list[NDArray[np.int32]]]:
    """Number of targets of each source, and the targets, in parts."""
    indptr, indices, lengths = arrays
    state = search(indptr, indices, lengths, stop, limit)
    sizes = np.zeros(sources.size, dtype=np.int64)
    room = np.empty(max(ROOM, is_target.size), dtype=np.int32)
    marks = np.zeros(is_target.size // WORD + 1, dtype=np.uint64)
    done, parts = 0, []
    while done < sources.size and not stop[0]:
        count, used = collect(state, sources[done:], is_target, label, sizes[done:], room, marks)
        done += count
        parts.append(room[:used].copy())
    return sizes, parts


@kernel
def collect(state, sources, is_target, label, sizes, room, marks):
    """Fill ``room`` with the targets of one source after another until it is full.

    Returns the numbers of sources and of entries. Targets are marked in a bit set and read from it
    in ascending order.
    """
    used = 0
    for j in range(sources.size):
        source, begin = sources[j], used
        count, _, _ = sssp(state, sources[j : j + 1], None)
        is_full = used + count > room.size or stopped(state.stop)
        for v in state.order[:count]:
            state.distance[v] = np.inf
            is_found = not is_full and is_target[v] and label[v] != label[source]
            marks[v >> BITS] |= np.uint64(is_found) << np.uint64(v & (WORD - 1))
        if is_full:
            return j, used
        for word in range(marks.size):
            while marks[word]:
                room[used] = word * WORD + lowest(marks[word])
                marks[word] &= marks[word] - MARK
                used += 1
        sizes[j] = used - begin
    return sources.size, used
