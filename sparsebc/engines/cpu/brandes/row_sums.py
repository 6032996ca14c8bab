"""Masked sums of rows of 64 columns: of floats, and of counts that are kept as bytes."""

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
BYTE = 255  # largest value of `sigma_bytes`
FIRST_LANES = np.uint64(0x0101010101010101)
# Eight-column lanes of a row with a bit set from which all 64 columns are added.
MOST_LANES = 5
# Bytes whose sum is at most 2**16 - 1.
BYTES_PER_SUM = 256


@inlined
def put_bytes(held, position, lanes, reals):
    """Store eight integer-valued floats as bytes, 0 if above BYTE; return the bits of those."""
    fits = reals <= BYTE
    # By way of int32: every target has an instruction for that.
    whole = cast(select(fits, reals, 0), np.int32)
    put(held, position, lanes, cast(whole, held))
    return bits_of(lanes & ~fits)


@subroutine
def add_row(target, i, source, j, hit):
    """``target[i:i+64]<hit> += source[j:j+64]``, for each eight lanes with a bit set."""
    while hit:
        lane, lanes, hit = take_lanes(hit)
        addend = select(lanes, load(source, j + lane), 0)
        store(target, i + lane, load(target, i + lane) + addend)


@subroutine
def add_rows(batch, found, rows, sums):
    """sums<hits> += the rows of ``found`` neighbours, where each hits.

    Eight lanes at a time, or all 64 if most have a bit set: then each row is read only once.
    """
    reached = ZERO
    for i in range(found):
        reached |= batch.hits[i]
    some = reached | reached >> np.uint64(4)
    some |= some >> np.uint64(2)
    some = (some | some >> ONE) & FIRST_LANES
    if np.int64(some * FIRST_LANES >> np.uint64(56)) >= MOST_LANES:
        row = load_row(sums, 0)
        for i in range(found):
            added = load_row(rows, np.int64(batch.neighbors[i]) * WIDTH)
            row = row + select(columns_of(batch.hits[i]), added, 0)
        store_row(sums, 0, row)
        return
    while reached:
        lane, _, reached = take_lanes(reached)
        lanes = load(sums, lane)
        for i in range(found):
            added = load(rows, np.int64(batch.neighbors[i]) * WIDTH + lane)
            lanes = lanes + select(lanes_of(batch.hits[i] >> np.uint64(lane)), added, 0)
        store(sums, lane, lanes)


@subroutine
def gather_sigma(batch, found):
    """sum_sigma<hits> += sigma of each of ``found`` neighbours; returns the union of hits.

    Bytes are summed in 16 bits.
    """
    reached = ZERO
    for first in range(0, found, BYTES_PER_SUM):
        last = min(first + BYTES_PER_SUM, found)
        counted, more = cast(columns_of(ZERO), np.uint16), ZERO
        for i in range(first, last):
            v, hit = np.int64(batch.neighbors[i]), batch.hits[i]
            small = select(columns_of(hit), load_row(batch.sigma_bytes, v * WIDTH), 0)
            counted = counted + cast(small, np.uint16)
            reached |= hit
            more |= hit & batch.sigma_large[v]
        store_row(batch.sum_sigma, 0, load_row(batch.sum_sigma, 0) + cast(counted, batch.sum_sigma))
        if more == ZERO:
            continue
        for i in range(first, last):
            v = np.int64(batch.neighbors[i])
            large = batch.hits[i] & batch.sigma_large[v]
            add_row(batch.sum_sigma, 0, batch.sigma, v * WIDTH, large)
    return reached
