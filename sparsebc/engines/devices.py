"""Devices: the engine that a name or a matrix selects, and where results are delivered."""

from __future__ import annotations

import functools
import importlib.util
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from ..errors import DeviceError, InputTypeError, OptionError
from ..graph.csr import CSR, Matrix
from ..graph.network import matrix_of
from .common.base import Engine, Kernel, stands_in

if TYPE_CHECKING:
    from .cuda.runtime.copies import CSRDownload as CSRDownload

Device = str | Sequence[str]


def _cpu() -> Engine:
    from .cpu.engine import CPU

    return CPU()


def _reference() -> Engine:
    from .reference.engine import Reference

    return Reference()


def _reference_on_gpu() -> Engine:
    if not gpus():
        raise DeviceError(f"device 'reference:cuda' is not there: {_why_not()}", *WITHOUT_GPU)
    from .reference.elementwise import DEVICE
    from .reference.engine import Reference

    return Reference(DEVICE)


WITHOUT_GPU = ("device", "device='cpu'")  # arguments that a message on a missing GPU names

ENGINES: dict[str, Callable[[], Engine]] = {
    "cpu": _cpu,
    "reference": _reference,
    "reference:cuda": _reference_on_gpu,
}


def select(device: Device | None, origin: str | None = None) -> Engine:
    """Engine of a device, or of several GPUs.

    ``origin`` is the `home` of the matrix: the device by default, and the first of several. Where
    there is neither, the best of this machine is taken.
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
    raise OptionError(
        f"device must be one of {known}, 'cuda', 'cuda:0' or None, got {device!r}",
        "device",
        " or None",
    )


def engine_of(engine: Engine, kernel: Kernel) -> Engine:
    """The engine on whose device a kernel of a table runs: the CPU, where one stands in."""
    return _cpu() if stands_in(engine, kernel) else engine


def _several(names: Sequence[str], origin: str | None) -> Engine:
    """Engine of the GPUs of these names; that of the matrix reads and prepares it."""
    given: dict[int, str] = {}
    for name in names:
        if not isinstance(name, str):
            raise InputTypeError(
                f"device must list strings, got {name!r}: try ['cuda:0', 'cuda:1']"
            )
        index = _number(name)
        if index is None:
            raise OptionError(
                f"device must list GPUs alone, got {name!r}: try ['cuda:0', 'cuda:1'], or name one "
                "device by a string",
                "device",
                "['cuda:0', 'cuda:1']",
            )
        if index in given:
            raise OptionError(
                f"device lists 'cuda:{index}' more than once: list each GPU once", "device"
            )
        given[index] = name
    if not given:
        raise OptionError(
            "device is an empty list: list a GPU, or leave it out for the default", "device"
        )
    return _cuda(dict(sorted(given.items(), key=lambda item: f"cuda:{item[0]}" != origin)))


def _number(device: str) -> int | None:
    """Number of the GPU of a name; None if it names something else."""
    match = re.fullmatch("cuda(?::([0-9]+))?", device)
    return int(match[1] or 0) if match else None


def _cuda(given: dict[int, str]) -> Engine:
    """Engine of GPUs, by number, and what they were called."""
    there = gpus()
    for index, name in given.items():
        if index >= len(there):
            raise DeviceError(
                f"device {name!r} is not there: "
                + (f"the GPUs are cuda:0 to cuda:{len(there) - 1}" if there else _why_not()),
                *WITHOUT_GPU,
            )
    if len({there[index].partition(" ")[2] for index in given}) > 1:
        unlike = "; ".join(there[index] for index in given)
        raise OptionError(
            f"device lists GPUs that differ ({unlike}), and the last digits of a sum depend on its "
            "GPU: list GPUs of one kind",
            "device",
        )
    from .cuda.engine import CUDA

    return CUDA(*given)


@functools.cache
def gpus() -> tuple[str, ...]:
    """One line for each GPU that CuPy sees; CuPy is not imported where it is not installed."""
    if _why_not():
        return ()
    from .cuda.engine import describe

    return describe()


@functools.cache
def _why_not() -> str:
    """Why there is no GPU to use, in one line; empty if there is one."""
    if importlib.util.find_spec("cupy") is None:
        return (
            'CuPy is not installed: python -m pip install "cupy-cuda13x[ctk]" (cupy-cuda12x for an '
            "older driver), or use device='cpu'"
        )
    try:
        import cupy

        found = cupy.cuda.runtime.getDeviceCount()
    except Exception as error:  # a broken CUDA fails in many ways, and all of them end here
        first = str(error).strip().split("\n")[0]
        return f"CuPy finds no working CUDA ({type(error).__name__}: {first}): use device='cpu'"
    return "" if found else "CuPy finds no GPU: use device='cpu'"


def home(matrix: Any) -> str | None:
    """Device that holds a CuPy array or matrix, as "cuda:0"; None for everything else.

    A tuple is where the first of its arrays is that a GPU holds, a `Network` where its matrix is.
    """
    matrix = matrix_of(matrix)
    if isinstance(matrix, tuple):
        return next(filter(None, map(home, matrix)), None)
    if type(matrix).__module__.partition(".")[0] not in ("cupy", "cupyx"):
        return None
    return f"cuda:{getattr(matrix, 'data', matrix).device.id}"


def empty(engine: Engine, shape: tuple[int, int], dtype: Any, device: str | None) -> Any:
    """An array to fill, on a GPU if that is the engine's and the ``device`` of the matrix."""
    if device != engine.name:
        return np.empty(shape, dtype)
    import cupy

    return cupy.empty(shape, dtype)


def handover(pattern: CSR, device: str | None) -> CSRDownload | None:
    """For `deliver`, where a matrix of this pattern is to leave a GPU for the host, and is large.

    To be called before its values are computed, and given to one call.
    """
    if device is not None or home(pattern.indices) is None:
        return None
    from .cuda.runtime.copies import CSRDownload as CSRDownload

    return CSRDownload(pattern) if CSRDownload.pays(pattern) else None


def deliver(values: Any, device: str | None, begun: CSRDownload | None = None) -> Any:
    """The array or csr matrix on the device that `home` named, or on the host for None.

    The matrix has arrays of its own: SciPy changes them in place, and those of a pattern may be the
    caller's, or those of the next result. What was copied to get there is not copied again.
    """
    parts: tuple[Any, ...] = (values,)
    n = None
    if isinstance(values, Matrix):
        pattern, data = values
        if begun is not None:
            n = pattern.indptr.size - 1
            return scipy.sparse.csr_array(begun.filled(data), shape=(n, n))
        parts, n = (data, *pattern.of_one_type), pattern.indptr.size - 1
    here = tuple(part if home(part) == device else _on_host(part) for part in parts)
    if device is not None:
        from .cuda.engine import on_device

        return on_device(here, n, int(device.partition(":")[2]))
    if n is None:
        return here[0]
    own = tuple(
        there.copy() if there is part else there for there, part in zip(here, parts, strict=True)
    )
    return scipy.sparse.csr_array(own, shape=(n, n))


def model(name: str) -> str:
    """Kind of an engine by its name: of GPUs the model, whose bits are alike wherever they are."""
    index = _number(name.partition(",")[0])
    return name if index is None else gpus()[index].partition(" ")[2].partition(",")[0]


def fetched(value: Any) -> Any:
    """A result of tuples, lists and dicts, its arrays in the memory of the host."""
    if isinstance(value, dict):
        return {key: fetched(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        parts = map(fetched, value)
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return value if home(value) is None else _on_host(value)


def _on_host(array: Any) -> NDArray[Any]:
    if home(array) is None:
        return np.asarray(array)
    from .cuda.runtime.copies import download

    return download(array)
