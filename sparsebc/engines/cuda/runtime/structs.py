"""What a kernel is called with: one table of fields gives the NumPy dtype and the C++ text.

The tables stand in `layout.py` beside the kernels, as do the constants that launchers and kernels
share. A source file has them by `#include "<name>.gen.cuh"`, which `source.py` looks up in
``HEADERS`` of that file: within the braces of the struct, where these are its fields.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# Types of what is passed by value; all else is a pointer.
SCALARS: dict[str, np.dtype[Any]] = {
    "int": np.dtype(np.int32),
    "unsigned": np.dtype(np.uint32),
    "long long": np.dtype(np.int64),
    "unsigned long long": np.dtype(np.uint64),
    "float": np.dtype(np.float32),
    "double": np.dtype(np.float64),
}
ADDRESS = np.dtype(np.uint64)
LETTERS = {"i4": "i", "u4": "I", "i8": "q", "u8": "Q", "f4": "f", "f8": "d"}  # of `struct`


class Field(NamedTuple):
    """A field of a struct: ``Field("const int *", "hubs", "(hub_count,)")``."""

    c_type: str
    name: str
    meaning: str = ""
    length: int = 0  # of an array; 0 for a field of its own

    @property
    def is_pointer(self) -> bool:
        """Whether an address is passed."""
        return self.c_type.endswith("*")

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the field, or of an item."""
        return ADDRESS if self.is_pointer else SCALARS[self.c_type]

    @property
    def declaration(self) -> str:
        """Line of C++."""
        space = "" if self.is_pointer else " "
        items = f"[{self.length}]" if self.length else ""
        meaning = f"  // {self.meaning}" if self.meaning else ""
        return f"    {self.c_type}{space}{self.name}{items};{meaning}\n"


class Struct:
    """Fields in the order of C++, after those of a ``base``, at the offsets that C++ gives them."""

    fields: tuple[Field, ...]
    text: str  # C++ of the fields after those of the base
    dtype: np.dtype[Any]

    def __init__(self, *fields: Field, base: Struct | None = None) -> None:
        self.fields = (*base.fields, *fields) if base else fields
        self.text = "".join(field.declaration for field in fields)
        alignment = max(field.dtype.alignment for field in self.fields)
        offsets: list[int] = []
        end, layout = 0, "<"
        for i, field in enumerate(self.fields):
            least = base.dtype.itemsize if base and i == len(base.fields) else end
            begin = _aligned(least, field.dtype.alignment)
            layout += f"{begin - end}x{max(field.length, 1)}{LETTERS[field.dtype.str[1:]]}"
            offsets.append(begin)
            end = begin + field.dtype.itemsize * max(field.length, 1)
        size = _aligned(end, alignment)
        # Looked up once, for `pack` is in the way of every launch.
        self._kinds = [(field.name, field.is_pointer, field.length > 0) for field in self.fields]
        self._layout = struct.Struct(f"{layout}{size - end}x")
        self.dtype = np.dtype(
            {
                "names": [field.name for field in self.fields],
                "formats": [
                    (field.dtype, field.length) if field.length else field.dtype
                    for field in self.fields
                ],
                "offsets": offsets,
                "itemsize": size,
            }
        )

    def pack(self, values: Mapping[str, Any]) -> NDArray[Any]:
        """Bytes of the struct, to pass by value: numbers, and the addresses of CuPy arrays.

        Each field has its value by name; that of a pointer may be None, which is null. What is
        packed keeps no array alive, and is opaque: CuPy would look through fields at every launch.
        """
        items: list[Any] = []
        for name, is_pointer, is_array in self._kinds:
            value = values[name]
            if is_array:
                items += map(_address, value) if is_pointer else value
            else:
                items.append(_address(value) if is_pointer else value)
        return np.frombuffer(self._layout.pack(*items), f"V{self.dtype.itemsize}")


def constants(c_type: str, **values: float) -> str:
    """C++ text of constants of a type; floats are told to the last bit."""
    return "".join(f"constexpr {c_type} {name} = {value!r};\n" for name, value in values.items())


def _address(array: Any) -> int:
    """Where an array of CuPy's lies; None lies nowhere."""
    return 0 if array is None else int(array.data.ptr)


def _aligned(offset: int, alignment: int) -> int:
    """The next offset that is a multiple."""
    return -(-offset // alignment) * alignment
