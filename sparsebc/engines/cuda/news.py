"""What kernels tell the host while others run: a word that it reads without a copy."""

from __future__ import annotations

import functools
import threading
from typing import Any

import cupy
import numpy as np


class News(threading.local):
    """A thread's word in pinned memory: the number of a sweep, and what its kernels tell.

    Kernels of a sweep that was left early may still write; they have another number.
    """

    def __init__(self) -> None:
        self.number = 0

    @functools.cached_property
    def data(self) -> Any:
        """Where it lies, one address on the host and on the device."""
        memory = cupy.cuda.alloc_pinned_memory(8)
        np.frombuffer(memory, np.uint64, 1)[0] = 0
        return memory

    def begin(self) -> None:
        """A new sweep, of which nothing is told; numbers have 32 bits."""
        self.number = (self.number + 1) % (1 << 32)

    def read(self) -> int:
        """What was told last, of 32 bits; 0 before."""
        number, told = divmod(int(np.frombuffer(self.data, np.uint64, 1)[0]), 1 << 32)
        return (told ^ 1 << 31) - (1 << 31) if number == self.number else 0
