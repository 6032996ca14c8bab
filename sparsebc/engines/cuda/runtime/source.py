"""CUDA sources: one string for the compiler, and what launchers share with kernels, read there.

A cache of kernels sees every change of that string, which has all headers in their places. Structs
are passed by value.
"""

import os
import re
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# Products are rounded before they are added: whether they would be is the compiler's choice, one by
# one for each instance of a kernel, and so would be the last bits of what instances compute alike.
OPTIONS = "-std=c++17", "--fmad=false"
INCLUDE = re.compile(r'^ *#include "([\w./]+)"\n', re.MULTILINE)
HERE = Path(__file__).parents[1].resolve()
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


def complete(path: Path, seen: set[Path] | None = None) -> str:
    """Text of a source file with its headers in it, each once; compilers see lines by file.

    Of those in ``seen``, all are there already.
    """
    file, seen = path.resolve(), set() if seen is None else seen
    seen.add(file)
    text = file.read_text(encoding="utf-8")
    name = Path(os.path.relpath(file, HERE)).as_posix()  # a backslash would begin an escape
    parts, end = [f'#line 1 "{name}"\n'], 0
    for match in INCLUDE.finditer(text):
        included = (file.parent / match[1]).resolve()
        line = text.count("\n", 0, match.end()) + 1
        header = "" if included in seen else f'{complete(included, seen)}#line {line} "{name}"'
        parts += text[end : match.start()], header + "\n"
        end = match.end()
    return "".join((*parts, text[end:])).replace("#pragma once\n", "\n")


class Field(NamedTuple):
    """A field of a struct: ``const int *seen[2];`` has the addresses of two arrays."""

    name: str
    dtype: str
    letter: str  # of `struct`
    is_pointer: bool
    length: int  # of an array; 0 for a field of its own


@dataclass(frozen=True)
class Struct:
    """A struct of a source file, at whose head ``name`` stands: one that is not aligned otherwise.

    Fields come before all functions; the first one after a base is aligned as the end of that.
    Those of a struct within are named by both, with a dot between.
    """

    file: str
    name: str

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
            each = values[name] if length else (values[name],)
            items += [0 if one is None else one.data.ptr for one in each] if is_pointer else each
        return np.frombuffer(self._packed.pack(*items), f"V{self._packed.size}")


class Constants:
    """Whole constants of a source file and of the headers in it, by name."""

    def __init__(self, file: str) -> None:
        text = re.sub("//.*", "", complete(HERE / file))
        declared = " ".join(re.findall(r"constexpr (?:int|unsigned) ([^;]*;)", text))
        values = re.findall(r"(\w+) = (-?(?:0x[\da-f]+|\d+))[,;]", declared)
        vars(self).update({name: int(value, 0) for name, value in values})

    def __getattr__(self, name: str) -> int:
        raise AttributeError(f"no constant {name}")


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
