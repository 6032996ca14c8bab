"""SIMD: eight lanes at a time, as LLVM vectors.

Eight are one AVX-512 register in float64. Written with plain vector loads, selects and stores, so
that every target has them; each lane is rounded on its own, so that the bits do not depend on the
target. Arrays must be contiguous and hold all eight lanes from the given position on.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import DTypeLike, NDArray

LANES = 8
WIDTH = 64
LINE = 64  # bytes of a cache line, and of eight float64 lanes


def aligned(size: int, dtype: DTypeLike) -> NDArray[Any]:
    """Zeros that start on a cache line, so that eight lanes never straddle two."""
    nbytes = size * np.dtype(dtype).itemsize
    raw = np.zeros(nbytes + LINE, dtype=np.uint8)
    start = -raw.ctypes.data % LINE
    return raw[start : start + nbytes].view(dtype)


def vector_of(context, array, lanes=LANES):
    """Type of so many lanes of an array."""
    return ir.VectorType(context.get_data_type(array.dtype), lanes)


def address_of(context, builder, array, value, position, lanes=LANES):
    """Where lanes of an array begin, and what that is a multiple of, for `load` and `store`."""
    data = context.make_array(array)(context, builder, value).data
    return builder.bitcast(
        builder.gep(data, [position]), vector_of(context, array, lanes).as_pointer()
    ), array.dtype.bitwidth // 8


def load(builder, address):
    """The lanes there."""
    pointer, align = address
    value = builder.load(pointer)
    value.align = align
    return value


def store(builder, value, address):
    """Write the lanes there."""
    pointer, align = address
    builder.store(value, pointer, align=align)


def load_one(context, builder, array, value, position):
    """A single entry of an array."""
    data = context.make_array(array)(context, builder, value).data
    return builder.load(builder.gep(data, [position]))


def lanes_of(builder, mask, lanes=LANES):
    """The first bits of a word, one for each lane."""
    bits = mask if lanes == mask.type.width else builder.trunc(mask, ir.IntType(lanes))
    return builder.bitcast(bits, ir.VectorType(ir.IntType(1), lanes))


def broadcast(builder, value, vector):
    """A number in every lane."""
    index = ir.IntType(32)
    first = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.Constant(index, 0))
    return builder.shuffle_vector(
        first, first, ir.Constant(ir.VectorType(index, vector.count), [0] * vector.count)
    )


def zeros_of(vector):
    """0 in every lane."""
    return ir.Constant(vector, [0.0] * vector.count)


def sum_of(builder, vector):
    """Sum of all lanes, as a tree."""
    index, width = ir.IntType(32), LANES
    while width > 1:
        width //= 2
        low, high = (
            ir.Constant(ir.VectorType(index, width), list(range(start, start + width)))
            for start in (0, width)
        )
        vector = builder.fadd(
            builder.shuffle_vector(vector, vector, low),
            builder.shuffle_vector(vector, vector, high),
        )
    return builder.extract_element(vector, ir.Constant(index, 0))


def larger(builder, left, right):
    """The larger number of each lane."""
    return builder.select(builder.fcmp_ordered(">", left, right), left, right)


@intrinsic
def lower(typingctx, distance, i, j, length):
    """``distance[i:i+8] = min(distance[i:i+8], distance[j:j+8] + length)``; whether one fell."""
    signature = types.boolean(distance, types.int64, types.int64, distance.dtype)

    def generate(context, builder, signature, args):
        t_distance, v_distance = signature.args[0], args[0]
        at = address_of(context, builder, t_distance, v_distance, args[1])
        tail = load(builder, address_of(context, builder, t_distance, v_distance, args[2]))
        now, before = (
            builder.fadd(tail, broadcast(builder, args[3], tail.type)),
            load(builder, at),
        )
        nearer = builder.fcmp_ordered("<", now, before)
        none = ir.Constant(ir.IntType(LANES), 0)
        fell = builder.icmp_unsigned("!=", builder.bitcast(nearer, none.type), none)
        with builder.if_then(fell):
            store(builder, builder.select(nearer, now, before), at)
        return fell

    return signature, generate


@intrinsic
def collect(typingctx, distance, i, total, weights, beyond, j):
    """Add up the distances of eight lanes that are finite and not 0, by ``weights[j:j+8]``.

    total[0:8] += weights .* distance;  total[8:16] += weights ./ distance
    total[16:24] = max(total, distance + beyond);  total[24:32] += weights
    distance[i:i+8] = infinite
    """
    signature = types.void(distance, types.int64, total, weights, beyond, types.int64)

    def generate(context, builder, signature, args):
        t_distance, _, t_total, t_weights, t_beyond, _ = signature.args
        at = address_of(context, builder, t_distance, args[0], args[1])
        there = load(builder, at)
        zeros = zeros_of(there.type)
        never = ir.Constant(there.type, [float("inf")] * LANES)
        weight = load(builder, address_of(context, builder, t_weights, args[3], args[5]))
        further = load(builder, address_of(context, builder, t_beyond, args[4], args[5]))
        counts = builder.and_(
            builder.fcmp_ordered(">", there, zeros), builder.fcmp_ordered("<", there, never)
        )
        weight = builder.select(counts, weight, zeros)
        finite = builder.fmul(weight, builder.select(counts, there, zeros))
        inverse = builder.select(counts, builder.fdiv(weight, there), zeros)
        farthest = builder.select(counts, builder.fadd(there, further), zeros)
        at_sum, at_inverse, at_greatest, at_weight = (
            address_of(context, builder, t_total, args[2], ir.Constant(ir.IntType(64), place))
            for place in range(0, 4 * LANES, LANES)
        )
        store(builder, builder.fadd(load(builder, at_sum), finite), at_sum)
        store(builder, builder.fadd(load(builder, at_inverse), inverse), at_inverse)
        store(builder, builder.fadd(load(builder, at_weight), weight), at_weight)
        store(builder, larger(builder, farthest, load(builder, at_greatest)), at_greatest)
        store(builder, never, at)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def lowest(typingctx, word):
    """Position of the lowest set bit of a word that is not zero."""

    def generate(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


@intrinsic
def prefetch(typingctx, array, i):
    """Ask for the cache line of ``array[i]``, which may lie outside; waits for nothing."""

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
