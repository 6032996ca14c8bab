"""CUDA sources with a constant replaced, for tests that force a path of the code."""

from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import sparsebc
from sparsebc.engines.cuda.kernel_table import KERNELS
from sparsebc.engines.cuda.runtime.source import complete

SOURCES = Path(sparsebc.__file__).parent / "engines" / "cuda"


def changed(file, text, other):
    """Complete source of a file with one text replaced."""
    source = complete(SOURCES / file)
    assert source.count(text) == 1, f"{text!r} stands {source.count(text)} times in {file}"
    return source.replace(text, other)


def with_width(width, *names):
    """The table of a GPU, whose kernels of these names have batches of so many sources."""
    return [
        replace(kernel, width=width) if kernel.device == "cuda" and kernel.name in names else kernel
        for kernel in KERNELS
    ]


def short_of_memory(patch, what, *, most, device=None):
    """Let memory run out when more than ``most`` slots of ``what`` are allocated at once."""
    import cupy

    from sparsebc.engines.cuda.runtime import allocation as memory

    allocated = memory.InFlight._allocated

    def short(self, slots):
        is_there = device in (None, cupy.cuda.Device().id)
        if what in self._what and slots > most and is_there:
            raise cupy.cuda.memory.OutOfMemoryError(0, 0, 0)
        return allocated(self, slots)

    patch.setattr(memory.InFlight, "_allocated", short)


@contextmanager
def changed_sources(monkeypatch, file, text, other):
    """Context in which kernels are compiled with one text replaced."""
    from sparsebc.engines.cuda.runtime import kernels

    source = changed(file, text, other)

    def read(path):
        return source if path.resolve() == (SOURCES / file).resolve() else complete(path)

    with monkeypatch.context() as patch:
        patch.setattr(kernels, "complete", read)
        kernels.kernels.cache_clear()
        try:
            yield
        finally:
            kernels.kernels.cache_clear()
