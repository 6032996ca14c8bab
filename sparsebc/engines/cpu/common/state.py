"""States of kernels: named tuples, whose arrays have type and shape for a default.

By these declarations arrays are allocated, and their bytes counted.
"""

from __future__ import annotations

import math
from collections.abc import ItemsView, Mapping
from typing import Any, NamedTuple

import numpy as np

from .simd import aligned

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
    """Default of a field whose array `allocated` makes, on a cache line."""
    return Array(dtype, dimensions, fill)


def allocated(kind: Any, /, sizes: Sizes, **others: Any) -> Any:
    """A state of that kind: others are as given, arrays that are not among them newly made."""
    made = {name: _allocated(one, sizes) for name, one in _arrays(kind) if name not in others}
    return kind(**made, **others)


def nbytes_of(kind: Any, sizes: Sizes) -> int:
    """Memory of the arrays of such a state."""
    shapes = [(one.shape(sizes), one.type(sizes).itemsize) for _, one in _arrays(kind)]
    return sum(math.prod(shape) * itemsize for shape, itemsize in shapes if shape is not None)


def _arrays(kind: Any) -> ItemsView[str, Array]:
    arrays: dict[str, Array] = kind._field_defaults
    return arrays.items()


def _allocated(one: Array, sizes: Sizes) -> Any:
    """An array of a table, or None."""
    shape = one.shape(sizes)
    if shape is None:
        return None
    values = aligned(math.prod(shape), one.type(sizes)).reshape(shape)
    if one.fill:
        values[...] = sizes[one.fill] if isinstance(one.fill, str) else one.fill
    return values
