"""Streams and compiled kernels of a device, and what launchers of all kernels share."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

import cupy
import numpy as np

from ...brandes import RANGES
from ...graph.graph import Graph
from ..sums import SUMS
from .common.layout import BY_NODE as BY_NODE
from .common.layout import FLAGS
from .common.layout import WHOLE as WHOLE
from .source import complete

C_TYPES: dict[np.dtype[Any], str] = {
    **dict(zip(RANGES, ("float", "double", "Extended"), strict=True)),
    **{np.dtype(np.int32): "int", np.dtype(np.int64): "long long"},
}


Result = TypeVar("Result")


class Once(Generic[Result]):
    """A function whose results are cached by its arguments; threads wait for a call in progress."""

    def __init__(self, function: Callable[..., Result]) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._lock = threading.Lock()
        self._made: dict[tuple[Any, ...], Result] = {}
        self._making: dict[tuple[Any, ...], threading.Lock] = {}

    def __contains__(self, args: tuple[Any, ...]) -> bool:
        """Whether the result is cached."""
        return args in self._made

    def __call__(self, *args: Any) -> Result:
        """The result for these arguments."""
        made = self._made
        if args not in made:
            with self._lock:
                mine = self._making.setdefault(args, threading.Lock())
            with mine:
                if args not in made:
                    made[args] = self._function(*args)
        return made[args]

    def cache_clear(self) -> None:
        """Forget all results."""
        self._made = {}


@Once
def stream(index: int) -> Any:
    """The stream of all work on a device, on which the memory pool reuses what is freed."""
    with cupy.cuda.Device(index):
        return cupy.cuda.Stream(non_blocking=True)


@Once
def kernels(file: str, names: tuple[str, ...], *parameters: str) -> dict[str, Any]:
    """Kernels of a source file by name, instantiated for template parameters if there are any."""
    listed = f"<{', '.join(parameters)}>" if parameters else ""
    full = {name: name + listed for name in names}
    module = cupy.RawModule(
        code=complete(Path(__file__).parent / file),
        options=("-std=c++17",),
        name_expressions=tuple(full.values()),
    )
    return {name: module.get_function(expression) for name, expression in full.items()}


def compiled(*wanted: tuple[Any, ...]) -> dict[str, Any]:
    """The kernels of several calls of `kernels`, by name, compiled side by side."""
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
    """Raise the limit of a kernel's dynamic shared memory on this device to so many bytes.

    It is never lowered: another thread may be about to launch with more.
    """
    with _allowing:
        if kernel.max_dynamic_shared_size_bytes < size:
            kernel.max_dynamic_shared_size_bytes = size


class _Callers(threading.local):
    """By device the stream that was current in this thread before `own_stream`."""

    def __init__(self) -> None:
        self.streams: dict[int, Any] = {}


_callers = _Callers()


@contextmanager
def own_stream(index: int) -> Iterator[None]:
    """Make our stream current, ordered after the work of the caller's and before what follows."""
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
    """Make the caller's stream current on the current device, to allocate what is returned.

    CuPy reuses memory in the order of the stream of its allocation: if that were ours, an array
    that the caller has freed could be written by the next call while the caller's kernels read it.
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
    """The name in C++ of a type of state or of row pointers."""
    return C_TYPES[dtype]


def flags_of(sums: frozenset[str]) -> str:
    """Template parameter of a backward phase: the flags of its sums."""
    return str(sum(flag for name, flag in FLAGS.items() if name in sums))


def add_results(workspace: Any, graph: Graph, sums: frozenset[str]) -> None:
    """Add an attribute of zeros to a workspace for each sum, shaped as in `engines.sums`."""
    for name in sums:
        size = graph.limits.size * (graph.arcs if SUMS[name].by_arc else graph.n)
        setattr(workspace, name, graph.ops.xp.zeros(size))


def pointer_type(arcs: int) -> np.dtype[Any]:
    """The smallest type of row pointers for so many arcs."""
    return np.dtype(np.int32 if arcs < 2**31 else np.int64)
