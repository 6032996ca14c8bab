"""Numbers for the texts of Arrow's columns, many millions of them."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .numbering import Register, index_for


class TextTable(Register):
    """What a `Register` is, compiled, for columns of texts of PyArrow."""

    def __init__(self) -> None:
        self._table = np.zeros(0, dtype=np.uint64)
        self._pool = np.zeros(1, dtype=np.uint64)  # a free entry, 0, points at its first word
        self._used = np.array([0, len(self._pool), 0])

    @functools.cached_property
    def _kernels(self) -> Any:
        """The compiled part, which files of integers do without."""
        from . import text_kernels

        return text_kernels

    def pairs(
        self, sources: Iterable[Any], targets: Iterable[Any]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Number of each of these names, row by row: lists of strings, or arrays of PyArrow."""
        ends = [_columns(side) for side in (sources, targets)]
        rows = len(ends[0][1]) - 1
        self._make_room(2 * rows, sum(int(begins[-1]) - int(begins[0]) for _, begins in ends))
        ahead = np.empty((2, 2 * self._kernels.BATCH), dtype=np.uint64)
        tails, heads = np.empty((2, rows), dtype=index_for(int(self._used[0]) + 2 * rows))
        self._kernels.number_pairs(
            *ends[0], *ends[1], self._table, self._pool, self._used, ahead, tails, heads
        )
        return tails, heads

    def _make_room(self, texts: int, size: int) -> None:
        """For so many more texts of so many bytes."""
        count, words, _ = self._used.tolist()
        needed = words + (self._kernels.HEAD + 1) * texts + size // 8
        if needed > len(self._pool):
            pool = np.empty(max(needed, 2 * words), dtype=np.uint64)
            pool[:words] = self._pool[:words]
            self._pool = pool
        if 2 * (count + texts) > len(self._table):
            slots = 1 << (2 * (count + texts) - 1).bit_length()
            self._table = np.zeros(slots, dtype=np.uint64)
            self._kernels.enter(self._table, self._pool, self._used)

    def __iter__(self) -> Iterator[str]:
        import pyarrow

        count, _, size = self._used.tolist()
        text = np.empty(size, dtype=np.uint8)
        begins = np.empty(count + 1, dtype=np.int64)
        self._kernels.spell(self._pool, self._used, text, begins)
        buffers = map(pyarrow.py_buffer, (begins, text))
        names = pyarrow.LargeStringArray.from_buffers(count, *buffers)
        yield from names.to_numpy(zero_copy_only=False).tolist()


def _columns(texts: Any) -> tuple[NDArray[np.uint8], NDArray[Any]]:
    """Bytes of texts, and where each of them begins."""
    import pyarrow

    array = texts if isinstance(texts, pyarrow.Array) else pyarrow.array(texts, pyarrow.string())
    text = np.frombuffer(array.buffers()[2] or b"", dtype=np.uint8)
    return text, begins(array).astype(np.int64)  # one type: one kernel to compile


def begins(array: Any) -> NDArray[Any]:
    """Where each text of an array of PyArrow begins in its bytes, and the last one ends."""
    import pyarrow

    kind = np.int64 if pyarrow.types.is_large_string(array.type) else np.int32
    if not len(array):
        return np.zeros(1, dtype=kind)
    found: NDArray[Any] = np.frombuffer(array.buffers()[1], dtype=kind)
    return found[array.offset : array.offset + len(array) + 1]


def has_empty(array: Any) -> bool:
    """Whether an array of texts has an empty one: where it begins, the next one begins too."""
    places = begins(array)
    return bool((places[1:] == places[:-1]).any())
