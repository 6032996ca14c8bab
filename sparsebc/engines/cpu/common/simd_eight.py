"""SIMD by length: rows of eight reals, one for each of eight sources, as LLVM vectors.

Row v of an array is the eight from 8 v on. An arc u -> v is tight in a column if

    d(u) + w <= d(v) + rtol d(v)   and   d(u) + w is finite

by the same two sums for whoever looks at it. Each lane is rounded on its own, as in `simd`.
"""

from __future__ import annotations

from functools import partial

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .simd import LANES, address_of, broadcast, larger, load, load_one, store, sum_of, zeros_of

CHUNK = 4  # arcs of a row that are looked at together
WORD, BYTE = ir.IntType(64), ir.IntType(LANES)
DOUBLES = ir.VectorType(ir.DoubleType(), LANES)
FIRST = ir.Constant(WORD, 0)


def _row(context, builder, array, value, row=FIRST):
    return address_of(context, builder, array, value, builder.mul(row, ir.Constant(WORD, LANES)))


def _load(context, builder, array, value, row=FIRST):
    """A row as doubles."""
    vector = load(builder, _row(context, builder, array, value, row))
    return vector if vector.type == DOUBLES else builder.fpext(vector, DOUBLES)


def _store(builder, vector, address):
    """Write doubles to a row of any reals."""
    narrow = address[0].type.pointee
    store(builder, vector if vector.type == narrow else builder.fptrunc(vector, narrow), address)


def _see(builder, address, *vectors):
    """The larger of what a row holds and of others is left there."""
    seen = load(builder, address)
    for vector in vectors:
        seen = larger(builder, vector, seen)
    store(builder, seen, address)


def _bound(builder, distance, rtol):
    return builder.fadd(distance, builder.fmul(broadcast(builder, rtol, distance.type), distance))


def _reach(builder, tail, length):
    return builder.fadd(tail, broadcast(builder, length, tail.type))


def _is_tight(builder, tail, length, bound):
    reach = _reach(builder, tail, length)
    finite = ir.Constant(tail.type, [float("inf")] * LANES)
    return builder.and_(
        builder.fcmp_ordered("<=", reach, bound), builder.fcmp_ordered("<", reach, finite)
    )


def _of(context, builder, signature, args, function, place):
    """A function of an array that is an argument."""
    return partial(function, context, builder, signature.args[place], args[place])


def _arcs(builder, distance, indices, lengths, chunk):
    """Of each arc of a chunk the node that it leads to, the distances of that one, and the length.

    The arrays are functions, as `_of` makes them.
    """
    first = builder.mul(chunk, ir.Constant(WORD, CHUNK))
    for k in range(CHUNK):
        p = builder.add(first, ir.Constant(WORD, k))
        u = builder.zext(indices(p), WORD)
        yield u, distance(u), lengths(p)


@intrinsic
def draw(typingctx, distance, v, indices, lengths, chunk):
    """``distance[v] = min(distance[v], distance[u] + length)`` over the arcs of a chunk of v."""
    signature = types.void(distance, types.int64, indices, lengths, types.int64)

    def generate(context, builder, signature, args):
        of = partial(_of, context, builder, signature, args)
        own = of(_row, 0)(args[1])
        least = load(builder, own)
        arcs = of(_load, 0), of(load_one, 2), of(load_one, 3)
        for _, there, length in _arcs(builder, *arcs, args[4]):
            reach = _reach(builder, there, length)
            least = builder.select(builder.fcmp_ordered("<", reach, least), reach, least)
        store(builder, least, own)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def falling(typingctx, distance, u, indices, lengths, chunk):
    """The arcs of a chunk of u, a bit each, to whose heads it is nearer than is known."""
    signature = types.int64(distance, types.int64, indices, lengths, types.int64)

    def generate(context, builder, signature, args):
        of = partial(_of, context, builder, signature, args)
        here = of(_load, 0)(args[1])
        fall, none = ir.Constant(WORD, 0), ir.Constant(BYTE, 0)
        arcs = of(_load, 0), of(load_one, 2), of(load_one, 3)
        for k, (_, there, length) in enumerate(_arcs(builder, *arcs, args[4])):
            reach = _reach(builder, here, length)
            nearer = builder.bitcast(builder.fcmp_ordered("<", reach, there), BYTE)
            falls = builder.zext(builder.icmp_unsigned("!=", nearer, none), WORD)
            fall = builder.or_(fall, builder.shl(falls, ir.Constant(WORD, k)))
        return fall

    return signature, generate


def _gather(heads):
    """An intrinsic that adds up rows along the tight arcs of a node, to its heads or its tails."""

    @intrinsic
    def gather(typingctx, total, rows, unknown, distance, v, indices, lengths, first, last, rtol):
        """``total[0:8] = sum of rows[u]`` over neighbours u, the chunks from first to last of v.

        In each column along tight arcs. Returns the columns in which such a row is ``unknown``.
        """
        arrays = total, rows, unknown, distance
        signature = types.uint8(
            *(*arrays, types.int64, indices, lengths, types.int64, types.int64, types.float64)
        )

        def generate(context, builder, signature, args):
            of = partial(_of, context, builder, signature, args)
            rows, unknown, distance = of(_load, 1), of(load_one, 2), of(_load, 3)
            arcs = distance, of(load_one, 5), of(load_one, 6)
            first, last, rtol = args[7:]
            here = distance(args[4])
            zeros, none = zeros_of(here.type), ir.Constant(BYTE, 0)
            bound = _bound(builder, here, rtol)

            def look(chunk, added, missing):
                """What is added up and what is missing, with the arcs of one more chunk."""
                for u, there, length in _arcs(builder, *arcs, chunk):
                    if heads:
                        tight = _is_tight(builder, here, length, _bound(builder, there, rtol))
                    else:
                        tight = _is_tight(builder, there, length, bound)
                    added = builder.fadd(added, builder.select(tight, rows(u), zeros))
                    lacks = builder.and_(builder.bitcast(tight, BYTE), unknown(u))
                    missing = builder.or_(missing, lacks)
                return builder.add(chunk, ir.Constant(WORD, 1)), added, missing

            start = look(first, zeros, none)
            entry = builder.block
            more, body, done = (
                builder.append_basic_block(name) for name in ("more", "body", "sum")
            )
            builder.branch(more)
            builder.position_at_end(more)
            c, added, missing = state = [builder.phi(value.type) for value in start]
            builder.cbranch(builder.icmp_signed("<", c, last), body, done)
            builder.position_at_end(body)
            after = look(c, added, missing)
            builder.branch(more)
            for phi, before, value in zip(state, start, after, strict=True):
                phi.add_incoming(before, entry)
                phi.add_incoming(value, body)
            builder.position_at_end(done)
            store(builder, added, of(_row, 0)())
            return missing

        return signature, generate

    return gather


from_tails, from_heads = _gather(heads=False), _gather(heads=True)


@intrinsic
def keep(typingctx, rows, v, total):
    """``rows[v] = total[0:8]``."""
    signature = types.void(rows, types.int64, total)

    def generate(context, builder, signature, args):
        t_rows, _, t_total = signature.args
        added = _load(context, builder, t_total, args[2])
        _store(builder, added, _row(context, builder, t_rows, args[0], args[1]))
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def depend(typingctx, sigma, g, v, sum_g, omega, alpha, max_sigma):
    """``delta = sigma[v] .* sum_g``, and ``g[v] = (omega + delta) ./ sigma[v]`` left behind.

    max_sigma = max(max_sigma, sigma[v]). Returns the sums of ``alpha .* delta`` and of
    ``alpha .* delta .* delta``.
    """
    returned = types.UniTuple(types.float64, 2)
    signature = returned(sigma, g, types.int64, sum_g, types.float64, alpha, max_sigma)

    def generate(context, builder, signature, args):
        t_sigma, t_g, _, t_sum_g, _, t_alpha, t_max_sigma = signature.args
        v_sigma, v_g, v, v_sum_g, omega, v_alpha, v_max_sigma = args
        counts = _load(context, builder, t_sigma, v_sigma, v)
        sum_g = _load(context, builder, t_sum_g, v_sum_g)
        weight = _load(context, builder, t_alpha, v_alpha)
        _see(builder, _row(context, builder, t_max_sigma, v_max_sigma), counts)
        delta = builder.fmul(counts, sum_g)
        own = broadcast(builder, omega, delta.type)
        g = builder.fdiv(builder.fadd(own, delta), counts)
        _store(builder, g, _row(context, builder, t_g, v_g, v))
        depending = builder.fmul(weight, delta)
        values = [sum_of(builder, depending), sum_of(builder, builder.fmul(depending, delta))]
        return context.make_tuple(builder, signature.return_type, values)

    return signature, generate


@intrinsic
def pass_on(typingctx, sigma, h, v, sum_h, omega, alpha, most):
    """``passing = alpha .* sigma[v] .* sum_h``, and ``h[v] = omega + sum_h`` left behind.

    most = max(most, sigma[v], passing). Returns the sum of ``passing``.
    """
    signature = types.float64(sigma, h, types.int64, sum_h, types.float64, alpha, most)

    def generate(context, builder, signature, args):
        t_sigma, t_h, _, t_sum_h, _, t_alpha, t_most = signature.args
        v_sigma, v_h, v, v_sum_h, omega, v_alpha, v_most = args
        counts = _load(context, builder, t_sigma, v_sigma, v)
        sum_h = _load(context, builder, t_sum_h, v_sum_h)
        weight = _load(context, builder, t_alpha, v_alpha)
        passing = builder.fmul(weight, builder.fmul(counts, sum_h))
        _see(builder, _row(context, builder, t_most, v_most), counts, passing)
        h = builder.fadd(broadcast(builder, omega, sum_h.type), sum_h)
        _store(builder, h, _row(context, builder, t_h, v_h, v))
        return sum_of(builder, passing)

    return signature, generate


@intrinsic
def along(typingctx, sigma, g, distance, u, v, length, rtol, alpha):
    """Sum of ``alpha .* sigma[u] .* g[v]`` over the columns in which the arc u -> v is tight."""
    signature = types.float64(
        *(sigma, g, distance, types.int64, types.int64, types.float64, types.float64, alpha)
    )

    def generate(context, builder, signature, args):
        t_sigma, t_g, t_distance, *_, t_alpha = signature.args
        v_sigma, v_g, v_distance, u, v, length, rtol, v_alpha = args
        tail = _load(context, builder, t_distance, v_distance, u)
        head = _load(context, builder, t_distance, v_distance, v)
        tight = _is_tight(builder, tail, length, _bound(builder, head, rtol))
        counts = _load(context, builder, t_sigma, v_sigma, u)
        g = _load(context, builder, t_g, v_g, v)
        weight = _load(context, builder, t_alpha, v_alpha)
        share = builder.fmul(weight, builder.fmul(counts, g))
        return sum_of(builder, builder.select(tight, share, zeros_of(share.type)))

    return signature, generate
