"""What launchers share with kernels: it stands in C++ alone, and is read there.

Structs are passed by value; constants are those of a header. `layout.py` beside the kernels has
both by name.
"""

import re
import struct
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .source import HERE, complete

# Types of arguments passed by value, for NumPy and for `struct`; others are structs or pointers.
SCALARS = {
    "int": ("i4", "i"),
    "unsigned": ("u4", "I"),
    "long long": ("i8", "q"),
    "unsigned long long": ("u8", "Q"),
    "float": ("f4", "f"),
    "double": ("f8", "d"),
}
# A type, and the names that it declares, some of them of pointers or arrays.
DECLARATION = re.compile(r"([^(){}]*?[\w>])\s+(\*?\w+(?:\[\d+\])?(?:,\s*\*?\w+(?:\[\d+\])?)*)")
NAME = re.compile(r"(\*?)(\w+)(?:\[(\d+)\])?")


class Field(NamedTuple):
    """A field of a struct: ``const int *seen[2];`` has the addresses of two arrays."""

    name: str
    dtype: str
    letter: str  # of `struct`
    is_pointer: bool
    length: int  # of an array; 0 for a field of its own


class Struct:
    """A struct of a source file, at whose head ``name`` stands: one that is not aligned otherwise.

    Fields come before all functions; the first one after a base is aligned as the end of that.
    Those of a struct within are named by both, with a dot between.
    """

    def __init__(self, file: str, name: str) -> None:
        self.file, self.name = file, name

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """In the order of C++, those of the base first."""
        return tuple(_fields(re.sub("//.*", "", complete(HERE / self.file)), self.name))

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """Each field where C++ has it."""
        return np.dtype(
            [(f.name, f.dtype, (f.length,) * (f.length > 0)) for f in self.fields], True
        )

    @cached_property
    def _packed(self) -> struct.Struct:
        """Looked up once, for `pack` is in the way of every launch."""
        items = (f"{max(field.length, 1)}{field.letter}" for field in self.fields)
        return struct.Struct("".join(items) + "0q")

    def pack(self, values: Mapping[str, Any]) -> NDArray[Any]:
        """Bytes of the struct, to pass by value: numbers, and the addresses of CuPy arrays.

        Each field has its value by name; that of a pointer may be None, which is null. What is
        packed keeps no array alive, and is opaque: CuPy would look through fields at every launch.
        """
        items: list[Any] = []
        for name, _, _, is_pointer, length in self.fields:
            value = values[name]
            if length:
                items += map(_address, value) if is_pointer else value
            else:
                items.append(_address(value) if is_pointer else value)
        return np.frombuffer(self._packed.pack(*items), f"V{self._packed.size}")


def constants(file: str, *names: str) -> list[int]:
    """Values of constants of a header by name: whole numbers."""
    text = re.sub("//.*", "", (HERE / file).read_text(encoding="utf-8"))
    declared = re.findall(r"constexpr (?:int|unsigned) ([^;]*);", text)
    values = dict(each.split(" = ") for line in declared for each in re.split(r",\s*", line))
    return [int(values[name], 0) for name in names]


def _fields(text: str, name: str) -> Iterator[Field]:
    """Fields of a struct of C++ without comments."""
    head = re.search(rf"struct {re.escape(name)}(?: : (\w+)[^{{]*)? {{", text)
    assert head, f"no struct {name}"
    if head[1]:
        yield from _fields(text, head[1])
    for statement in map(str.strip, text[head.end() :].split(";")):
        if statement.startswith("using "):
            continue
        declared = DECLARATION.fullmatch(statement)
        if not declared:  # a function, or the end
            return
        for star, own, length in NAME.findall(declared[2]):
            kind = ("u8", "Q") if star else SCALARS.get(declared[1])
            if kind:
                yield Field(own, *kind, bool(star), int(length or 0))
            else:
                for field in _fields(text, declared[1]):
                    yield field._replace(name=f"{own}.{field.name}")


def _address(array: Any) -> int:
    """Where an array of CuPy's lies; None lies nowhere."""
    return 0 if array is None else int(array.data.ptr)
