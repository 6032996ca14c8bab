"""States of kernels: named tuples whose fields declare type, shape and fill of an array.

Arrays are allocated, and their bytes counted, by these declarations.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from .simd import LINE, aligned

# Dimensions, types and fills by name. An array with a dimension None is left out of a state.
Sizes = Mapping[str, Any]


class Array(NamedTuple):
    """Declaration of an array of a state; names are keys of `Sizes`."""

    dtype: Any  # or a name
    dimensions: tuple[str | int, ...]  # numbers or names
    fill: Any  # value of all elements between two searches, or a name


def array(dtype: Any, *dimensions: str | int, fill: Any = 0) -> Any:
    """Default of a field whose array is made by `allocated`."""
    return Array(dtype if isinstance(dtype, str) else np.dtype(dtype), dimensions, fill)


def allocated(kind: Any, /, sizes: Sizes, **others: Any) -> Any:
    """A state: the fields ``others`` as given, the remaining arrays allocated.

    These share one piece of memory, each on a cache line. An array with a dimension None is None.
    """
    layouts = [layout for layout in _layouts(kind, sizes) if layout[0] not in others]
    memory, start = aligned(sum(nbytes for *_, nbytes in layouts), np.dtype(np.uint8)), 0
    made = dict.fromkeys(kind._field_defaults) | others
    for name, shape, dtype, nbytes in layouts:
        made[name] = values = np.ndarray(shape, dtype, memory, start)
        start += nbytes
        fill = kind._field_defaults[name].fill
        if fill:
            values[...] = sizes[fill] if isinstance(fill, str) else fill
    return kind(**made)


def nbytes_of(kind: Any, sizes: Sizes) -> int:
    """Bytes of the arrays of a state."""
    return sum(nbytes for *_, nbytes in _layouts(kind, sizes))


def _layouts(kind: Any, sizes: Sizes) -> Iterator[tuple[str, list[int], np.dtype[Any], int]]:
    """Name, shape, type and bytes of each array of a state, padded to a cache line."""
    for name, (dtype, dimensions, _) in kind._field_defaults.items():
        shape = [sizes[length] if isinstance(length, str) else length for length in dimensions]
        if None not in shape:
            element = sizes[dtype] if isinstance(dtype, str) else dtype
            element = element if isinstance(element, np.dtype) else np.dtype(element)
            yield name, shape, element, -(-math.prod(shape) * element.itemsize // LINE) * LINE
