"""Eight lanes of a row under an 8-bit mask, as LLVM vectors: one AVX-512 register in float64.

Written with plain vector loads, selects and stores, so that every target has them; each lane is
rounded on its own, so that the bits do not depend on the target. Arrays must be contiguous and
hold all eight lanes from the given position on.
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

LANES = 8


def _vector(context, array):
    return ir.VectorType(context.get_data_type(array.dtype), LANES)


def _address(context, builder, array, value, position):
    data = context.make_array(array)(context, builder, value).data
    return builder.bitcast(
        builder.gep(data, [position]), _vector(context, array).as_pointer()
    ), array.dtype.bitwidth // 8


def _load(builder, address):
    pointer, align = address
    value = builder.load(pointer)
    value.align = align
    return value


def _store(builder, value, address):
    pointer, align = address
    builder.store(value, pointer, align=align)


def _lanes_of(builder, mask):
    return builder.bitcast(builder.trunc(mask, ir.IntType(8)), ir.VectorType(ir.IntType(1), LANES))


def _broadcast(builder, value, vector):
    index = ir.IntType(32)
    first = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.Constant(index, 0))
    return builder.shuffle_vector(
        first, first, ir.Constant(ir.VectorType(index, LANES), [ir.Constant(index, 0)] * LANES)
    )


def _zeros(vector):
    return ir.Constant(vector, [ir.Constant(vector.element, 0.0)] * LANES)


@intrinsic
def add(typingctx, target, i, source, j, mask):
    """``target[i:i+8]<mask> += source[j:j+8]``, the first eight bits of the mask counting."""
    signature = types.void(target, types.int64, source, types.int64, types.uint64)

    def generate(context, builder, signature, args):
        left, right = signature.args[0], signature.args[2]
        to = _address(context, builder, left, args[0], args[1])
        addend = _load(builder, _address(context, builder, right, args[2], args[3]))
        masked = builder.select(_lanes_of(builder, args[4]), addend, _zeros(addend.type))
        # A full store, not a masked one: the next load of these lanes is served from it at once.
        _store(builder, builder.fadd(_load(builder, to), masked), to)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def finish(typingctx, sigma, i, below, alpha, j, mask, omega, total, worst):
    """Turn sigma into g on the masked lanes of a row, once its successors are summed.

    delta = sigma .* below;  total += alpha .* delta;  worst = max(worst, sigma)
    sigma[i:i+8]<mask> = (omega + delta) ./ sigma;  below[j:j+8] = 0
    """
    signature = types.void(
        sigma,
        types.int64,
        below,
        alpha,
        types.int64,
        types.uint64,
        sigma.dtype,
        total,
        worst,
    )

    def generate(context, builder, signature, args):
        t_sigma, _, t_below, t_alpha, _, _, _, t_total, t_worst = signature.args
        v_sigma, position, v_below, v_alpha, column, v_mask, v_omega, v_total, v_worst = args
        zero = ir.Constant(ir.IntType(64), 0)
        at_sigma = _address(context, builder, t_sigma, v_sigma, position)
        at_below = _address(context, builder, t_below, v_below, column)
        at_total = _address(context, builder, t_total, v_total, zero)
        at_worst = _address(context, builder, t_worst, v_worst, zero)
        lanes = _lanes_of(builder, v_mask)
        counts = _load(builder, at_sigma)
        zeros = _zeros(counts.type)
        delta = builder.fmul(counts, _load(builder, at_below))
        weight = _load(builder, _address(context, builder, t_alpha, v_alpha, column))
        gained = builder.select(lanes, builder.fmul(weight, delta), zeros)
        _store(builder, builder.fadd(_load(builder, at_total), gained), at_total)
        seen = _load(builder, at_worst)
        here = builder.select(lanes, counts, zeros)
        larger = builder.fcmp_ordered(">", here, seen)
        _store(builder, builder.select(larger, here, seen), at_worst)
        own = _broadcast(builder, v_omega, counts.type)
        g = builder.fdiv(builder.fadd(own, delta), counts)
        _store(builder, builder.select(lanes, g, counts), at_sigma)
        _store(builder, zeros, at_below)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def lowest(typingctx, word):
    """Position of the lowest set bit of a word that is not zero."""

    def generate(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


@intrinsic
def popcount(typingctx, word):
    """Number of set bits of a word."""

    def generate(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.int64(types.uint64), generate
