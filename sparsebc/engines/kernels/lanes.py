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
def add_and_share(typingctx, below, alpha, sigma, own, other, hit):
    """``below<hit> += sigma[other:other+64]``, eight lanes at a time where ``hit`` has a bit.

    Returns the sum over the lanes hit of ``alpha .* (sigma[own:own+64] .* sigma[other:other+64])``:
    lanes that are a multiple of eight apart are added up first, the eight sums as a tree. They stay
    in a register for that, which is why the loop is here and not in the kernel.
    """
    signature = sigma.dtype(below, alpha, sigma, types.int64, types.int64, types.uint64)

    def generate(context, builder, signature, args):
        t_below, t_alpha, t_sigma, *_ = signature.args
        v_below, v_alpha, v_sigma, own, other, hit = args
        word = hit.type
        zeros = _zeros(_vector(context, t_sigma))
        entry = builder.block
        body = builder.append_basic_block("lanes")
        done = builder.append_basic_block("added")
        # A hit has a bit at least: the kernel keeps no other.
        builder.branch(body)
        builder.position_at_end(body)
        left = builder.phi(word)
        share = builder.phi(zeros.type)
        left.add_incoming(hit, entry)
        share.add_incoming(zeros, entry)
        first = builder.cttz(left, ir.Constant(ir.IntType(1), 1))
        lane = builder.and_(first, ir.Constant(word, 56))
        lanes = _lanes_of(builder, builder.lshr(left, lane))
        g = _load(builder, _address(context, builder, t_sigma, v_sigma, builder.add(other, lane)))
        g = builder.select(lanes, g, zeros)
        at_below = _address(context, builder, t_below, v_below, lane)
        _store(builder, builder.fadd(_load(builder, at_below), g), at_below)
        counts = _load(
            builder, _address(context, builder, t_sigma, v_sigma, builder.add(own, lane))
        )
        weight = _load(builder, _address(context, builder, t_alpha, v_alpha, lane))
        added = builder.fadd(share, builder.fmul(weight, builder.fmul(counts, g)))
        rest = builder.and_(left, builder.not_(builder.shl(ir.Constant(word, 255), lane)))
        left.add_incoming(rest, body)
        share.add_incoming(added, body)
        builder.cbranch(builder.icmp_unsigned("==", rest, ir.Constant(word, 0)), done, body)
        builder.position_at_end(done)
        return _sum(builder, added)

    return signature, generate


def _sum(builder, vector):
    """Sum of all lanes."""
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
def square(typingctx, sigma, i, below, alpha, j, mask, total):
    """``total<mask> += alpha .* delta .* delta``, where ``delta = sigma .* below``."""
    signature = types.void(sigma, types.int64, below, alpha, types.int64, types.uint64, total)

    def generate(context, builder, signature, args):
        t_sigma, _, t_below, t_alpha, _, _, t_total = signature.args
        v_sigma, position, v_below, v_alpha, column, v_mask, v_total = args
        at_total = _address(context, builder, t_total, v_total, ir.Constant(ir.IntType(64), 0))
        counts = _load(builder, _address(context, builder, t_sigma, v_sigma, position))
        below = _load(builder, _address(context, builder, t_below, v_below, column))
        weight = _load(builder, _address(context, builder, t_alpha, v_alpha, column))
        delta = builder.fmul(counts, below)
        every = builder.fmul(builder.fmul(weight, delta), delta)
        gained = builder.select(_lanes_of(builder, v_mask), every, _zeros(every.type))
        _store(builder, builder.fadd(_load(builder, at_total), gained), at_total)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def finish_suffixes(typingctx, sigma, i, below, alpha, j, mask, omega, total, worst, suffixes):
    """Count the paths through the masked lanes of a row, once its successors are summed.

    passing = alpha .* sigma .* below;  total[0:8] += passing;  worst = max(worst, sigma, passing)
    suffixes[i:i+8]<mask> = omega + below;  below[j:j+8] = 0;  total[8:16] += alpha .* sigma

    ``suffixes`` may be ``sigma`` itself.
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
        suffixes,
    )

    def generate(context, builder, signature, args):
        t_sigma, _, t_below, t_alpha, _, _, _, t_total, t_worst, t_suffixes = signature.args
        v_sigma, position, v_below, v_alpha, column, v_mask, v_omega, *rest = args
        v_total, v_worst, v_suffixes = rest
        zero = ir.Constant(ir.IntType(64), 0)
        at_below = _address(context, builder, t_below, v_below, column)
        at_total = _address(context, builder, t_total, v_total, zero)
        at_second = _address(context, builder, t_total, v_total, ir.Constant(zero.type, LANES))
        at_worst = _address(context, builder, t_worst, v_worst, zero)
        at_suffixes = _address(context, builder, t_suffixes, v_suffixes, position)
        lanes = _lanes_of(builder, v_mask)
        counts = _load(builder, _address(context, builder, t_sigma, v_sigma, position))
        zeros = _zeros(counts.type)
        below = _load(builder, at_below)
        weight = _load(builder, _address(context, builder, t_alpha, v_alpha, column))
        every = builder.fmul(weight, builder.fmul(counts, below))
        passing = builder.select(lanes, every, zeros)
        _store(builder, builder.fadd(_load(builder, at_total), passing), at_total)
        arriving = builder.select(lanes, builder.fmul(weight, counts), zeros)
        _store(builder, builder.fadd(_load(builder, at_second), arriving), at_second)
        seen = _load(builder, at_worst)
        for here in (builder.select(lanes, counts, zeros), passing):
            seen = builder.select(builder.fcmp_ordered(">", here, seen), here, seen)
        _store(builder, seen, at_worst)
        own = _broadcast(builder, v_omega, counts.type)
        old = _load(builder, at_suffixes)
        _store(builder, builder.select(lanes, builder.fadd(own, below), old), at_suffixes)
        _store(builder, zeros, at_below)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def lower(typingctx, distance, i, j, length):
    """``distance[i:i+8] = min(distance[i:i+8], distance[j:j+8] + length)``; whether one fell."""
    signature = types.boolean(distance, types.int64, types.int64, distance.dtype)

    def generate(context, builder, signature, args):
        t_distance, v_distance = signature.args[0], args[0]
        at = _address(context, builder, t_distance, v_distance, args[1])
        tail = _load(builder, _address(context, builder, t_distance, v_distance, args[2]))
        now, before = (
            builder.fadd(tail, _broadcast(builder, args[3], tail.type)),
            _load(builder, at),
        )
        nearer = builder.fcmp_ordered("<", now, before)
        none = ir.Constant(ir.IntType(LANES), 0)
        fell = builder.icmp_unsigned("!=", builder.bitcast(nearer, none.type), none)
        with builder.if_then(fell):
            _store(builder, builder.select(nearer, now, before), at)
        return fell

    return signature, generate


@intrinsic
def collect(typingctx, distance, i, total):
    """Add up the distances of eight lanes that are finite and not 0; how many those are.

    total[0:8] += distance;  total[8:16] += 1 ./ distance;  total[16:24] = max(total, distance)
    distance[i:i+8] = infinite
    """
    signature = types.int64(distance, types.int64, total)

    def generate(context, builder, signature, args):
        t_distance, _, t_total = signature.args
        at = _address(context, builder, t_distance, args[0], args[1])
        there = _load(builder, at)
        zeros = _zeros(there.type)
        ones, never = (ir.Constant(there.type, [x] * LANES) for x in (1.0, float("inf")))
        counts = builder.and_(
            builder.fcmp_ordered(">", there, zeros), builder.fcmp_ordered("<", there, never)
        )
        near = builder.select(counts, there, zeros)
        inverse = builder.select(counts, builder.fdiv(ones, there), zeros)
        at_sum, at_inverse, at_greatest = (
            _address(context, builder, t_total, args[2], ir.Constant(ir.IntType(64), place))
            for place in (0, LANES, 2 * LANES)
        )
        _store(builder, builder.fadd(_load(builder, at_sum), near), at_sum)
        _store(builder, builder.fadd(_load(builder, at_inverse), inverse), at_inverse)
        greatest = _load(builder, at_greatest)
        larger = builder.fcmp_ordered(">", near, greatest)
        _store(builder, builder.select(larger, near, greatest), at_greatest)
        _store(builder, never, at)
        bits = builder.bitcast(counts, ir.IntType(LANES))
        return builder.zext(builder.ctpop(bits), ir.IntType(64))

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
