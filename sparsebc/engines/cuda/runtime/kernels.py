"""Kernels of a device, compiled from the source files, once for all threads."""

import functools
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Generic, TypeVar

import cupy
import numpy as np

from ...common.base import RANGES
from .source import OPTIONS, complete

SOURCES = Path(__file__).parents[1]  # of the kernels
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
def kernels(file: str, names: tuple[str, ...], *arguments: Any) -> dict[str, Any]:
    """Kernels of a source file by name, instantiated for template arguments if there are any.

    These are types of NumPy, truth values, numbers, or text of C++.
    """
    listed = f"<{', '.join(map(_in_cpp, arguments))}>" if arguments else ""
    full = {name: name + listed for name in names}
    module = cupy.RawModule(
        code=complete(SOURCES / file),
        options=OPTIONS,
        name_expressions=tuple(full.values()),
    )
    return {name: module.get_function(expression) for name, expression in full.items()}


def compiled(*wanted: tuple[Any, ...]) -> dict[str, Any]:
    """The kernels of several calls of `kernels`, by name, compiled side by side."""
    new = [each for each in wanted if each not in kernels]
    if len(new) > 1:
        with ThreadPoolExecutor(len(new), initializer=cupy.cuda.Device().use) as pool:
            begun = [pool.submit(kernels, *each) for each in new]
        for each in begun:
            each.result()
    return {name: kernel for each in wanted for name, kernel in kernels(*each).items()}


_allowing = threading.Lock()


def allow_shared(kernel: Any, size: int) -> None:
    """Raise the limit of a kernel's dynamic shared memory on this device to so many bytes.

    It is never lowered: another thread may be about to launch with more.
    """
    with _allowing:
        if kernel.max_dynamic_shared_size_bytes < size:
            kernel.max_dynamic_shared_size_bytes = size


def for_each(kernel: Any, count: int, threads: int, *arguments: Any) -> None:
    """Launch a kernel with a thread for each of so many items."""
    kernel((max(1, -(-count // threads)),), (threads,), arguments)


@Once
def _attributes(index: int) -> dict[str, int]:
    """Attributes of a device: CuPy asks the driver for some hundred each time."""
    attributes: dict[str, int] = cupy.cuda.Device(index).attributes
    return attributes


def multiprocessors() -> int:
    """Number of multiprocessors of the current device."""
    return _attributes(cupy.cuda.Device().id)["MultiProcessorCount"]


def shared_bytes(share: float) -> int:
    """Shared memory of a block that takes so much of a multiprocessor."""
    attributes = _attributes(cupy.cuda.Device().id)
    alone = attributes["MaxSharedMemoryPerBlockOptin"]
    return min(alone, int(attributes["MaxSharedMemoryPerMultiprocessor"] * share))


def _in_cpp(argument: Any) -> str:
    """A template argument as C++ has it."""
    if isinstance(argument, np.dtype):
        return C_TYPES[argument]
    return str(argument).lower() if isinstance(argument, bool) else str(argument)
