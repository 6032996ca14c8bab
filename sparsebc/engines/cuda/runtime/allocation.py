"""Arrays of what is in flight on a device: as many slots as fit, and half when memory runs out."""

import logging
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

logger = logging.getLogger("sparsebc")


def evenly(left: int, most: int) -> int:
    """Size of the next launch: the fewest launches of at most so many, none much smaller."""
    return -(-left // -(-left // most))


class InFlight:
    """Arrays for as many slots as are asked for, or as the device has memory for.

    ``sizes(slots)`` has the bytes of each by name, and refers to no owner of this object: device
    memory in a cycle would be held until it is collected. ``what`` says what one slot has, on so
    many nodes.
    """

    def __init__(self, sizes: Callable[[int], Mapping[str, int]], what: str, nodes: int) -> None:
        self.arrays: Mapping[str, Any] = {}
        self.capacity = 0  # slots that the arrays are for
        self._sizes, self._what, self._nodes = sizes, what, nodes
        self._most: int | None = None  # once the device was short

    def reserve(self, slots: int) -> int:
        """Arrays for so many slots, or fewer when memory runs out; returns how many."""
        slots = min(slots, self._most or slots)
        while self.capacity < slots:
            self.release()
            short = self._lacks(slots)
            if short:  # what is free may lie in pieces
                cupy.get_default_memory_pool().free_all_blocks()
                short = self._lacks(slots)
            if not short:
                break
            if slots == 1:
                raise MemoryError(
                    f"the device has too little memory for {self._what} on {self._nodes} nodes: "
                    f"{short}"
                )
            slots = self._most = slots // 2
            logger.warning("out of device memory: %d at once, each %s", slots, self._what)
        return slots

    def turns(self, count: int, most: int, stop: NDArray[np.uint8]) -> Iterator[slice]:
        """Runs of so many slots in all, with arrays for each, until the stop.

        The fewest of at most so many, none much smaller than another, unless memory runs out.
        """
        done = 0
        while done < count and not stop[0]:
            size = self.reserve(evenly(count - done, most))
            yield slice(done, done + size)
            done += size

    def _lacks(self, slots: int) -> str:
        """Take arrays for so many slots; what the device says if it has not the memory."""
        try:
            self.arrays = self._allocated(slots)
        except cupy.cuda.memory.OutOfMemoryError as error:
            return str(error)  # the error itself keeps alive what was allocated
        self.capacity = slots
        return ""

    def _allocated(self, slots: int) -> dict[str, Any]:
        return {name: cupy.empty(size, np.uint8) for name, size in self._sizes(slots).items()}

    def release(self) -> None:
        """Give back the memory of all slots."""
        self.arrays = {}
        self.capacity = 0
