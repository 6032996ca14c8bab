"""SIMD vectors as Numba values, so that a kernel reads as the formulas that it computes.

A `Vector` has a number in each of its lanes, or a bit: then it is a mask. It stays in registers:
eight lanes of float64 fill one of AVX-512. Its operations are plain LLVM instructions, which every
target has; lanes are rounded independently, so that the bits do not depend on the target. Arrays
must be contiguous and hold all lanes from the given position on.
"""

# mypy: disable-error-code="no-untyped-def"

import operator
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, lower_cast, models, register_model
from numpy.typing import DTypeLike, NDArray

from ....jit import inlined

LANES = 8
WIDTH = 64
LINE = 64  # bytes of a cache line, and of eight float64 lanes


def aligned(size: int, dtype: DTypeLike) -> NDArray[Any]:
    """Zeros aligned to a cache line, so that eight lanes never straddle two."""
    nbytes = size * np.dtype(dtype).itemsize
    raw = np.zeros(nbytes + LINE, dtype=np.uint8)
    start = -raw.ctypes.data % LINE
    return raw[start : start + nbytes].view(dtype)


class Vector(types.Type):  # type: ignore[misc]
    """Numba type of a vector."""

    def __init__(self, element: types.Type, lanes: int) -> None:
        self.element, self.lanes = element, lanes
        super().__init__(f"Vector({element}, {lanes})")


@register_model(Vector)
def _in_registers(manager, vector):
    """LLVM type of a vector, in registers and in memory."""
    element = manager[vector.element].get_value_type()
    return models.PrimitiveModel(manager, vector, ir.VectorType(element, vector.lanes))


@lower_cast(types.Number, Vector)
def _broadcast(context, builder, number, vector, value):
    """A number in every lane."""
    value = context.cast(builder, value, number, vector.element)
    index, kind = ir.IntType(32), context.get_value_type(vector)
    first = builder.insert_element(ir.Constant(kind, ir.Undefined), value, ir.Constant(index, 0))
    places = ir.Constant(ir.VectorType(index, vector.lanes), [0] * vector.lanes)
    return builder.shuffle_vector(first, first, places)


@lower_cast(Vector, Vector)
def _convert(context, builder, old, new, value):
    """Convert each lane: to a float, or by truncation to an integer, which must fit."""
    kind, size = context.get_value_type(new), lambda vector: vector.element.bitwidth
    if old == new:
        return value
    if isinstance(old.element, types.Float):
        return builder.fptosi(value, kind)
    if isinstance(new.element, types.Float):
        return builder.uitofp(value, kind)
    wider = old.element == types.boolean or size(new) > size(old)
    return (builder.zext if wider else builder.trunc)(value, kind)


def _define(operation, of_reals, of_bits, symbol=None):
    """Define a Python operator on vectors, and on a vector and a number, by names of instructions.

    A comparison, with a ``symbol``, returns a mask.
    """

    @infer_global(operation)
    class Operation(AbstractTemplate):  # type: ignore[misc]
        def generic(self, arguments, _):
            vector = next((kind for kind in arguments if isinstance(kind, Vector)), None)
            if vector is None:
                return None
            returned = Vector(types.boolean, vector.lanes) if symbol else vector
            return signature(returned, *[vector] * len(arguments))

    def generate(context, builder, signature, values):
        is_real = isinstance(signature.args[0].element, types.Float)
        instruction = getattr(builder, of_reals if is_real else of_bits)
        return instruction(symbol, *values) if symbol else instruction(*values)

    if operation is operator.invert:
        lower_builtin(operation, Vector)(generate)
        return
    for sides in ((Vector, Vector), (Vector, types.Number), (types.Number, Vector)):
        lower_builtin(operation, *sides)(generate)


for _definition in (
    (operator.add, "fadd", "add"),
    (operator.sub, "fsub", "sub"),
    (operator.mul, "fmul", "mul"),
    (operator.truediv, "fdiv", None),
    (operator.and_, None, "and_"),
    (operator.or_, None, "or_"),
    (operator.invert, None, "not_"),
    (operator.lt, "fcmp_ordered", "icmp_unsigned", "<"),
    (operator.le, "fcmp_ordered", "icmp_unsigned", "<="),
    (operator.gt, "fcmp_ordered", "icmp_unsigned", ">"),
    (operator.ge, "fcmp_ordered", "icmp_unsigned", ">="),
    (operator.eq, "fcmp_ordered", "icmp_unsigned", "=="),
):
    _define(*_definition)


def _address(context, builder, array, value, position, lanes):
    """Pointer to ``array[position]``, as that of a vector."""
    data = context.make_array(array)(context, builder, value).data
    kind = ir.VectorType(context.get_data_type(array.dtype), lanes)
    return builder.bitcast(builder.gep(data, [position]), kind.as_pointer())


def _of_lanes(lanes):
    """Intrinsics of vectors of ``lanes``: load, store, mask of a word's bits."""

    @intrinsic
    def load(typingctx, array, position):
        def generate(context, builder, signature, arguments):
            value, position = arguments
            at = _address(context, builder, signature.args[0], value, position, lanes)
            return builder.load(at, align=signature.args[0].dtype.bitwidth // 8)

        return Vector(array.dtype, lanes)(array, types.int64), generate

    @intrinsic
    def store(typingctx, array, position, values):
        def generate(context, builder, signature, arguments):
            value, position, values = arguments
            at = _address(context, builder, signature.args[0], value, position, lanes)
            builder.store(values, at, align=signature.args[0].dtype.bitwidth // 8)
            return context.get_dummy_value()

        return types.void(array, types.int64, Vector(array.dtype, lanes)), generate

    @intrinsic
    def mask(typingctx, bits):
        def generate(context, builder, signature, arguments):
            word = builder.trunc(*arguments, ir.IntType(lanes)) if lanes < WIDTH else arguments[0]
            return builder.bitcast(word, context.get_value_type(signature.return_type))

        return Vector(types.boolean, lanes)(types.uint64), generate

    return load, store, mask


# ``array[i:i+8]``, ``array[i:i+8] = values`` and the mask of the first eight bits of a word; then
# those of 64 lanes.
load, store, lanes_of = _of_lanes(LANES)
load_row, store_row, columns_of = _of_lanes(WIDTH)


@intrinsic
def cast(typingctx, vector, kind):
    """The lanes converted to a type, or to that of an array."""

    def generate(context, builder, signature, arguments):
        return context.cast(builder, arguments[0], signature.args[0], signature.return_type)

    return Vector(kind.dtype, vector.lanes)(vector, kind), generate


@intrinsic
def select(typingctx, mask, chosen, others):
    """Lanes of ``chosen`` where the mask is set, else of ``others``; either may be a number."""

    def generate(context, builder, signature, arguments):
        return builder.select(*arguments)

    kind = chosen if isinstance(chosen, Vector) else others
    return kind(mask, kind, kind), generate


@intrinsic
def bits_of(typingctx, mask):
    """The word with a bit for each lane of a mask."""

    def generate(context, builder, signature, arguments):
        word = builder.bitcast(arguments[0], ir.IntType(signature.args[0].lanes))
        return builder.zext(word, ir.IntType(64))

    return types.uint64(mask), generate


@intrinsic
def lane_of(typingctx, vector, k):
    """The number in lane k."""

    def generate(context, builder, signature, arguments):
        return builder.extract_element(*arguments)

    return vector.element(vector, types.int64), generate


@intrinsic
def total(typingctx, vector):
    """Pairwise sum of all lanes."""

    def generate(context, builder, signature, arguments):
        index, (value,), width = ir.IntType(32), arguments, signature.args[0].lanes
        while width > 1:
            width //= 2
            low, high = (
                ir.Constant(ir.VectorType(index, width), list(range(start, start + width)))
                for start in (0, width)
            )
            value = builder.fadd(
                builder.shuffle_vector(value, value, low),
                builder.shuffle_vector(value, value, high),
            )
        return builder.extract_element(value, ir.Constant(index, 0))

    return vector.element(vector), generate


@inlined
def larger(left, right):
    """Maximum of each lane."""
    return select(left > right, left, right)


@inlined
def put(array, position, mask, values):
    """``array[i:i+8]<mask> = values``.

    All lanes are loaded and stored, so that the next load of them is forwarded from the store.
    """
    store(array, position, select(mask, values, load(array, position)))


@intrinsic
def power_of_two(typingctx, vector):
    """Two to the power of each lane, an integer from -1022 to 1023."""

    def generate(context, builder, signature, arguments):
        kind = ir.VectorType(ir.IntType(64), signature.args[0].lanes)
        bias, mantissa = (ir.Constant(kind, [number] * kind.count) for number in (1023, 52))
        exponent = builder.add(builder.fptosi(arguments[0], kind), bias)
        return builder.bitcast(builder.shl(exponent, mantissa), arguments[0].type)

    return vector(vector), generate


@intrinsic
def take_lanes(typingctx, bits):
    """First lane of the first eight with a bit set, their mask, and the bits without them."""
    returned = types.Tuple((types.int64, Vector(types.boolean, LANES), types.uint64))

    def generate(context, builder, signature, arguments):
        (bits,) = arguments
        lane = builder.and_(
            builder.cttz(bits, ir.Constant(ir.IntType(1), 1)), ir.Constant(bits.type, ~(LANES - 1))
        )
        eight = builder.trunc(builder.lshr(bits, lane), ir.IntType(LANES))
        others = builder.not_(builder.shl(ir.Constant(bits.type, 255), lane))
        mask = builder.bitcast(eight, context.get_value_type(returned[1]))
        return context.make_tuple(builder, returned, (lane, mask, builder.and_(bits, others)))

    return returned(types.uint64), generate


@intrinsic
def lowest(typingctx, word):
    """Position of the lowest set bit of a word that is not zero."""

    def generate(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


@intrinsic
def prefetch(typingctx, array, i):
    """Prefetch the cache line of ``array[i]``, which may be out of bounds."""

    def generate(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        word, byte = ir.IntType(32), ir.IntType(8).as_pointer()
        call = builder.module.declare_intrinsic(
            "llvm.prefetch", [byte], ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        )
        to_read, keep, of_data = (ir.Constant(word, flag) for flag in (0, 3, 1))
        address = builder.bitcast(builder.gep(data, [args[1]]), byte)
        builder.call(call, [address, to_read, keep, of_data])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate
