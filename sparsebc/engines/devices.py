"""Devices: the engine that a name or a matrix selects; delivery of results to a device."""

from __future__ import annotations

import functools
import importlib.util
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse

from ..errors import DeviceError, InputError, InputTypeError
from ..foreign import adopted
from ..matrix.csr import Matrix
from ..matrix.matrix_arrays import Network
from .common.base import Engine, Kernel

Device = str | Sequence[str]


def _cpu() -> Engine:
    from .cpu.engine import CPU

    return CPU()


def _reference() -> Engine:
    from .reference.engine import Reference

    return Reference()


def _reference_on_gpu() -> Engine:
    if not gpus():
        raise DeviceError(f"device 'reference:cuda' is not available: {_why_not()}", "device")
    from .reference.elementwise import DEVICE
    from .reference.engine import Reference

    return Reference(DEVICE)


ENGINES: dict[str, Callable[[], Engine]] = {
    "cpu": _cpu,
    "reference": _reference,
    "reference:cuda": _reference_on_gpu,
}


def select(device: Device | None, origin: str | None = None) -> Engine:
    """Engine of a device, or of several GPUs.

    ``origin`` is the `home` of the matrix: the default device, and the first of several. Without
    either, the first GPU is taken, or else the CPU.
    """
    if device is None:
        device = origin or ("cuda" if gpus() else "cpu")
    if isinstance(device, (list, tuple)):
        return _several(device, origin)
    if not isinstance(device, str):
        raise InputTypeError(
            f"device must be a string, a list of strings or None, got {device!r}: try 'cpu'"
        )
    if device in ENGINES:
        return ENGINES[device]()
    index = _number(device)
    if index is not None:
        return _cuda({index: device})
    known = ", ".join(map(repr, ENGINES))
    raise InputError(
        f"device must be one of {known}, 'cuda', 'cuda:0' or None, got {device!r}",
        "device",
    )


def engine_of(engine: Engine, kernel: Kernel) -> Engine:
    """The engine that runs a kernel of a table: the CPU if a host kernel stands in for a GPU's."""
    return _cpu() if engine.devices and kernel.device == "cpu" else engine


def _several(names: Sequence[str], origin: str | None) -> Engine:
    """Engine of the named GPUs; the first is that of the matrix, which it prepares."""
    given: dict[int, str] = {}
    for name in names:
        if not isinstance(name, str):
            raise InputTypeError(
                f"device must list strings, got {name!r}: try ['cuda:0', 'cuda:1']"
            )
        index = _number(name)
        if index is None:
            raise InputError(
                f"device must list GPUs alone, got {name!r}: try ['cuda:0', 'cuda:1'], or name one "
                "device by a string",
                "device",
            )
        if index in given:
            raise InputError(
                f"device lists 'cuda:{index}' more than once: list each GPU once", "device"
            )
        given[index] = name
    if not given:
        raise InputError(
            "device is an empty list: list a GPU, or leave it out for the default", "device"
        )
    return _cuda(dict(sorted(given.items(), key=lambda item: f"cuda:{item[0]}" != origin)))


def _number(device: str) -> int | None:
    """Index of the GPU that is named; None if ``device`` names no GPU."""
    match = re.fullmatch("cuda(?::([0-9]+))?", device)
    return int(match[1] or 0) if match else None


def _cuda(given: dict[int, str]) -> Engine:
    """Engine of the GPUs of these indices, each with the name that the caller used."""
    present = gpus()
    for index, name in given.items():
        if index >= len(present):
            raise DeviceError(
                f"device {name!r} is not available: "
                + (f"the GPUs are cuda:0 to cuda:{len(present) - 1}" if present else _why_not()),
                "device",
            )
    if len({present[index].partition(" ")[2] for index in given}) > 1:
        unlike = "; ".join(present[index] for index in given)
        raise InputError(
            f"device lists GPUs that differ ({unlike}), and the last digits of a sum depend on its "
            "GPU: list GPUs of one kind",
            "device",
        )
    from .cuda.engine import CUDA

    return CUDA(*given)


@functools.cache
def gpus() -> tuple[str, ...]:
    """One line for each GPU that CuPy finds; none if CuPy is not installed."""
    if _why_not():
        return ()
    from .cuda.engine import describe

    return describe()


@functools.cache
def _why_not() -> str:
    """Reason why no GPU can be used, in one line; empty if one can."""
    if importlib.util.find_spec("cupy") is None:
        return (
            'CuPy is not installed: python -m pip install "cupy-cuda13x[ctk]" (cupy-cuda12x for an '
            "older driver), or use device='cpu'"
        )
    try:
        import cupy

        count = cupy.cuda.runtime.getDeviceCount()
    except Exception as error:  # a broken CUDA raises errors of many types
        first = str(error).strip().split("\n")[0]
        return f"CuPy finds no working CUDA ({type(error).__name__}: {first}): use device='cpu'"
    return "" if count else "CuPy finds no GPU: use device='cpu'"


def home(matrix: Any) -> str | None:
    """Device of a CuPy array or matrix, as in "cuda:0"; None for everything else.

    Of a tuple, the device of its first array on a GPU; of a `Network`, that of its matrix.
    """
    if isinstance(matrix, Network):
        matrix = matrix.matrix
    if isinstance(matrix, tuple):
        return next(filter(None, map(home, adopted(matrix))), None)
    library = type(matrix).__module__.partition(".")[0]
    if library in ("cupy", "cupyx"):
        return f"cuda:{getattr(matrix, 'data', matrix).device.id}"
    there = matrix if library in ("builtins", "numpy", "scipy") else adopted(matrix)
    return None if there is matrix else home(there)


def empty(engine: Engine, shape: tuple[int, int], dtype: Any, device: str | None) -> Any:
    """An uninitialized array: on the ``device`` of the matrix if the engine's, else on the host."""
    if device != engine.name:
        return np.empty(shape, dtype)
    import cupy

    return cupy.empty(shape, dtype)


def deliver(values: Any, device: str | None) -> Any:
    """The array or csr matrix on a ``device`` (as named by `home`), or on the host for None.

    A csr matrix on the host owns its arrays, since SciPy changes them in place, and a pattern may
    share them with the caller or with the next result. Downloaded arrays are not copied again.
    """
    parts: tuple[Any, ...] = (values,)
    n = None
    if isinstance(values, Matrix):
        pattern, data = values
        parts, n = (data, *pattern.of_one_type), pattern.indptr.size - 1
    moved = tuple(part if home(part) == device else fetched(part) for part in parts)
    if device is not None:
        from .cuda.engine import on_device

        return on_device(moved, n, int(device.partition(":")[2]))
    if n is None:
        return moved[0]
    owned = tuple(
        array.copy() if array is part else array for array, part in zip(moved, parts, strict=True)
    )
    return scipy.sparse.csr_array(owned, shape=(n, n))


def model(name: str) -> str:
    """Hardware model that fixes an engine's bits: the model of its GPUs, else the engine's name."""
    index = _number(name.partition(",")[0])
    return name if index is None else gpus()[index].partition(" ")[2].partition(",")[0]


def fetched(value: Any) -> Any:
    """A result of nested tuples, lists and dicts, with all arrays downloaded to the host."""
    if isinstance(value, dict):
        return {key: fetched(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        parts = map(fetched, value)
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if home(value) is None:
        return value
    from .cuda.runtime.copies import download

    return download(value)
