"""Launches of the kernels on patterns: a warp to a row, a thread to a node or to an entry."""

import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import cupy
import numpy as np

from ....matrix.csr import CSR
from ..layout import MOST_BLOCKS, ROWS_OF, TRAITS, WARP
from ..runtime.copies import download
from ..runtime.kernels import SOURCES, for_each, kernels
from ..runtime.source import Struct

NULL = np.uint64(0)  # in the place of an array
LOOK = 16  # steps between reads of the last one that found something
KERNEL = re.compile(r"__global__ void (?:__launch_bounds__\([^)]*\)\s+)?(\w+)\(")
# By source its kernels, which are compiled together; and by kernel both.
FILES = {
    f"prepare/{path.name}": tuple(KERNEL.findall(path.read_text("utf-8")))
    for path in SOURCES.glob("prepare/*.cu")
}
HOME = {name: (file, names) for file, names in FILES.items() for name in names}


def kernel(name: str) -> Any:
    """A kernel by its name; all kernels of its file are compiled with it."""
    return kernels(*HOME[name])[name]


def by_rows(name: str, pattern: CSR, *rest: Any, lanes: int = WARP) -> None:
    """Launch a kernel with a warp for each row, or as many lanes; long rows take several warps."""
    rows = pattern.indptr.size - 1
    blocks = max(1, min(-(-rows * lanes // ROWS_OF.THREADS), MOST_BLOCKS))
    kernel(name)((blocks,), (ROWS_OF.THREADS,), (*pattern, np.int32(rows), *rest))


def by_nodes(name: str, n: int, *rest: Any) -> None:
    """Launch a kernel with a thread for each node."""
    for_each(kernel(name), n, ROWS_OF.THREADS, np.int32(n), *rest)


def by_entries(name: str, size: int, *rest: Any) -> None:
    """Launch a kernel with a thread for each entry."""
    for_each(kernel(name), size, ROWS_OF.THREADS, np.int64(size), *rest)


def steps(last: Any, *, first: int = 1, look: int = LOOK, most: int = sys.maxsize) -> Iterator[int]:
    """Numbers of steps to launch until one finds nothing, or there are ``most``.

    ``last`` begins with the number of the last step that found something, and is read every
    ``look`` steps.
    """
    for begin in range(first, first + most, look):
        yield from range(begin, begin + look)
        if int(download(last)[0]) < begin + look - 1:  # device to host
            return


def search(ways: Sequence[CSR], level: Any, at_once: int, **given: int) -> Any:
    """Levels from those that there are, along the arcs of each pattern; the last, as in `steps`.

    A warp asks of ``at_once`` rows whether they are on a level: of few where many are.
    """
    found, fields = zeros(TRAITS), TRAITS.dtype.fields
    assert fields is not None
    last = found[fields["last"][1] :].view(np.int32)
    for depth in steps(last, **given):
        rest = np.uint32(at_once), np.int32(depth - 1), level, found
        for way in ways:
            by_rows("advance", way, *rest, lanes=WARP // at_once)
    return last


def zeros(struct: Struct) -> Any:
    """Bytes of a struct on the device, all zero."""
    return cupy.zeros(struct.dtype.itemsize, np.uint8)
