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


def _is_tight(builder, tail, length, bound):
    reach = builder.fadd(tail, broadcast(builder, length, tail.type))
    finite = ir.Constant(tail.type, [float("inf")] * LANES)
    return builder.and_(
        builder.fcmp_ordered("<=", reach, bound), builder.fcmp_ordered("<", reach, finite)
    )


def _gather(heads):
    """An intrinsic that adds up rows along the tight arcs of a node, to its heads or its tails."""

    @intrinsic
    def gather(typingctx, total, rows, unknown, distance, v, indices, lengths, first, last, rtol):
        """``total[0:8] = sum of rows[u]`` over neighbours u, the entries from first to last of v.

        In each column along tight arcs. Returns the columns in which such a row is ``unknown``.
        """
        arrays = total, rows, unknown, distance
        signature = types.uint8(
            *(*arrays, types.int64, indices, lengths, types.int64, types.int64, types.float64)
        )

        def generate(context, builder, signature, args):
            t_total, t_rows, t_unknown, t_distance, _, t_indices, t_lengths, *_ = signature.args
            v_total, v_rows, v_unknown, v_distance, own, v_indices, v_lengths, *rest = args
            first, last, rtol = rest
            at = partial(load_one, context, builder)
            here = _load(context, builder, t_distance, v_distance, own)
            zeros, none = zeros_of(here.type), ir.Constant(BYTE, 0)
            bound, entry = _bound(builder, here, rtol), builder.block
            look, body, done = (builder.append_basic_block(name) for name in ("look", "arc", "sum"))
            builder.branch(look)
            builder.position_at_end(look)
            p, added, missing = (builder.phi(kind) for kind in (WORD, here.type, BYTE))
            builder.cbranch(builder.icmp_signed("<", p, last), body, done)
            builder.position_at_end(body)
            u = builder.zext(at(t_indices, v_indices, p), WORD)
            there = _load(context, builder, t_distance, v_distance, u)
            length = at(t_lengths, v_lengths, p)
            if heads:
                tight = _is_tight(builder, here, length, _bound(builder, there, rtol))
            else:
                tight = _is_tight(builder, there, length, bound)
            row = _load(context, builder, t_rows, v_rows, u)
            after = (
                builder.add(p, ir.Constant(WORD, 1)),
                builder.fadd(added, builder.select(tight, row, zeros)),
                builder.or_(
                    missing,
                    builder.and_(builder.bitcast(tight, BYTE), at(t_unknown, v_unknown, u)),
                ),
            )
            builder.branch(look)
            for phi, start, value in zip(
                (p, added, missing), (first, zeros, none), after, strict=True
            ):
                phi.add_incoming(start, entry)
                phi.add_incoming(value, body)
            builder.position_at_end(done)
            store(builder, added, _row(context, builder, t_total, v_total))
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
