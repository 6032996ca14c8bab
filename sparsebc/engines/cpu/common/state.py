"""States of kernels: named tuples of arrays, each declared once with its type and its shape.

One table allocates the arrays of a state and counts their bytes.
"""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .simd import aligned

_named_tuple: Any = namedtuple
# Lengths, types and fills by name; None for a dimension of what a state does without.
Sizes = Mapping[str, Any]


class Array(NamedTuple):
    """Type and dimensions of an array of a state, and what it holds in between."""

    dtype: Any  # or the name of one in the sizes
    dimensions: tuple[str | int, ...]  # their lengths, or the names of these
    fill: Any  # or its name

    def shape(self, sizes: Sizes) -> tuple[int, ...] | None:
        """Its shape, None where the state does without it."""
        found = [sizes[one] if isinstance(one, str) else one for one in self.dimensions]
        return None if None in found else tuple(found)

    def type(self, sizes: Sizes) -> np.dtype[Any]:
        """Type of its elements."""
        return np.dtype(sizes[self.dtype] if isinstance(self.dtype, str) else self.dtype)


def array(dtype: Any, *dimensions: str | int, fill: Any = 0) -> Any:
    """An array to be allocated, on a cache line."""
    return Array(dtype, dimensions, fill)


class _Table(type):
    """Makes a named tuple of a class that has `State` for its base, as `typing.NamedTuple` does."""

    def __new__(mcs, name: str, bases: tuple[type, ...], members: dict[str, Any]) -> Any:
        if not bases:
            return super().__new__(mcs, name, bases, members)
        made = _named_tuple(name, list(members["__annotations__"]))
        made.arrays = {key: value for key, value in members.items() if isinstance(value, Array)}
        made.make, made.nbytes = classmethod(_make), classmethod(_nbytes)
        made.__doc__, made.__module__ = members["__doc__"], members["__module__"]
        return made


class State(metaclass=_Table):
    """Base of states: annotations name the fields, and those set to an `array` are allocated.

    ``make(sizes, **others)`` allocates one, with the other fields given; ``nbytes(sizes)`` is its
    memory, without these.
    """

    _fields: ClassVar[tuple[str, ...]]
    make: ClassVar[Callable[..., Any]]
    nbytes: ClassVar[Callable[[Sizes], int]]


def _make(cls: Any, /, sizes: Sizes, **others: Any) -> Any:
    return cls(**{name: _allocated(one, sizes) for name, one in cls.arrays.items()} | others)


def _nbytes(cls: Any, /, sizes: Sizes) -> int:
    shapes = [(one.shape(sizes), one.type(sizes).itemsize) for one in cls.arrays.values()]
    return sum(math.prod(shape) * itemsize for shape, itemsize in shapes if shape is not None)


def _allocated(one: Array, sizes: Sizes) -> Any:
    """An array of a table, or None."""
    shape = one.shape(sizes)
    if shape is None:
        return None
    values = aligned(math.prod(shape), one.type(sizes)).reshape(shape)
    if one.fill:
        values[...] = sizes[one.fill] if isinstance(one.fill, str) else one.fill
    return values
