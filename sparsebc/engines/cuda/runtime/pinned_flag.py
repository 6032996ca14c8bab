"""A flag in pinned memory: kernels write it, and the host reads it without a copy."""

import functools
import threading
from typing import Any

import cupy
import numpy as np


class PinnedFlag(threading.local):
    """A word of 64 bits of one thread: the number of a sweep, and below it the value of its flag.

    Kernels of a sweep that was abandoned may still write; they write another number.
    """

    def __init__(self) -> None:
        self.number = 0

    @functools.cached_property
    def data(self) -> Any:
        """The memory, at one address on the host and on the device."""
        memory = cupy.cuda.alloc_pinned_memory(8)
        np.frombuffer(memory, np.uint64, 1)[0] = 0
        return memory

    def begin(self) -> None:
        """Start a sweep, whose flag is 0; numbers have 32 bits."""
        self.number = (self.number + 1) % (1 << 32)

    def read(self) -> int:
        """The value that kernels of this sweep wrote last, a signed number of 32 bits; 0 before."""
        number, value = divmod(int(np.frombuffer(self.data, np.uint64, 1)[0]), 1 << 32)
        return (value ^ 1 << 31) - (1 << 31) if number == self.number else 0
