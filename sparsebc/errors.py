"""Exception classes for errors of the input or of the machine, as against bugs of the package.

Warnings and refusals of files, with their ways out, are in ``io/remarks.py``.
"""

from __future__ import annotations

import importlib
from concurrent.futures import BrokenExecutor, CancelledError
from types import ModuleType
from typing import Self


class SparsebcError(Exception):
    """Base of all errors that the package raises on purpose; each has a built-in base as well.

    ``option`` is the name of the argument at fault, "" for none. The message has Python's spelling
    of arguments, ``cutoff`` and ``device='cpu'``, for which a command puts that of its options.
    """

    def __init__(self, message: str = "", option: str = "") -> None:
        super().__init__(message)
        self.option = option.partition("[")[0]  # `groups` for a fault of groups[0]


class InputError(SparsebcError, ValueError):
    """An argument or a file has a value that cannot be used."""


class EdgeError(InputError):
    """A stored value cannot be used: ``at`` is its row and column, or its index in ``A.data``."""

    def __init__(self, message: str = "", at: tuple[int, int] | int = 0) -> None:
        super().__init__(message)
        self.at = at


class InputTypeError(SparsebcError, TypeError):
    """An argument has a type that cannot be used."""


class DeviceError(SparsebcError, RuntimeError):
    """A device is missing, or is not of the kind that a run began on."""


class MissingPackageError(SparsebcError, ImportError):
    """A package that one function needs is not installed."""


class MemoryBudgetError(SparsebcError, MemoryError):
    """One worker needs more than the memory budget of the run: ``needed`` bytes."""

    needed: int = 0

    def __new__(cls, *args: object) -> Self:
        """Dask unpickles by this method; that of `MemoryError` refuses classes of two bases."""
        return Exception.__new__(cls, *args)


class RangeError(SparsebcError, OverflowError):
    """A number is beyond the range of its type."""


def imported(module: str, missing: str) -> ModuleType:
    """Module of an optional package; MissingPackageError with the message ``missing``."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingPackageError(missing) from error


def is_loss(error: BaseException) -> bool:
    """Whether a task failed because its worker did."""
    of_dask = ("KilledWorker", "FutureCancelledError")
    return isinstance(error, (BrokenExecutor, CancelledError)) or type(error).__name__ in of_dask


def is_foreseen(error: BaseException) -> bool:
    """Whether the input or the machine (files, memory, packages, workers) caused an error."""
    of_machine = (OSError, MemoryError, ModuleNotFoundError)
    return isinstance(error, (SparsebcError, *of_machine)) or is_loss(error)
