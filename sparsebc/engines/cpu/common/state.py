"""States of kernels, named tuples whose fields declare arrays; sums of a block in a workspace.

Arrays are allocated, and their bytes counted, by declarations of type, shape and fill.

A `Reference` is a state that the subroutines of a kernel pass to each other as one pointer.
Numba passes each member of each array of a tuple, some 250 for a state. Four fifths of the IR of a
kernel took these apart for each call, and put them together again in each subroutine. For rows of
64 columns: sweeps of single sources, by length and of events ran 7 to 50 % longer with it, as their
loops load the arrays' addresses again.
"""

# mypy: disable-error-code="no-untyped-def"

import itertools
import math
from abc import ABC, abstractmethod
from collections import namedtuple
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import intrinsic, lower_getattr_generic, models, register_model
from numpy.typing import NDArray

from ....jit import subroutine
from ....matrix.graph import Graph
from ...common.sums import SUMS, Batch, sizes_of
from .simd import LINE, aligned

# Dimensions, types and fills by name. An array with a dimension None is left out of a state.
Sizes = Mapping[str, Any]


def array(dtype: Any, *dimensions: str | int, fill: Any = 0) -> Any:
    """Default of a field, which declares an array made by `allocated`: type, shape, fill.

    Each is as given, or a name in `Sizes`. All elements are ``fill`` between two searches.
    """
    return dtype if isinstance(dtype, str) else np.dtype(dtype), dimensions, fill


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
        *_, fill = kind._field_defaults[name]
        if fill:
            values[...] = sizes[fill] if isinstance(fill, str) else fill
    return kind(**made)


def nbytes_of(sizes: Sizes, *kinds: Any) -> int:
    """Bytes of the arrays of some kinds of states."""
    return sum(nbytes for kind in kinds for *_, nbytes in _layouts(kind, sizes))


def _layouts(kind: Any, sizes: Sizes) -> Iterator[tuple[str, list[int], np.dtype[Any], int]]:
    """Name, shape, type and bytes of each array of a state, padded to a cache line."""
    for name, (dtype, dimensions, _) in kind._field_defaults.items():
        shape = [sizes[length] if isinstance(length, str) else length for length in dimensions]
        if None not in shape:
            element = sizes[dtype] if isinstance(dtype, str) else dtype
            element = element if isinstance(element, np.dtype) else np.dtype(element)
            yield name, shape, element, -(-math.prod(shape) * element.itemsize // LINE) * LINE


WORD = ir.IntType(64)


class Reference(types.Type):  # type: ignore[misc]
    """Numba type of a pointer to the fields of a named tuple, which nobody writes."""

    def __init__(self, fields: types.BaseNamedTuple) -> None:
        self.fields, self.instance_class = fields, fields.instance_class
        super().__init__(f"Reference({fields})")


@register_model(Reference)
class _Pointer(models.PrimitiveModel):  # type: ignore[misc]
    """LLVM type of a reference: fields lie one after the other, each on a word."""

    def __init__(self, manager, reference):
        super().__init__(manager, reference, WORD.as_pointer())

    def from_argument(self, builder, value):
        """The pointer, to memory that no store changes: loops may keep fields in registers."""
        value.add_attribute("noalias")
        return value


@infer_getattr
class _Attributes(AttributeTemplate):  # type: ignore[misc]
    """Types of the fields; a named tuple among them is a reference, too."""

    key = Reference

    def generic_resolve(self, reference, name):
        """Type of a field, or None."""
        if name not in reference.fields.fields:
            return None
        kind = reference.fields[reference.fields.fields.index(name)]
        return Reference(kind) if isinstance(kind, types.BaseNamedTuple) else kind


_PLACES: dict[types.Type, list[int]] = {}  # as `_places` returns them


def _places(context, fields):
    """Place of each field of a tuple, in words, and their sum."""
    if fields not in _PLACES:
        sizes = (
            _places(context, kind)[-1]
            if isinstance(kind, types.BaseNamedTuple)
            else -(-context.get_abi_sizeof(context.get_data_type(kind)) // 8)
            for kind in fields
        )
        _PLACES[fields] = list(itertools.accumulate(sizes, initial=0))
    return _PLACES[fields]


def _at(builder, pointer, place, kind):
    """Pointer to a place, as that of an LLVM type."""
    return builder.bitcast(builder.gep(pointer, [ir.Constant(WORD, place)]), kind.as_pointer())


def _store(context, builder, pointer, fields, value):
    """Store the fields of a tuple."""
    for i, kind in enumerate(fields):
        member, place = builder.extract_value(value, i), _places(context, fields)[i]
        if isinstance(kind, types.BaseNamedTuple):
            _store(context, builder, _at(builder, pointer, place, WORD), kind, member)
        else:
            data = context.data_model_manager[kind].as_data(builder, member)
            builder.store(data, _at(builder, pointer, place, data.type), align=8)


@lower_getattr_generic(Reference)
def _load(context, builder, reference, pointer, name):
    """A field, or a reference to it."""
    i = reference.fields.fields.index(name)
    kind, place = reference.fields[i], _places(context, reference.fields)[i]
    if isinstance(kind, types.BaseNamedTuple):
        return _at(builder, pointer, place, WORD)
    model = context.data_model_manager[kind]
    at = _at(builder, pointer, place, model.get_data_type())
    if model.get_data_type() == model.get_value_type():
        return builder.load(at, align=8)  # one instruction, not one for each member
    return model.load_from_data_pointer(builder, at, align=8)


@intrinsic
def by_reference(typingctx, fields):
    """A reference to a named tuple, for what the calling function calls."""

    def generate(context, builder, signature, arguments):
        (fields,) = signature.args
        size = ir.ArrayType(WORD, _places(context, fields)[-1])
        pointer = builder.bitcast(cgutils.alloca_once(builder, size), WORD.as_pointer())
        _store(context, builder, pointer, fields, arguments[0])
        return pointer

    return Reference(fields)(fields), generate


# LEFT + k: the first k sources are swept; the others are left to the kernel of single sources.
DONE, STOPPED, TOO_FAR, LEFT = range(4)


Sums: Any = namedtuple("Sums", list(SUMS))  # type: ignore[misc]


@subroutine
def first_within(limits, distance):
    """The first column whose cutoff is at least ``distance``, which must be within the last."""
    column = 0
    while limits[column] < distance:
        column += 1
    return column


class KernelWorkspace(ABC):
    """Sums over the batches of a block, and states of the kernels that add to them."""

    def __init__(self, graph: Graph, names: Collection[str]) -> None:
        sizes, self._lengths = sizes_of(names, graph), graph.lengths
        self.added: Any = Sums(*(np.zeros(sizes.get(name, 0)) for name in SUMS))
        vars(self).update(self.added._asdict())
        self.outcome = DONE  # of the last call
        self.largest: list[NDArray[Any]] = []  # largest path count of each state

    @abstractmethod
    def calls(self, batch: Batch) -> Iterator[tuple[Any, ...]]:
        """Kernels that sweep a batch, with arguments; may read `outcome` between two of them."""

    def run(self, batches: Sequence[Batch]) -> None:
        """Add the contributions of the batches to the sums, in their order."""
        for counts in self.largest:
            counts[:] = 0
        for batch in batches:
            for kernel, *arguments in self.calls(batch):
                self.outcome = int(kernel(*arguments))
                if self.outcome == TOO_FAR:
                    assert self._lengths is not None
                    raise self._lengths.too_far
                if self.outcome == STOPPED:
                    return

    def max_sigma(self) -> float:
        """Largest path count of the last run."""
        return float(max(counts.max() for counts in self.largest))
