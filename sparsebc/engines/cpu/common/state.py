"""States of kernels: named tuples, whose arrays have type and shape for a default.

By these declarations arrays are allocated, and their bytes counted.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from .simd import LINE, aligned

# Lengths, types and fills by name; None for a dimension of what a state does without.
Sizes = Mapping[str, Any]


class Array(NamedTuple):
    """Type and dimensions of an array of a state, and what it holds in between."""

    dtype: Any  # or the name of one in the sizes
    dimensions: tuple[str | int, ...]  # their lengths, or the names of these
    fill: Any  # or its name


def array(dtype: Any, *dimensions: str | int, fill: Any = 0) -> Any:
    """Default of a field whose array `allocated` makes, on a cache line."""
    return Array(dtype if isinstance(dtype, str) else np.dtype(dtype), dimensions, fill)


def allocated(kind: Any, /, sizes: Sizes, **others: Any) -> Any:
    """A state of that kind: others are as given, arrays that are not among them newly made.

    They share one piece of memory. An array of which a dimension is None is None.
    """
    places = [place for place in _places(kind, sizes) if place[0] not in others]
    memory, start = aligned(sum(nbytes for *_, nbytes in places), np.dtype(np.uint8)), 0
    made = dict.fromkeys(kind._field_defaults) | others
    for name, shape, dtype, nbytes in places:
        made[name] = values = np.ndarray(shape, dtype, memory, start)
        start += nbytes
        fill = kind._field_defaults[name].fill
        if fill:
            values[...] = sizes[fill] if isinstance(fill, str) else fill
    return kind(**made)


def nbytes_of(kind: Any, sizes: Sizes) -> int:
    """Memory of the arrays of such a state."""
    return sum(nbytes for *_, nbytes in _places(kind, sizes))


def _places(kind: Any, sizes: Sizes) -> Iterator[tuple[str, list[int], np.dtype[Any], int]]:
    """Name, shape and type of each array that a state has, and its bytes, in whole cache lines."""
    for name, (dtype, dimensions, _) in kind._field_defaults.items():
        shape = [sizes[one] if isinstance(one, str) else one for one in dimensions]
        if None not in shape:
            kept = sizes[dtype] if isinstance(dtype, str) else dtype
            kept = kept if isinstance(kept, np.dtype) else np.dtype(kept)
            yield name, shape, kept, -(-math.prod(shape) * kept.itemsize // LINE) * LINE
