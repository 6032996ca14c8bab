"""The stream that carries all work on a device, in order with the caller's."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import cupy

from .kernels import Once


@Once
def stream(index: int) -> Any:
    """The stream of all work on a device, on which the memory pool reuses what is freed."""
    with cupy.cuda.Device(index):
        return cupy.cuda.Stream(non_blocking=True)


# In each thread, as cuda:0, the stream that was current on a device before `own_stream`.
_callers = threading.local()


@contextmanager
def own_stream(index: int) -> Iterator[None]:
    """Make our stream current, ordered after the work of the caller's and before what follows."""
    ours, current = stream(index), cupy.cuda.get_current_stream()
    if current == ours:
        yield
        ours.synchronize()
        return
    ours.wait_event(current.record())
    name = f"cuda:{index}"
    is_outermost = not hasattr(_callers, name)
    if is_outermost:
        setattr(_callers, name, current)
    try:
        with ours:
            yield
        current.wait_event(ours.record())
        ours.synchronize()
    finally:
        if is_outermost:
            delattr(_callers, name)


@contextmanager
def callers_stream(index: int) -> Iterator[None]:
    """Make the caller's stream current on the current device, to allocate what is returned.

    CuPy reuses memory in the order of the stream of its allocation: if that were ours, an array
    that the caller has freed could be written by the next call while the caller's kernels read it.
    """
    caller = getattr(_callers, f"cuda:{index}", None)
    if caller is None:  # it is current
        yield
        return
    ours = stream(index)
    caller.wait_event(ours.record())
    with caller:
        yield
    ours.wait_event(caller.record())
