"""Sums over what reaches some components, and over what these reach, by `reach.cu`."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from ....graph.csr import Condensed
from ..runtime.copies import clear, download
from ..runtime.kernels import for_each
from .launch import by_entries, in_steps, kernel
from .layout import THREADS, WORD

WORDS = 8  # of bits of a component at once, at most


def sums_over_reach(parts: Condensed, tails: Any, values: Any, chosen: Any) -> Any:
    """`GraphOps.sums_over_reach`; ``tails`` of the arcs between components."""
    count, (_, heads), first = values.shape[1], parts.between, parts.first
    block = cupy.searchsorted(first, chosen, side="right") - 1
    before = cupy.searchsorted(chosen, first)  # of those that are chosen, before each block
    rank = cupy.arange(chosen.size) - before[block]
    most = int(cupy.diff(before).max())  # device to host
    words = max(1, min(WORDS, -(-most // WORD)))
    masks = cupy.empty((2, count, words), np.uint64)
    sums, found = cupy.zeros((2, chosen.size), np.int64), cupy.empty(1, np.int32)
    shape = np.int32(words), np.int64(count), masks

    def hand_on(step: int) -> None:
        given = np.int64(heads.size), tails, heads, np.int32(step), *shape, found
        for_each(kernel("hand_on"), heads.size * words, THREADS, *given)

    for base in range(0, most, WORD * words):
        clear(masks)
        clear(found)
        some = chosen, rank, np.int64(base), *shape
        by_entries("mark", chosen.size, *some)
        if heads.size:
            in_steps(hand_on, lambda: int(download(found)[0]))
        arguments = np.int64(chosen.size), *some, block, first, values, sums
        kernel("add_marked")((chosen.size,), (THREADS,), arguments)
    return sums
