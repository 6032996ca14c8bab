"""Rows of a bit for each column of a batch, as SIMD vectors, so that kernels read as algebra.

A row is one word of an array of shape (n,), or `WORDS` of them in one of shape (n, `WORDS`). Where
the target has registers that wide, ``a | b`` is one instruction for all columns.
"""

# mypy: disable-error-code="no-untyped-def"

import math

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from ..common.simd import Vector, aligned

WORD = 64
WORDS = 8  # of a wide row: a cache line
NARROW, WIDE = WORD, WORD * WORDS  # columns


def rows_of(width: int, *shape: int) -> NDArray[np.uint64]:
    """Empty rows of `NARROW` or `WIDE` columns; a wide one is a cache line."""
    each = () if width == NARROW else (WORDS,)
    return aligned(math.prod(shape + each), np.uint64).reshape(shape + each)


def _row_of(rows):
    return Vector(types.uint64, WORDS if rows.ndim == 2 else 1)


def _address(context, builder, rows, value, v):
    vector = context.get_value_type(_row_of(rows))
    data = context.make_array(rows)(context, builder, value).data
    return builder.gep(builder.bitcast(data, vector.as_pointer()), [v])


@intrinsic
def load(typingctx, rows, v):
    """Row v of an array."""

    def generate(context, builder, signature, args):
        return builder.load(_address(context, builder, signature.args[0], *args), align=8)

    return _row_of(rows)(rows, types.int64), generate


@intrinsic
def store(typingctx, rows, v, row):
    """Write row v of an array."""

    def generate(context, builder, signature, args):
        builder.store(args[2], _address(context, builder, signature.args[0], *args[:2]), 8)
        return context.get_dummy_value()

    return types.void(rows, types.int64, row), generate


@intrinsic
def column(typingctx, rows, j):
    """Row with the bit of column j only, as wide as those of an array."""
    row = _row_of(rows)

    def generate(context, builder, signature, args):
        vector, word = context.get_value_type(row), ir.IntType(WORD)
        of_word = ir.Constant(word, WORD)
        bit = builder.shl(ir.Constant(word, 1), builder.urem(args[1], of_word))
        place = builder.udiv(args[1], of_word)
        return builder.insert_element(ir.Constant(vector, [0] * row.lanes), bit, place)

    return row(rows, types.int64), generate


@intrinsic
def some(typingctx, row):
    """Whether any column is set."""

    def generate(context, builder, signature, args):
        none = ir.Constant(args[0].type, [0] * row.lanes)
        bits = ir.IntType(row.lanes)
        each = builder.bitcast(builder.icmp_unsigned("!=", args[0], none), bits)
        return builder.icmp_unsigned("!=", each, ir.Constant(bits, 0))

    return types.boolean(row), generate


@intrinsic
def count(typingctx, row):
    """Number of columns set."""

    def generate(context, builder, signature, args):
        vector = args[0].type
        each = builder.call(_of_vectors(builder, "ctpop", vector, vector), args)
        add = _of_vectors(builder, "vector.reduce.add", vector.element, vector)
        return builder.call(add, [each])

    return types.int64(row), generate


def _of_vectors(builder, name, returned, vector):
    """Vector intrinsic of LLVM, declared by name because llvmlite does not have it."""
    name = f"llvm.{name}.v{vector.count}i{vector.element.width}"
    kind = ir.FunctionType(returned, [vector])
    return builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
