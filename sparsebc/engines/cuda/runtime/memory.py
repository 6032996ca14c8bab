"""State of what is in flight on a device: as much as fits, and half of it when memory runs out."""

from __future__ import annotations

import logging
import weakref
from collections.abc import Callable, Mapping
from typing import Any

import cupy

logger = logging.getLogger("sparsebc")


def evenly(left: int, most: int) -> int:
    """Size of the next launch: the fewest launches of at most so many, none much smaller."""
    return -(-left // -(-left // most))


class InFlight:
    """Arrays for as many slots as are asked for, or as the device has memory for.

    A slot is what runs beside others: a batch of sources, or a single one. ``allocate(slots)``, a
    method of the owner, returns the arrays by name; ``what`` says what one slot has, on so many
    nodes.
    """

    def __init__(self, allocate: Callable[[int], Mapping[str, Any]], what: str, nodes: int) -> None:
        self.arrays: Mapping[str, Any] = {}
        self.capacity = 0  # slots that the arrays are for
        # Weakly: owner and arrays in a cycle would hold device memory until it is collected.
        self._allocate = weakref.WeakMethod(allocate)
        self._what, self._nodes = what, nodes
        self._most: int | None = None  # once the device was short

    def reserve(self, slots: int) -> int:
        """Arrays for so many slots, or fewer when memory runs out; returns how many."""
        slots = min(slots, self._most or slots)
        allocate = self._allocate()
        assert allocate is not None, "whoever reserves is there"
        while self.capacity < slots:
            self.release()
            short = self._lacks(allocate, slots)
            if short:  # what is free may lie in pieces
                cupy.get_default_memory_pool().free_all_blocks()
                short = self._lacks(allocate, slots)
            if not short:
                break
            if slots == 1:
                raise MemoryError(
                    f"the device has not the memory for {self._what} on {self._nodes} nodes: "
                    f"{short}"
                )
            slots = self._most = slots // 2
            logger.warning("out of device memory: %d at once, each %s", slots, self._what)
        return slots

    def _lacks(self, allocate: Callable[[int], Mapping[str, Any]], slots: int) -> str:
        """Take arrays for so many slots; what the device says if it has not the memory."""
        try:
            self.arrays, self.capacity = allocate(slots), slots
        except cupy.cuda.memory.OutOfMemoryError as error:
            return str(error)  # the error itself keeps alive what was allocated
        return ""

    def release(self) -> None:
        """Give back the memory of all slots."""
        self.arrays = {}
        self.capacity = 0
