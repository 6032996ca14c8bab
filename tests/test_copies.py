"""Copies to a GPU and back by many threads, on a pretended one whose streams wait for a gate.

A real one is so fast that pinned memory which is handed on too early is seldom caught.
"""

import ctypes
import importlib.util
import sys
import threading
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import sparsebc

COPIES = Path(sparsebc.__file__).parent / "engines" / "cuda" / "runtime" / "copies.py"
PIECE = 64


class Stream:
    """Work in its order, none of it done before the gate opens and somebody waits."""

    by_address: dict[int, "Stream"] = {}  # noqa: RUF012
    gate = threading.Event()

    def __init__(self, **options):
        self.works, self.done, self.ptr = [], 0, id(self)
        self.by_address[self.ptr] = self

    def reach(self, end):
        self.gate.wait()
        while self.done < end:
            self.works[self.done]()
            self.done += 1

    def synchronize(self):
        self.reach(len(self.works))

    def record(self):
        end = len(self.works)
        return SimpleNamespace(synchronize=lambda: self.reach(end))

    def wait_event(self, event):
        """What the event is of has happened: it is of a stream without work."""


class Device:
    """The only one."""

    id = 0

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


class Array:
    """Memory of the device."""

    device = Device()

    def __init__(self, shape, dtype):
        self.values = np.zeros(shape, dtype)
        self.shape, self.dtype, self.nbytes = (
            self.values.shape,
            self.values.dtype,
            self.values.nbytes,
        )
        self.data = SimpleNamespace(ptr=self.values.ctypes.data)


class Pinned(ctypes.c_uint8 * PIECE):
    """Pinned memory; where it lies is used again as soon as nobody refers to it."""

    def __del__(self):
        with self.pool.lock:
            self.pool.free.append(self.storage)


class Pool:
    """What it is taken from."""

    def __init__(self):
        self.lock, self.free = threading.Lock(), []

    def alloc(self, size):
        assert size == PIECE
        with self.lock:
            storage = self.free.pop() if self.free else bytearray(PIECE)
        memory = Pinned.from_buffer(storage)
        memory.pool, memory.storage, memory.ptr = self, storage, ctypes.addressof(memory)
        return memory


@pytest.fixture
def copies(monkeypatch):
    """The module, with copies that happen once the gate is open."""

    def start_copy(to, source, size, kind, stream):
        Stream.by_address[stream].works.append(lambda: ctypes.memmove(to, source, size))

    current = Stream()
    names = {"memcpyAsync": start_copy, "memcpyHostToDevice": 1, "memcpyDeviceToHost": 2}
    cupy = ModuleType("cupy")
    cupy.ndarray, cupy.empty = Array, Array
    cupy.cuda = SimpleNamespace(
        runtime=SimpleNamespace(**names),
        Stream=Stream,
        Device=Device,
        alloc_pinned_memory=Pool().alloc,
        get_current_stream=lambda: current,
    )
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    spec = importlib.util.spec_from_file_location("sparsebc.engines.cuda.runtime.pretended", COPIES)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "PIECE", PIECE)
    Stream.gate.clear()
    opening = threading.Timer(0.05, Stream.gate.set)
    opening.start()
    yield module
    opening.join()
    module._copiers.shutdown()


# A piece a thread, two, the last of them short, and so many that memory is used again.
@pytest.mark.parametrize("size", [16 * 8, 16 * 15 + 1, 16 * 100 - 3])
def test_what_departs_arrives(copies, size):
    """No thread gets pinned memory that another one's copy is still to be made from."""
    values = np.random.default_rng(size).integers(1, 1 << 30, size).astype(np.int32)
    assert values.nbytes >= 2 * PIECE
    np.testing.assert_array_equal(copies.upload(values).values, values)


@pytest.mark.parametrize("size", [16 * 8, 16 * 15 + 1, 16 * 100 - 3])
def test_what_arrives_is_taken(copies, size, monkeypatch):
    """Nor one that a copy is still to be made to."""
    monkeypatch.setattr(copies, "PINNED_BYTES", 0)
    there = Array(size, np.int32)
    there.values[:] = np.random.default_rng(size).integers(1, 1 << 30, size)
    monkeypatch.setattr(
        sys.modules["cupy"], "ascontiguousarray", lambda array: array, raising=False
    )
    np.testing.assert_array_equal(copies.download(there), there.values)


def test_a_copy_that_fails(copies, monkeypatch):
    """What was raised in a thread is raised here, once no other one copies."""

    def fails(*arguments):
        raise MemoryError("of the driver")

    monkeypatch.setattr(copies, "_start_copy", fails)
    with pytest.raises(MemoryError, match="of the driver"):
        copies.upload(np.arange(1000))
