"""What every launcher of kernels needs: the stream of a device, the compiled kernels, the graph."""

from __future__ import annotations

import functools
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ...brandes import RANGES
from .source import complete

C_TYPES: dict[np.dtype[Any], str] = {
    **dict(zip(RANGES, ("float", "double", "Extended"), strict=True)),
    **{np.dtype(np.int32): "int", np.dtype(np.int64): "long long"},
}


# Flags of what the way back sums, as in sums.cuh.
FLAGS = {"dependency": 1, "arcs": 2, "stress": 4, "squares": 8, "arrivals": 16, "departures": 32}
# Sums of which every group in flight has its own, added up in the order of the groups.
BY_NODE = ("dependency", "stress", "squares", "arrivals")
# Sums kept once for all groups: a source is in one of them, and whole numbers add up in any order.
WHOLE = ("departures", "ends")


# A long array comes to the host in pieces of so many bytes, by so many threads.
PIECE, COPIERS = 8 << 20, 8


@functools.cache
def stream(index: int) -> Any:
    """The stream of all work on a device; its memory is kept for the next call."""
    with cupy.cuda.Device(index):
        return cupy.cuda.Stream(non_blocking=True)


@functools.cache
def kernels(file: str, names: tuple[str, ...], *parameters: str) -> dict[str, Any]:
    """Kernels of a source file, by name, for template parameters if they are templates."""
    listed = f"<{', '.join(parameters)}>" if parameters else ""
    full = {name: name + listed for name in names}
    module = cupy.RawModule(
        code=complete(Path(__file__).parent / file),
        options=("-std=c++17",),
        name_expressions=tuple(full.values()),
    )
    return {name: module.get_function(expression) for name, expression in full.items()}


def c_type(dtype: np.dtype[Any]) -> str:
    """A type of state or of row pointers, as the kernels name it."""
    return C_TYPES[dtype]


def flags_of(sums: frozenset[str]) -> str:
    """Template parameter of a way back."""
    return str(sum(flag for name, flag in FLAGS.items() if name in sums))


def pointer_type(arcs: int) -> np.dtype[Any]:
    """Row pointers as small as the number of arcs allows."""
    return np.dtype(np.int32 if arcs < 2**31 else np.int64)


def upload(pattern: Any, pointer: np.dtype[Any]) -> tuple[Any, Any]:
    """Row pointers and indices on the device."""
    return cupy.asarray(pattern.indptr.astype(pointer)), cupy.asarray(pattern.indices)


def packed(state: NDArray[Any]) -> NDArray[Any]:
    """The bytes of a structure: CuPy would look through its fields at every launch."""
    return state.view(f"V{state.itemsize}")


def fetch(array: Any, out: NDArray[Any] | None = None) -> NDArray[Any]:
    """Copy to the host, once the current stream is through; into ``out`` if it is given.

    A copy that waited for the stream would keep other threads from their devices. One thread alone
    takes longer to touch new memory than a device does to fill it.
    """
    with array.device:
        cupy.cuda.get_current_stream().synchronize()
        if array.nbytes < 2 * PIECE:
            short: NDArray[Any] = array.get(out=out)
            return short
        there = np.empty(array.shape, array.dtype) if out is None else out
        source, target = (long.reshape(-1).view(np.uint8) for long in (array, there))
        pieces = [slice(first, first + PIECE) for first in range(0, array.nbytes, PIECE)]
        with ThreadPoolExecutor(COPIERS) as pool:
            list(pool.map(lambda piece: _copy(source[piece], target[piece]), pieces))
    return there


def _copy(source: Any, target: NDArray[Any]) -> None:
    """Copy bytes to the host by way of pinned memory, which the device fills at its own speed."""
    with source.device, cupy.cuda.Stream(non_blocking=True) as own:
        pinned = cupy.cuda.alloc_pinned_memory(source.nbytes)
        there = np.frombuffer(pinned, np.uint8, source.nbytes)
        source.get(stream=own, out=there)
        own.synchronize()
    target[:] = there


def clear(array: Any) -> None:
    """Zero an array; in the order of the stream."""
    array.data.memset_async(0, array.nbytes)
