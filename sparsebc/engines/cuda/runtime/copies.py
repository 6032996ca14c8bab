"""Copies between the memory of the host and that of a device, short ones through pinned memory."""

import functools
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ....matrix.graph import Graph

_start_copy = cupy.cuda.runtime.memcpyAsync
TO_DEVICE = cupy.cuda.runtime.memcpyHostToDevice
TO_HOST = cupy.cuda.runtime.memcpyDeviceToHost

# Bytes up to which arrays are copied through the pinned buffers that a thread keeps; longer ones go
# to the host in pieces, by several threads.
PINNED_BYTES = PIECE = 4 << 20

_copiers = ThreadPoolExecutor(8, thread_name_prefix="sparsebc-copy")


def upload(array: Any) -> Any:
    """A copy on the current device of an array of the host or another device; else the array.

    From device to device without the host, in the order of the current stream: the array must
    outlive the copy.
    """
    if isinstance(array, cupy.ndarray):
        if array.device == cupy.cuda.Device():
            return array
        with array.device:
            source = cupy.ascontiguousarray(array)
            cupy.cuda.get_current_stream().synchronize()
        return source.copy()
    is_plain = isinstance(array, np.ndarray) and array.flags.c_contiguous and array.dtype.isnative
    if not is_plain:
        return cupy.asarray(array)
    there, current = cupy.empty(array.shape, array.dtype), cupy.cuda.get_current_stream().ptr
    # The driver has staged it when this returns.
    _start_copy(there.data.ptr, array.ctypes.data, array.nbytes, TO_DEVICE, current)
    return there


def as_reals(weights: Any, dtype: np.dtype[Any]) -> Any:
    """Weights of nodes as a type of reals, on the host or the current device."""
    there = weights if isinstance(weights, np.ndarray) else upload(weights)
    return there.astype(dtype, copy=False)


def upload_many(**arrays: Any) -> dict[str, Any]:
    """Arrays on the current device, each once; the short ones of the host by one copy.

    If they are short together, through pinned memory.
    """
    short = {
        id(array): array
        for array in sorted(arrays.values(), key=lambda array: -array.dtype.itemsize)
        if isinstance(array, np.ndarray) and array.nbytes <= PINNED_BYTES
    }
    there: dict[int, Any] = {}
    if short:
        parts = [array.reshape(-1).view(np.uint8) for array in short.values()]
        size = sum(part.size for part in parts)
        if size > PINNED_BYTES:
            whole = upload(np.concatenate(parts))
        else:
            whole, current = cupy.empty(size, np.uint8), cupy.cuda.get_current_stream()
            memory, sent = _buffers.upload(whole.device.id)
            sent.synchronize()
            np.concatenate(parts, out=np.frombuffer(memory, np.uint8, size))
            _start_copy(whole.data.ptr, memory.ptr, size, TO_DEVICE, current.ptr)
            sent.record(current)
        runs = split_bytes(whole, {number: array.nbytes for number, array in short.items()})
        there = {number: run.view(short[number].dtype) for number, run in runs.items()}
    for array in arrays.values():
        if id(array) not in there:
            there[id(array)] = upload(array)
    return {name: there[id(array)] for name, array in arrays.items()}


def upload_arcs(graph: Graph, pointer: Any, **arrays: Any) -> dict[str, Any]:
    """Arcs out of each node and into it, with row pointers of a type, and other arrays."""
    (out_indptr, out_indices), (in_indptr, in_indices) = graph.outgoing, graph.incoming
    ends = out_indptr.astype(pointer, copy=False)
    begins = ends if graph.symmetric else in_indptr.astype(pointer, copy=False)
    rows = {"out_indptr": ends, "out_indices": out_indices, "in_indptr": begins}
    return upload_many(**rows, in_indices=in_indices, **arrays)


def split_bytes(whole: Any, sizes: dict[Any, int]) -> dict[Any, Any]:
    """Views of an array of bytes by name, of the given sizes, one after the other."""
    found, begin = {}, 0
    for name, size in sizes.items():
        found[name] = cupy.ndarray((size,), np.uint8, whole.data + begin)  # cheaper than a slice
        begin += size
    return found


def download(array: Any, out: NDArray[Any] | None = None) -> NDArray[Any]:
    """The array on the host, in ``out`` if it is given, once the current stream has finished.

    A copy to pageable memory holds the driver's lock while it waits for the stream; one to pinned
    memory does not. One thread takes longer to touch new pages than a device to fill them.
    """
    with array.device:
        source = cupy.ascontiguousarray(array)
        if array.nbytes <= PIECE:
            return download_many([source], out)[0]
        there = np.empty(array.shape, array.dtype) if out is None else out
        finish(begin_download(source, there))
    return there


def download_many(arrays: Sequence[Any], out: NDArray[Any] | None = None) -> list[NDArray[Any]]:
    """The contiguous arrays of one device on the host, one alone in ``out`` if it is given.

    Short ones go through pinned memory, with one synchronization for all.
    """
    if sum(array.nbytes for array in arrays) > PINNED_BYTES:
        return [download(array) for array in arrays]
    buffer, current, end = _buffers.download, cupy.cuda.get_current_stream(), 0
    for array in arrays:
        _start_copy(buffer.ptr + end, array.data.ptr, array.nbytes, TO_HOST, current.ptr)
        end += array.nbytes
    current.synchronize()
    found, end = [], 0
    for array in arrays:
        there = np.empty(array.shape, array.dtype) if out is None else out
        values = np.frombuffer(buffer, np.uint8, array.nbytes, end).view(array.dtype)
        there[...] = values.reshape(array.shape)
        found.append(there)
        end += array.nbytes
    return found


def begin_download(array: Any, out: NDArray[Any]) -> list[Future[None]]:
    """Start a copy to the host of a contiguous array, once the current stream has finished.

    Pass what is returned to `finish` before the array is written again.
    """
    ready, host = cupy.cuda.get_current_stream().record(), out.reshape(-1).view(np.uint8)
    begins = range(0, host.size, PIECE)
    return [_copiers.submit(_copy_piece, array, host, begin, ready) for begin in begins]


def _copy_piece(array: Any, host: NDArray[np.uint8], begin: int, ready: Any) -> None:
    """Copy a piece to its place through the buffer of the thread, after an event."""
    with array.device:
        buffer, stream = _buffers.download, _buffers.stream(array.device.id)
        piece = host[begin : begin + PIECE]
        stream.wait_event(ready)
        _start_copy(buffer.ptr, array.data.ptr + begin, piece.size, TO_HOST, stream.ptr)
        stream.synchronize()
        piece[:] = np.frombuffer(buffer, np.uint8, piece.size)


def finish(begun: Sequence[Future[None]]) -> None:
    """Wait for all futures, and raise what one of them raised."""
    try:
        for piece in begun:
            piece.result()
    finally:
        wait(begun)


class _Buffers(threading.local):
    """Pinned memory of `PINNED_BYTES` each way and a stream for each device, of one thread."""

    def __init__(self) -> None:
        self._streams: dict[int, Any] = {}
        self._uploads: dict[int, tuple[Any, Any]] = {}

    @functools.cached_property
    def download(self) -> Any:
        """The buffer of copies to the host."""
        return cupy.cuda.alloc_pinned_memory(PINNED_BYTES)

    def upload(self, index: int) -> tuple[Any, Any]:
        """The buffer of copies to a device, which is current, and the event of the last copy."""
        if index not in self._uploads:
            memory = cupy.cuda.alloc_pinned_memory(PINNED_BYTES)
            self._uploads[index] = memory, cupy.cuda.Event(disable_timing=True)
        return self._uploads[index]

    def stream(self, index: int) -> Any:
        """The stream of copies on a device, which is current."""
        if index not in self._streams:
            self._streams[index] = cupy.cuda.Stream(non_blocking=True)
        return self._streams[index]


_buffers = _Buffers()


def clear(array: Any) -> None:
    """Zero an array, in the order of the current stream."""
    array.data.memset_async(0, array.nbytes)
