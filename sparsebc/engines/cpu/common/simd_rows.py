"""SIMD: rows of 64 columns under their masks, eight lanes at a time where these have a bit.

Reals are added up in an order that the graph and the group fix; bytes in any, for they are exact.
Arrays must be contiguous and hold all 64 lanes of a row.
"""

from functools import partial

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .simd import (
    LANES,
    WIDTH,
    address_of,
    broadcast,
    lanes_of,
    larger,
    load,
    load_one,
    store,
    sum_of,
    vector_of,
    zeros_of,
)

# Of the eight times eight columns of a row: where so many have some, all are added up at once.
MOST_LANES = 5


@intrinsic
def add(typingctx, target, i, source, j, mask):
    """``target[i:i+8]<mask> += source[j:j+8]``, the first eight bits of the mask counting."""
    signature = types.void(target, types.int64, source, types.int64, types.uint64)

    def generate(context, builder, signature, args):
        left, right = signature.args[0], signature.args[2]
        to = address_of(context, builder, left, args[0], args[1])
        addend = load(builder, address_of(context, builder, right, args[2], args[3]))
        masked = builder.select(lanes_of(builder, args[4]), addend, zeros_of(addend.type))
        # A full store, not a masked one: the next load of these lanes is served from it at once.
        store(builder, builder.fadd(load(builder, to), masked), to)
        return context.get_dummy_value()

    return signature, generate


def _each_lane(builder, mask, carried, step):
    """``carried = step(lane, bits, *carried)`` for eight lanes at a time where the mask has a bit.

    It must have one. What is carried from eight lanes to the next stays in registers, which is why
    these loops are here and not in the kernel.
    """
    word, entry = mask.type, builder.block
    body, done = builder.append_basic_block("lanes"), builder.append_basic_block("done")
    builder.branch(body)
    builder.position_at_end(body)
    left, *before = (builder.phi(value.type) for value in (mask, *carried))
    first = builder.cttz(left, ir.Constant(ir.IntType(1), 1))
    lane = builder.and_(first, ir.Constant(word, 64 - LANES))
    after = step(lane, lanes_of(builder, builder.lshr(left, lane)), *before)
    rest = builder.and_(left, builder.not_(builder.shl(ir.Constant(word, 255), lane)))
    for phi, start, following in zip(
        (left, *before), (mask, *carried), (rest, *after), strict=True
    ):
        phi.add_incoming(start, entry)
        phi.add_incoming(following, builder.block)
    builder.cbranch(builder.icmp_unsigned("==", rest, ir.Constant(word, 0)), done, body)
    builder.position_at_end(done)
    return after


def _sum_in_doubles(builder, vector):
    doubles = ir.VectorType(ir.DoubleType(), LANES)
    return sum_of(builder, vector if vector.type == doubles else builder.fpext(vector, doubles))


def _store_bytes(builder, reals, lanes, address):
    """Keep eight whole numbers as bytes where ``lanes`` say so, 0 for those that do not fit.

    Returns the lanes of these, and their bits.
    """
    zeros = zeros_of(reals.type)
    fits = builder.fcmp_ordered("<=", reals, ir.Constant(reals.type, [255.0] * LANES))
    old = load(builder, address)
    # By way of 32 bits: each target has an instruction for that.
    whole = ir.VectorType(ir.IntType(32), LANES)
    byte = builder.trunc(builder.fptosi(builder.select(fits, reals, zeros), whole), old.type)
    store(builder, builder.select(lanes, byte, old), address)
    large = builder.and_(lanes, builder.not_(fits))
    return large, builder.zext(builder.bitcast(large, ir.IntType(LANES)), ir.IntType(64))


@intrinsic
def add_and_share(typingctx, sum_g, alpha, sigma, own, g, other, hit):
    """``sum_g<hit> += g[other:other+64]``, eight lanes at a time where ``hit`` has a bit.

    Returns the sum over the lanes hit of ``alpha .* (sigma[own:own+64] .* g[other:other+64])``:
    lanes that are a multiple of eight apart are added up first, the eight sums as a tree.
    """
    signature = sigma.dtype(sum_g, alpha, sigma, types.int64, g, types.int64, types.uint64)

    def generate(context, builder, signature, args):
        t_sum_g, t_alpha, t_sigma, _, t_g, *_ = signature.args
        v_sum_g, v_alpha, v_sigma, own, v_g, other, hit = args
        zeros = zeros_of(vector_of(context, t_sigma))

        def step(lane, lanes, share):
            g = load(builder, address_of(context, builder, t_g, v_g, builder.add(other, lane)))
            g = builder.select(lanes, g, zeros)
            at_sum_g = address_of(context, builder, t_sum_g, v_sum_g, lane)
            store(builder, builder.fadd(load(builder, at_sum_g), g), at_sum_g)
            counts = load(
                builder, address_of(context, builder, t_sigma, v_sigma, builder.add(own, lane))
            )
            weight = load(builder, address_of(context, builder, t_alpha, v_alpha, lane))
            return [builder.fadd(share, builder.fmul(weight, builder.fmul(counts, g)))]

        return sum_of(builder, *_each_lane(builder, hit, [zeros], step))

    return signature, generate


@intrinsic
def finish(typingctx, sigma, i, alpha, mask, omega, max_sigma, sum_g, g, sum_h, h_bytes, h_reals):
    """What the masked columns of a row add to the sums, once its successors are summed.

    arriving = alpha .* sigma;  max_sigma = max(max_sigma, sigma)

    Unless ``sum_g`` is None, g is left behind, in the place of sigma if ``g`` is ``sigma`` itself:

    delta = sigma .* sum_g;  depending = alpha .* delta
    g[i:i+64]<mask> = (omega + delta) ./ sigma;  sum_g<mask> = 0

    Unless ``sum_h`` is None, h is left behind:

    passing = arriving .* sum_h;  max_sigma = max(max_sigma, passing);  h = omega + sum_h
    h_bytes[i:i+64]<mask> = h where a byte holds it, else 0;  h_reals[i:i+64]<mask> = h where not
    sum_h<mask> = 0

    Returns the sums of ``arriving``, ``depending`` and ``passing``, and the columns in which a byte
    does not hold h. ``h_reals`` may be ``sigma`` itself where g does not take its place.
    """
    returned = types.Tuple((types.float64, types.float64, types.float64, types.uint64))
    signature = returned(
        *(sigma, types.int64, alpha, types.uint64, sigma.dtype, max_sigma),
        *(sum_g, g, sum_h, h_bytes, h_reals),
    )

    def generate(context, builder, signature, args):
        t_sigma, _, t_alpha, _, _, t_max_sigma, t_sum_g, t_g, *of_h = signature.args
        v_sigma, start, v_alpha, mask, omega, v_max_sigma, v_sum_g, v_g, *at_h = args
        (t_sum_h, t_bytes, t_h), (v_sum_h, v_bytes, v_h) = of_h, at_h
        zeros = zeros_of(vector_of(context, t_sigma))
        none = ir.Constant(ir.IntType(64), 0)
        own = broadcast(builder, omega, zeros.type)
        at_max_sigma = address_of(context, builder, t_max_sigma, v_max_sigma, none)

        def dependency(position, lane, lanes, counts):
            at_g = address_of(context, builder, t_g, v_g, position)
            at_sum_g = address_of(context, builder, t_sum_g, v_sum_g, lane)
            delta = builder.fmul(counts, load(builder, at_sum_g))
            g = builder.fdiv(builder.fadd(own, delta), counts)
            store(builder, builder.select(lanes, g, load(builder, at_g)), at_g)
            store(builder, zeros, at_sum_g)
            return builder.select(lanes, delta, zeros)

        def paths(position, lane, lanes):
            at_sum_h = address_of(context, builder, t_sum_h, v_sum_h, lane)
            sum_h = load(builder, at_sum_h)
            h = builder.fadd(own, sum_h)
            at_bytes = address_of(context, builder, t_bytes, v_bytes, position)
            large, bits = _store_bytes(builder, h, lanes, at_bytes)
            with builder.if_then(builder.icmp_unsigned("!=", bits, none)):
                at = address_of(context, builder, t_h, v_h, position)
                store(builder, builder.select(large, h, load(builder, at)), at)
            store(builder, zeros, at_sum_h)
            return builder.select(lanes, sum_h, zeros), builder.shl(bits, lane)

        def step(lane, lanes, seen, overflow, arrived, depending, passed):
            position = builder.add(start, lane)
            at_sigma = address_of(context, builder, t_sigma, v_sigma, position)
            counts = load(builder, at_sigma)
            weight = load(builder, address_of(context, builder, t_alpha, v_alpha, lane))
            here = builder.select(lanes, counts, zeros)
            arriving = builder.fmul(weight, here)
            seen, arrived = larger(builder, here, seen), builder.fadd(arrived, arriving)
            if t_sum_g != types.none:
                delta = dependency(position, lane, lanes, counts)
                depending = builder.fadd(depending, builder.fmul(weight, delta))
            if t_sum_h != types.none:
                sum_h, large = paths(position, lane, lanes)
                passing = builder.fmul(arriving, sum_h)
                seen, passed = larger(builder, passing, seen), builder.fadd(passed, passing)
                overflow = builder.or_(overflow, large)
            return [seen, overflow, arrived, depending, passed]

        carried = [load(builder, at_max_sigma), none, zeros, zeros, zeros]
        seen, overflow, *totals = _each_lane(builder, mask, carried, step)
        store(builder, seen, at_max_sigma)
        values = [*(_sum_in_doubles(builder, total) for total in totals), overflow]
        return context.make_tuple(builder, signature.return_type, values)

    return signature, generate


@intrinsic
def settle(typingctx, sigma, i, mask, source, j, sigma_bytes):
    """``sigma[i:i+64]<mask> = source[j:j+64]``, and ``sigma_bytes`` where a byte holds it, else 0.

    Returns the columns in which a byte does not. ``source`` may be ``sigma`` itself.
    """
    signature = types.uint64(sigma, types.int64, types.uint64, source, types.int64, sigma_bytes)

    def generate(context, builder, signature, args):
        t_sigma, _, _, t_source, _, t_bytes = signature.args
        v_sigma, start, mask, v_source, other, v_bytes = args

        def step(lane, lanes, overflow):
            position = builder.add(start, lane)
            at = address_of(context, builder, t_sigma, v_sigma, position)
            count = load(
                builder, address_of(context, builder, t_source, v_source, builder.add(other, lane))
            )
            store(builder, builder.select(lanes, count, load(builder, at)), at)
            at_bytes = address_of(context, builder, t_bytes, v_bytes, position)
            _, bits = _store_bytes(builder, count, lanes, at_bytes)
            return [builder.or_(overflow, builder.shl(bits, lane))]

        return _each_lane(builder, mask, [ir.Constant(mask.type, 0)], step)[0]

    return signature, generate


@intrinsic
def square(typingctx, sigma, i, sum_g, alpha, mask):
    """Sum of ``alpha .* delta .* delta`` over the masked columns; ``delta = sigma .* sum_g``."""
    signature = types.float64(sigma, types.int64, sum_g, alpha, types.uint64)

    def generate(context, builder, signature, args):
        t_sigma, _, t_sum_g, t_alpha, _ = signature.args
        v_sigma, start, v_sum_g, v_alpha, mask = args
        zeros = zeros_of(vector_of(context, t_sigma))

        def step(lane, lanes, total):
            counts = load(
                builder, address_of(context, builder, t_sigma, v_sigma, builder.add(start, lane))
            )
            sum_g = load(builder, address_of(context, builder, t_sum_g, v_sum_g, lane))
            weight = load(builder, address_of(context, builder, t_alpha, v_alpha, lane))
            delta = builder.fmul(counts, sum_g)
            every = builder.fmul(builder.fmul(weight, delta), delta)
            return [builder.fadd(total, builder.select(lanes, every, zeros))]

        return _sum_in_doubles(builder, *_each_lane(builder, mask, [zeros], step))

    return signature, generate


@intrinsic
def fill(typingctx, h_bytes, i, omega, mask):
    """``h_bytes[i:i+64]<mask> = omega``, which a byte must hold."""
    signature = types.void(h_bytes, types.int64, omega, types.uint64)

    def generate(context, builder, signature, args):
        at = address_of(context, builder, signature.args[0], args[0], args[1], WIDTH)
        old = load(builder, at)
        own = broadcast(builder, builder.fptoui(args[2], old.type.element), old.type)
        store(builder, builder.select(lanes_of(builder, args[3], WIDTH), own, old), at)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def add_rows(typingctx, total, reals, neighbors, hits, mask, count):
    """``total += reals[v:v+64]<hit>`` for so many rows v, hit; there must be one.

    The mask, which must have a bit, says where there are hits. Eight lanes after the other, or all
    64 at once where most of them have some: then a row is looked up but once.
    """
    signature = types.void(total, reals, neighbors, hits, types.uint64, types.int64)

    def generate(context, builder, signature, args):
        t_total, t_reals, t_neighbors, t_hits, *_ = signature.args
        v_total, v_reals, v_neighbors, v_hits, mask, count = args
        word = count.type
        at = partial(load_one, context, builder)

        def add_up(lanes):
            """The lanes that start at some columns, in registers from row to row."""
            places = [address_of(context, builder, t_total, v_total, lane) for lane in lanes]
            before = [load(builder, place) for place in places]
            entry = builder.block
            body, done = builder.append_basic_block("rows"), builder.append_basic_block("summed")
            builder.branch(body)
            builder.position_at_end(body)
            i, *so_far = (builder.phi(kind) for kind in (word, *(part.type for part in before)))
            v = builder.zext(at(t_neighbors, v_neighbors, i), word)
            row, hit = builder.mul(v, ir.Constant(word, WIDTH)), at(t_hits, v_hits, i)
            after = [builder.add(i, ir.Constant(word, 1))]
            for lane, part in zip(lanes, so_far, strict=True):
                place = address_of(context, builder, t_reals, v_reals, builder.add(row, lane))
                reals = load(builder, place)
                bits = lanes_of(builder, builder.lshr(hit, lane))
                after.append(builder.fadd(part, builder.select(bits, reals, zeros_of(reals.type))))
            first = [ir.Constant(word, 0), *before]
            for phi, start, following in zip((i, *so_far), first, after, strict=True):
                phi.add_incoming(start, entry)
                phi.add_incoming(following, body)
            builder.cbranch(builder.icmp_unsigned("<", after[0], count), body, done)
            builder.position_at_end(done)
            for place, total in zip(places, after[1:], strict=True):
                store(builder, total, place)

        shifted, lanes = mask, ir.Constant(word, 0x0101010101010101)
        for width in (4, 2, 1):
            shifted = builder.or_(shifted, builder.lshr(shifted, ir.Constant(word, width)))
        some = builder.ctpop(builder.and_(shifted, lanes))
        many = builder.icmp_unsigned(">=", some, ir.Constant(word, MOST_LANES))
        with builder.if_else(many) as (then, otherwise):
            with then:
                add_up([ir.Constant(word, lane) for lane in range(0, WIDTH, LANES)])
            with otherwise:
                _each_lane(builder, mask, [], lambda lane, _: add_up([lane]) or [])
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def add_bytes(typingctx, total, held, large, neighbors, hits, first, last):
    """``total += held[v:v+64]<hit>`` for the rows v, hit of ``neighbors, hits[first:last]``.

    There must be one, and at most 256: their sums are kept in 16 bits. Returns the columns hit,
    and those of them in which ``large`` has a bit.
    """
    returned = types.UniTuple(types.uint64, 2)
    signature = returned(total, held, large, neighbors, hits, types.int64, types.int64)

    def generate(context, builder, signature, args):
        t_total, t_held, t_large, t_neighbors, t_hits, *_ = signature.args
        v_total, v_held, v_large, v_neighbors, v_hits, first, last = args
        word, entry = first.type, builder.block
        zero = ir.Constant(word, 0)
        at = partial(load_one, context, builder)

        body, done = builder.append_basic_block("rows"), builder.append_basic_block("done")
        builder.branch(body)
        builder.position_at_end(body)
        i, reached, more = (builder.phi(word) for _ in range(3))
        counted = builder.phi(ir.VectorType(ir.IntType(16), WIDTH))
        v = builder.zext(at(t_neighbors, v_neighbors, i), word)
        hit = at(t_hits, v_hits, i)
        start = builder.mul(v, ir.Constant(word, WIDTH))
        row = load(builder, address_of(context, builder, t_held, v_held, start, WIDTH))
        row = builder.select(lanes_of(builder, hit, WIDTH), row, ir.Constant(row.type, [0] * WIDTH))
        added = builder.add(counted, builder.zext(row, counted.type))
        columns = builder.or_(reached, hit)
        met = builder.or_(more, builder.and_(hit, at(t_large, v_large, v)))
        following = builder.add(i, ir.Constant(word, 1))
        for phi, start, after in (
            (i, first, following),
            (reached, zero, columns),
            (more, zero, met),
            (counted, ir.Constant(counted.type, [0] * WIDTH), added),
        ):
            phi.add_incoming(start, entry)
            phi.add_incoming(after, body)
        builder.cbranch(builder.icmp_unsigned("<", following, last), body, done)
        builder.position_at_end(done)
        at_total = address_of(context, builder, t_total, v_total, zero, WIDTH)
        old = load(builder, at_total)
        store(builder, builder.fadd(old, builder.uitofp(added, old.type)), at_total)
        return context.make_tuple(builder, signature.return_type, [columns, met])

    return signature, generate
