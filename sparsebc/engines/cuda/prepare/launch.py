"""Launches of the kernels on patterns: a warp to a row, a thread to a node or to an entry."""

import re
import sys
from collections.abc import Callable
from typing import Any

import cupy
import numpy as np

from ....graph.csr import CSR
from ..runtime.copies import download
from ..runtime.kernels import SOURCES, c_type, for_each, kernels
from .layout import ALIKE, MOST_BLOCKS, THREADS, TRAITS, WARP

LOOK = 16  # steps between reads of the last one that found something
KERNEL = re.compile(r"__global__ void (?:__launch_bounds__\([^)]*\)\s+)?(\w+)\(")
TEMPLATES = {
    "lower": ("lower<int>", "lower<long long>"),
    "add_at": ("add_at<double>", "add_at<long long>"),
}
# By source its kernels, which are compiled together; and by kernel both.
FILES = {
    f"prepare/{path.name}": tuple(
        each
        for name in KERNEL.findall(path.read_text("utf-8"))
        for each in TEMPLATES.get(name, (name,))
    )
    for path in SOURCES.glob("prepare/*.cu")
}
HOME = {name: (file, names) for file, names in FILES.items() for name in names}


def kernel(name: str) -> Any:
    """A kernel by its name; all kernels of its file are compiled with it."""
    return kernels(*HOME[name])[name]


def by_rows(name: str, pattern: CSR, *rest: Any, lanes: int = WARP) -> None:
    """Launch a kernel with a warp for each row, or as many lanes; long rows take several warps."""
    rows = pattern.indptr.size - 1
    blocks = max(1, min(-(-rows * lanes // THREADS), MOST_BLOCKS))
    kernel(name)((blocks,), (THREADS,), (*pattern, np.int32(rows), *rest))


def by_nodes(name: str, n: int, *rest: Any) -> None:
    """Launch a kernel with a thread for each node."""
    for_each(kernel(name), n, THREADS, np.int32(n), *rest)


def by_entries(name: str, size: int, *rest: Any) -> None:
    """Launch a kernel with a thread for each entry."""
    for_each(kernel(name), size, THREADS, np.int64(size), *rest)


def in_steps(
    launch: Callable[[int], None],
    last_found: Callable[[], int],
    *,
    first: int = 1,
    look: int = LOOK,
    most: int = sys.maxsize,
) -> bool:
    """Launch step after step until one finds nothing; False if ``most`` steps do not suffice.

    ``last_found`` reads the number of the last step that found something, every ``look`` steps.
    """
    for begin in range(first, first + most, look):
        for step in range(begin, begin + look):
            launch(step)
        if last_found() < step:
            return True
    return False


def last_level(found: Any) -> int:
    """The last level that `advance` put nodes on, by its traits."""
    return int(download(found).view(TRAITS.dtype)["last"][0])  # device to host


def sums_by_label(label: Any, values: Any, size: int) -> Any:
    """Sums of each row of values by label, shape (rows, size)."""
    sums = cupy.zeros((len(values), size), dtype=np.int64)
    blocks = max(1, -(-label.size // (THREADS * ALIKE)))
    arguments = np.int32(label.size), np.int64(size), label, np.int32(len(sums)), values, sums
    kernel("add_up")((blocks,), (THREADS,), arguments)
    return sums


def copy(array: Any) -> Any:
    """A copy on the device, in the order of the current stream."""
    there = cupy.empty(array.shape, array.dtype)
    there.data.copy_from_device_async(array.data, array.nbytes)
    return there


def lower(keys: Any, dtype: np.dtype[Any]) -> Any:
    """The lower 32 bits of keys."""
    numbers = cupy.empty(keys.size, dtype)
    by_entries(f"lower<{c_type(dtype)}>", keys.size, keys, numbers)
    return numbers
