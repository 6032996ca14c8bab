"""What every launcher of kernels needs: the stream of a device, the compiled kernels, the graph."""

from __future__ import annotations

import functools
import mmap
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

import cupy
import numpy as np
from numpy.typing import NDArray

from ...brandes import RANGES
from ...graph.csr import CSR
from ...graph.graph import Graph
from ..batch import NodeSets
from ..sums import SUMS
from .common.layout import BY_NODE as BY_NODE
from .common.layout import FLAGS
from .common.layout import WHOLE as WHOLE
from .source import complete

_start_copy = cupy.cuda.runtime.memcpyAsync
TO_DEVICE = cupy.cuda.runtime.memcpyHostToDevice
TO_HOST = cupy.cuda.runtime.memcpyDeviceToHost

C_TYPES: dict[np.dtype[Any], str] = {
    **dict(zip(RANGES, ("float", "double", "Extended"), strict=True)),
    **{np.dtype(np.int32): "int", np.dtype(np.int64): "long long"},
}


# A long array comes to the host, or from there, in pieces of so many bytes, by so many threads.
PIECE, COPIERS = 4 << 20, 8
HANDS = 2  # as many threads where there is time
# One of so many bytes lands in pinned memory, which a thread keeps for that, or departs from there.
LANDING = 1 << 20


Result = TypeVar("Result")


class Once(Generic[Result]):
    """Results of a function, each made by one call: other threads that ask for it wait."""

    def __init__(self, function: Callable[..., Result]) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._lock = threading.Lock()
        self._made: dict[tuple[Any, ...], Result] = {}
        self._making: dict[tuple[Any, ...], threading.Lock] = {}

    def __contains__(self, args: tuple[Any, ...]) -> bool:
        """Whether it was made before."""
        return args in self._made

    def __call__(self, *args: Any) -> Result:
        """Made now, or before."""
        made = self._made
        if args not in made:
            with self._lock:
                mine = self._making.setdefault(args, threading.Lock())
            with mine:
                if args not in made:
                    made[args] = self._function(*args)
        return made[args]

    def cache_clear(self) -> None:
        """Make them anew."""
        self._made = {}


@Once
def stream(index: int) -> Any:
    """The stream of all work on a device; its memory is kept for the next call."""
    with cupy.cuda.Device(index):
        return cupy.cuda.Stream(non_blocking=True)


@Once
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


def compiled(*wanted: tuple[Any, ...]) -> dict[str, Any]:
    """`kernels` of several arguments; those that are not there yet are compiled at once."""
    new = [each for each in wanted if each not in kernels]
    if len(new) > 1:
        device = cupy.cuda.Device()

        def compile_one(each: tuple[Any, ...]) -> None:
            with device:
                kernels(*each)

        with ThreadPoolExecutor(len(new)) as pool:
            list(pool.map(compile_one, new))
    return {name: kernel for each in wanted for name, kernel in kernels(*each).items()}


_allowing = threading.Lock()


def allow_shared(kernel: Any, size: int) -> None:
    """Allow a kernel so many bytes of shared memory on this device.

    Others may have been allowed more, whose launches in other threads are still to come.
    """
    with _allowing:
        if kernel.max_dynamic_shared_size_bytes < size:
            kernel.max_dynamic_shared_size_bytes = size


class _Callers(threading.local):
    """The streams of this thread's caller, by device, while its work is on ours."""

    def __init__(self) -> None:
        self.streams: dict[int, Any] = {}


_callers = _Callers()


@contextmanager
def own_stream(index: int) -> Iterator[None]:
    """Make our stream current on the current device, between two works of the caller's."""
    ours, current = stream(index), cupy.cuda.get_current_stream()
    if current == ours:
        yield
        ours.synchronize()
        return
    ours.wait_event(current.record())
    is_outermost = index not in _callers.streams
    if is_outermost:
        _callers.streams[index] = current
    try:
        with ours:
            yield
        current.wait_event(ours.record())
        ours.synchronize()
    finally:
        if is_outermost:
            del _callers.streams[index]


@contextmanager
def callers_stream(index: int) -> Iterator[None]:
    """Make the caller's stream current on the current device, for what the caller is to own.

    CuPy uses memory again in the order of the stream that it was allocated on: on ours, an array
    that the caller has freed could be written by the next call while the caller's work reads it.
    """
    caller = _callers.streams.get(index)
    if caller is None:  # it is current
        yield
        return
    ours = stream(index)
    caller.wait_event(ours.record())
    with caller:
        yield
    ours.wait_event(caller.record())


def c_type(dtype: np.dtype[Any]) -> str:
    """A type of state or of row pointers, as the kernels name it."""
    return C_TYPES[dtype]


def flags_of(sums: frozenset[str]) -> str:
    """Template parameter of a backward phase."""
    return str(sum(flag for name, flag in FLAGS.items() if name in sums))


def add_results(workspace: Any, graph: Graph, sums: frozenset[str]) -> None:
    """Give a workspace an attribute for each sum that is wanted, as `engines.sums` has them."""
    for name in sums:
        size = graph.limits.size * (graph.arcs if SUMS[name].by_arc else graph.n)
        setattr(workspace, name, graph.ops.xp.zeros(size))


def pointer_type(arcs: int) -> np.dtype[Any]:
    """Row pointers as small as the number of arcs allows."""
    return np.dtype(np.int32 if arcs < 2**31 else np.int64)


def upload(pattern: Any, pointer: np.dtype[Any]) -> tuple[Any, Any]:
    """Row pointers and indices on the device."""
    return cupy.asarray(pattern.indptr.astype(pointer)), here(pattern.indices)


def here(array: Any) -> Any:
    """Copy to the current device what is on the host or on another device; the rest as it is.

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
    there = cupy.empty(array.shape, array.dtype)
    if array.nbytes < 2 * PIECE:  # whose bytes are in the driver's hands when this returns
        current = cupy.cuda.get_current_stream().ptr
        _start_copy(there.data.ptr, array.ctypes.data, array.nbytes, TO_DEVICE, current)
        return there
    ready = cupy.cuda.get_current_stream().record()  # its memory may have been another array's
    _in_pieces(_send, array, there, ready)
    return there


def as_reals(weights: Any, dtype: np.dtype[Any]) -> Any:
    """Weights of nodes as a type of reals: on the host, or from any device on the current one."""
    there = weights if isinstance(weights, np.ndarray) else here(weights)
    return there.astype(dtype, copy=False)


def together(**arrays: Any) -> dict[str, Any]:
    """Arrays on the current device: of the host, the short ones by one copy, each of them once."""
    short = {
        id(array): array
        for array in sorted(arrays.values(), key=lambda array: -array.dtype.itemsize)
        if isinstance(array, np.ndarray) and array.nbytes < 2 * PIECE
    }
    there: dict[int, Any] = {}
    if short:
        whole = _joined([array.reshape(-1).view(np.uint8) for array in short.values()])
        runs = parts(whole, {number: array.nbytes for number, array in short.items()})
        there = {number: run.view(short[number].dtype) for number, run in runs.items()}
    for array in arrays.values():
        if id(array) not in there:
            there[id(array)] = here(array)
    return {name: there[id(array)] for name, array in arrays.items()}


def parts(whole: Any, sizes: dict[Any, int]) -> dict[Any, Any]:
    """Runs of so many bytes, one after the other."""
    found, begin = {}, 0
    for name, size in sizes.items():
        found[name] = cupy.ndarray((size,), np.uint8, whole.data + begin)  # cheaper than a slice
        begin += size
    return found


def _joined(runs: Sequence[NDArray[np.uint8]]) -> Any:
    """Runs of bytes one after the other on the device; few of them through pinned memory."""
    size = sum(run.size for run in runs)
    if size > LANDING:
        return here(np.concatenate(runs))
    there, current = cupy.empty(size, np.uint8), cupy.cuda.get_current_stream()
    memory, is_gone = _copier.departure(there.device.id)
    is_gone.synchronize()
    np.concatenate(runs, out=np.frombuffer(memory, np.uint8, size))
    _start_copy(there.data.ptr, memory.ptr, size, TO_DEVICE, current.ptr)
    is_gone.record(current)
    return there


def outside(asked: NodeSets) -> Any:
    """For each group, a row of the nodes: 1 outside of it, 0 in it."""
    member = cupy.asarray(asked.member.T.reshape(-1, len(asked.member)))
    return (member == 0).astype(np.float64)


def fetch(array: Any, out: NDArray[Any] | None = None) -> NDArray[Any]:
    """Copy to the host, once the current stream is through; into ``out`` if it is given.

    A copy that waited for the stream would keep other threads from their devices. To pinned memory
    it does not, and follows what it waits for at once. One thread alone takes longer to touch new
    memory than a device does to fill it.
    """
    with array.device:
        if array.nbytes <= LANDING:
            return _landed(cupy.ascontiguousarray(array), out=out)[0]
        is_short = array.nbytes < 2 * PIECE
        # The pieces are of one run of memory, which may take a copy: it is waited for as well.
        source = array if is_short else cupy.ascontiguousarray(array)
        cupy.cuda.get_current_stream().synchronize()
        if is_short:
            short: NDArray[Any] = array.get(out=out)
            return short
        there = np.empty(array.shape, array.dtype) if out is None else out
        ready = cupy.cuda.get_current_stream().record()
        _in_pieces(_receive, there, source, ready)
    return there


def fetch_all(arrays: Sequence[Any]) -> list[NDArray[Any]]:
    """`fetch` each of the arrays, of one device and in one piece; short ones by one wait."""
    if sum(array.nbytes for array in arrays) > LANDING:
        return [fetch(array) for array in arrays]
    return _landed(*arrays)


def _landed(*arrays: Any, out: NDArray[Any] | None = None) -> list[NDArray[Any]]:
    """Copy runs of few bytes through pinned memory: one wait for all before them, and for them."""
    landing, current, end = _copier.landing, cupy.cuda.get_current_stream(), 0
    for array in arrays:
        _start_copy(landing.ptr + end, array.data.ptr, array.nbytes, TO_HOST, current.ptr)
        end += array.nbytes
    current.synchronize()
    found, end = [], 0
    for array in arrays:
        there = np.empty(array.shape, array.dtype) if out is None else out
        landed = np.frombuffer(landing, np.uint8, array.nbytes, end).view(array.dtype)
        there[...] = landed.reshape(array.shape)
        found.append(there)
        end += array.nbytes
    return found


class Handover:
    """A csr matrix of the host that takes shape during a sweep: its pattern, and room for values.

    A device fills new memory faster than a host finds it, and the pattern of the scores of edges
    is known before they are.
    """

    def __init__(self, pattern: CSR) -> None:
        there = pattern.of_one_type
        ready = cupy.cuda.get_current_stream().record()
        self._pattern = [np.empty(array.shape, array.dtype) for array in there]
        self._values = np.empty(pattern.indices.size)
        self._begun = [
            piece
            for host, array in zip(self._pattern, there, strict=True)
            for piece in _begin(_receive, host, array, ready, copiers=HANDS)
        ]
        self._begun += _begin(_touch, self._values, copiers=HANDS)

    @staticmethod
    def pays(pattern: CSR) -> bool:
        """Whether the arrays are long."""
        return bool(pattern.indices.nbytes >= 2 * PIECE)

    def filled(self, values: Any) -> tuple[NDArray[Any], ...]:
        """Its arrays, with the values, which are on the device: data, indices and row pointers."""
        _finish(self._begun)
        return fetch(values, out=self._values), *self._pattern


class _Copier(threading.local):
    """A thread that copies: its pinned memory for what is short, and its streams, by device."""

    def __init__(self) -> None:
        self.streams: dict[int, Any] = {}
        self._departures: dict[int, tuple[Any, Any]] = {}

    @functools.cached_property
    def landing(self) -> Any:
        """Pinned memory of `LANDING` bytes."""
        return cupy.cuda.alloc_pinned_memory(LANDING)

    def departure(self, index: int) -> tuple[Any, Any]:
        """As much for copies to a device, which is current, and the event of the last."""
        if index not in self._departures:
            memory = cupy.cuda.alloc_pinned_memory(LANDING)
            self._departures[index] = memory, cupy.cuda.Event(disable_timing=True)
        return self._departures[index]

    def stream(self, index: int) -> Any:
        """The thread's stream on a device, which is current."""
        if index not in self.streams:
            self.streams[index] = cupy.cuda.Stream(non_blocking=True)
        return self.streams[index]


_copier = _Copier()


@Once
def _copiers() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(COPIERS, thread_name_prefix="sparsebc-copy")


def _in_pieces(copy: Callable[..., None], host: NDArray[Any], *rest: Any) -> None:
    """Copy the bytes of a long array once an event has happened, many pieces at once."""
    _finish(_begin(copy, host, *rest))


def _begin(
    copy: Callable[..., None], host: NDArray[Any], *rest: Any, copiers: int = COPIERS
) -> list[Future[None]]:
    """The same, not waited for."""
    stride = copiers * PIECE
    return [
        _copiers().submit(
            copy, host.reshape(-1).view(np.uint8), *rest, range(first, host.nbytes, stride)
        )
        for first in range(0, min(stride, host.nbytes), PIECE)
    ]


def _finish(begun: Sequence[Future[None]]) -> None:
    """Wait for all of the pieces, and raise what one of them raised."""
    try:
        for pieces in begun:
            pieces.result()
    finally:
        wait(begun)


def _pieces(size: int, begins: range, ready: Any, stream: Any) -> Iterator[tuple[slice, Any, Any]]:
    """A thread's pieces of so many bytes, with pinned memory for each: address and array.

    The device reads and fills it at its own speed. It is used again two pieces later, and given
    back once the stream is through: another thread could have it next, and write to it.
    """
    stream.wait_event(ready)
    pinned = [cupy.cuda.alloc_pinned_memory(PIECE) for _ in range(2)]
    try:
        for number, begin in enumerate(begins):
            memory = pinned[number % 2]
            piece = slice(begin, min(begin + PIECE, size))
            yield piece, memory.ptr, np.frombuffer(memory, np.uint8, piece.stop - begin)
    finally:
        stream.synchronize()


def _send(host: NDArray[Any], there: Any, ready: Any, begins: range) -> None:
    """Copy pieces to the device: one is on its way while the next is put in its place."""
    with there.device:
        stream = _copier.stream(there.device.id)
        sent: list[Any] = []
        for piece, address, pinned in _pieces(host.size, begins, ready, stream):
            if len(sent) > 1:
                sent[-2].synchronize()
            pinned[:] = host[piece]
            _start_copy(there.data.ptr + piece.start, address, pinned.size, TO_DEVICE, stream.ptr)
            sent.append(stream.record())


def _receive(host: NDArray[Any], there: Any, ready: Any, begins: range) -> None:
    """Copy pieces to the host: one is on its way while the one before is taken to its place."""
    with there.device:
        stream = _copier.stream(there.device.id)
        waiting: tuple[Any, slice, NDArray[Any]] | None = None
        for piece, address, pinned in _pieces(host.size, begins, ready, stream):
            _start_copy(address, there.data.ptr + piece.start, pinned.size, TO_HOST, stream.ptr)
            if waiting:
                _take(host, *waiting)
            waiting = stream.record(), piece, pinned
        if waiting:
            _take(host, *waiting)


def _touch(host: NDArray[Any], begins: range) -> None:
    """Have the system find memory for new pieces: one write to each page."""
    for begin in begins:
        host[begin : begin + PIECE : mmap.PAGESIZE] = 0


def _take(host: NDArray[Any], arrived: Any, piece: slice, pinned: NDArray[Any]) -> None:
    """Copy a piece to its place once it has arrived."""
    arrived.synchronize()
    host[piece] = pinned


def clear(array: Any) -> None:
    """Zero an array; in the order of the stream."""
    array.data.memset_async(0, array.nbytes)
