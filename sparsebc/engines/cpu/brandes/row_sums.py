"""Sums of rows of 64 columns: reals lane by lane or all at once, and counts kept as bytes."""

import numpy as np

from ....jit import inlined, subroutine
from ..common.simd import (
    WIDTH,
    bits_of,
    cast,
    columns_of,
    lanes_of,
    load,
    load_row,
    put,
    select,
    store,
    store_row,
    take_lanes,
)

ZERO = np.uint64(0)
ONE = np.uint64(1)
BYTE = 255  # the most that `sigma_bytes` and `h_bytes` hold
FIRST_LANES = np.uint64(0x0101010101010101)
# Of the eight times eight columns of a row: where so many have some, all are added up at once.
MOST_LANES = 5
# Bytes whose sum is sure to fit in 16 bits.
BYTES_PER_SUM = 256


@inlined
def put_bytes(held, position, lanes, reals):
    """Keep eight whole numbers as bytes, 0 for those that do not fit: the bits of these."""
    fits = reals <= BYTE
    # By way of 32 bits: each target has an instruction for that.
    whole = cast(select(fits, reals, 0), np.int32)
    put(held, position, lanes, cast(whole, held))
    return bits_of(lanes & ~fits)


@subroutine
def add_row(target, i, source, j, hit):
    """``target[i:i+64]<hit> += source[j:j+64]``, eight lanes at a time where hit has a bit."""
    while hit:
        lane, lanes, hit = take_lanes(hit)
        addend = select(lanes, load(source, j + lane), 0)
        store(target, i + lane, load(target, i + lane) + addend)


@subroutine
def add_rows(batch, found, reached):
    """sum_g<hit> += g of each row found.

    Eight lanes after the other where these are reached, or all 64 at once where most of them are:
    then a row is looked up but once.
    """
    some = reached | reached >> np.uint64(4)
    some |= some >> np.uint64(2)
    some = (some | some >> ONE) & FIRST_LANES
    if np.int64(some * FIRST_LANES >> np.uint64(56)) >= MOST_LANES:
        row = load_row(batch.sum_g, 0)
        for i in range(found):
            g = load_row(batch.g, np.int64(batch.neighbors[i]) * WIDTH)
            row = row + select(columns_of(batch.hits[i]), g, 0)
        store_row(batch.sum_g, 0, row)
        return
    while reached:
        lane, _, reached = take_lanes(reached)
        lanes = load(batch.sum_g, lane)
        for i in range(found):
            g = load(batch.g, np.int64(batch.neighbors[i]) * WIDTH + lane)
            lanes = lanes + select(lanes_of(batch.hits[i] >> np.uint64(lane)), g, 0)
        store(batch.sum_g, lane, lanes)


@subroutine
def gather_bytes(batch, found, row, held, large, reals):
    """Add up what the rows found have in the columns hit; the columns that have any.

    What a byte holds is in ``held``; where ``large`` has a bit, it is in ``reals``. Bytes are added
    up in 16 bits.
    """
    reached = ZERO
    for first in range(0, found, BYTES_PER_SUM):
        last = min(first + BYTES_PER_SUM, found)
        counted, more = cast(columns_of(ZERO), np.uint16), ZERO
        for i in range(first, last):
            v, hit = np.int64(batch.neighbors[i]), batch.hits[i]
            held_here = select(columns_of(hit), load_row(held, v * WIDTH), 0)
            counted = counted + cast(held_here, np.uint16)
            reached |= hit
            more |= hit & large[v]
        store_row(row, 0, load_row(row, 0) + cast(counted, row))
        if more == ZERO:
            continue
        for i in range(first, last):
            v = np.int64(batch.neighbors[i])
            add_row(row, 0, reals, v * WIDTH, batch.hits[i] & large[v])
    return reached
