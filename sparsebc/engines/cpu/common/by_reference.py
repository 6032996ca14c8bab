"""Named tuples that the subroutines of a kernel pass to each other as one pointer.

Numba passes each member of each array of a tuple, some 250 for a state. Four fifths of the IR of a
kernel took these apart for each call, and put them together again in each subroutine. For rows of
64 columns: sweeps of single sources, by length and of events ran 7 to 50 % longer with it, as their
loops load the arrays' addresses again.
"""

# mypy: disable-error-code="no-untyped-def"

import itertools

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import intrinsic, lower_getattr_generic, models, register_model

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
