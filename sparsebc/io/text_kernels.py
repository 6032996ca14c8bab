"""Numbers for texts: a hash table of places in a pool, which holds each distinct text once.

The pool is of words of 64 bits. A text in it is a word ``number | length << 32``, one of its hash,
and its bytes, eight to a word, the last of them filled up with zeros. An entry of the table is 0
where it is free, else the upper 24 bits of the hash before 40 bits of a place in the pool; entries
that meet follow each other (linear probing). What the hash suggests is compared, so that no two
texts share a number.

Texts are columns as Arrow has them: text k is ``text[begins[k] : begins[k + 1]]``. ``used`` holds
how many texts there are, how many words of the pool they take, and how many bytes they have.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel

BATCH = 64  # texts whose entries are fetched before the first of them is looked at
HEAD = 2  # words of the pool before the bytes of a text
FIRST = 1  # place of the first text: an entry of 0 is free

_PLACE = np.uint64((1 << 40) - 1)
_LOW = np.uint64((1 << 32) - 1)
_TAG, _HALF, _BYTE = np.uint64(40), np.uint64(32), np.uint64(8)
_ONE = np.uint64(1)
# Odd multipliers, whose bits look random: 2**64 over the golden ratio, and one found by search.
_START, _STEP = np.uint64(0x9E3779B97F4A7C15), np.uint64(0x9FB21C651E98DF25)
_SHIFT = np.uint64(29)


@inlined
def _word(text, at):
    """Eight bytes from here on; one load, as LLVM sees."""
    at = np.uint64(at)
    found = np.uint64(text[at])
    found |= np.uint64(text[at + np.uint64(1)]) << np.uint64(8)
    found |= np.uint64(text[at + np.uint64(2)]) << np.uint64(16)
    found |= np.uint64(text[at + np.uint64(3)]) << np.uint64(24)
    found |= np.uint64(text[at + np.uint64(4)]) << np.uint64(32)
    found |= np.uint64(text[at + np.uint64(5)]) << np.uint64(40)
    found |= np.uint64(text[at + np.uint64(6)]) << np.uint64(48)
    found |= np.uint64(text[at + np.uint64(7)]) << np.uint64(56)
    return found


@inlined
def _rest(text, begin, end):
    """The last ``(end - begin) % 8`` bytes, as a word filled up with zeros."""
    count = (end - begin) & 7
    if count == 0:
        return np.uint64(0)
    if end - begin >= 8:
        return _word(text, end - 8) >> np.uint64(64 - 8 * count)
    found = np.uint64(0)
    for k in range(count):
        found |= np.uint64(text[np.uint64(begin + k)]) << np.uint64(8 * k)
    return found


@inlined
def _stirred(state, word):
    """``h := (h ^ word) * _STEP``, its upper bits brought down to where the next word goes."""
    state = (state ^ word) * _STEP
    return state ^ (state >> _SHIFT)


@inlined
def _hash(text, begin, end):
    found = np.uint64(end - begin) * _START
    for at in range(begin, end - 7, 8):
        found = _stirred(found, _word(text, at))
    return _stirred(found, _rest(text, begin, end))


@inlined
def _is(text, begin, end, pool, place):
    """Whether this is the text in the pool."""
    if pool[place] >> _HALF != np.uint64(end - begin):
        return False
    place += np.uint64(HEAD)
    different = np.uint64(0)
    for at in range(begin, end - 7, 8):
        different |= pool[place] ^ _word(text, at)
        place += _ONE
    if (end - begin) & 7:
        different |= pool[place] ^ _rest(text, begin, end)
    return different == 0


@inlined
def _added(text, begin, end, found, pool, used):
    """Place of a text that is new, behind the others."""
    at_first = np.uint64(used[1])
    pool[at_first] = np.uint64(used[0]) | np.uint64(end - begin) << _HALF
    pool[at_first + _ONE] = found
    place = at_first + np.uint64(HEAD)
    for at in range(begin, end - 7, 8):
        pool[place] = _word(text, at)
        place += _ONE
    if (end - begin) & 7:
        pool[place] = _rest(text, begin, end)
        place += _ONE
    used[0] += 1
    used[1] = np.int64(place)
    used[2] += end - begin
    return at_first


@inlined
def _number(text, begin, end, found, table, pool, used):
    """Number of a text with this hash, which may be new."""
    mask = np.uint64(table.size - 1)
    slot = found & mask
    while True:
        entry = table[slot]
        place = entry & _PLACE
        if entry == 0:
            place = _added(text, begin, end, found, pool, used)
            table[slot] = (found >> _TAG) << _TAG | place
        elif (entry ^ found) >> _TAG != 0 or not _is(text, begin, end, pool, place):
            slot = (slot + _ONE) & mask
            continue
        return pool[place] & _LOW


@kernel
def number_pairs(
    source, source_begins, target, target_begins, table, pool, used, ahead, tails, heads
):
    """Number the texts of two columns row by row, the source first: in order of first appearance.

    There is room for all of them in ``pool``, and ``table`` is at most half full with them; its
    size is a power of two. ``ahead`` has two rows of ``2 * BATCH``. A batch is hashed, then its
    entries and what they point at are loaded, so that many loads are under way at a time, and then
    the numbers are looked up where they are in the cache: about half the time.
    """
    mask = np.uint64(table.size - 1)
    for first in range(0, tails.size, BATCH):
        stop = min(first + BATCH, tails.size)
        for k in range(first, stop):
            j = 2 * (k - first)
            ahead[0, j] = _hash(source, source_begins[k], source_begins[k + 1])
            ahead[0, j + 1] = _hash(target, target_begins[k], target_begins[k + 1])
        for j in range(2 * (stop - first)):
            ahead[1, j] = table[ahead[0, j] & mask]
        for j in range(2 * (stop - first)):
            ahead[1, j] = pool[ahead[1, j] & _PLACE]
        for k in range(first, stop):
            j = 2 * (k - first)
            begin, end = source_begins[k], source_begins[k + 1]
            tails[k] = _number(source, begin, end, ahead[0, j], table, pool, used)
            begin, end = target_begins[k], target_begins[k + 1]
            heads[k] = _number(target, begin, end, ahead[0, j + 1], table, pool, used)


@kernel
def enter(table, pool, used):
    """Fill an empty table with all texts of the pool."""
    mask = np.uint64(table.size - 1)
    place = np.uint64(FIRST)
    while place < np.uint64(used[1]):
        found = pool[place + _ONE]
        slot = found & mask
        while table[slot] != 0:
            slot = (slot + _ONE) & mask
        table[slot] = (found >> _TAG) << _TAG | place
        length = pool[place] >> _HALF
        place += np.uint64(HEAD) + ((length + np.uint64(7)) >> np.uint64(3))


@kernel
def spell(pool, used, text, begins):
    """The texts of the pool one after the other, and where each begins, as Arrow has them."""
    place, at = np.uint64(FIRST), np.uint64(0)
    begins[0] = 0
    for k in range(used[0]):
        length = pool[place] >> _HALF
        place += np.uint64(HEAD)
        for byte in range(length):
            shift = _BYTE * (np.uint64(byte) & np.uint64(7))
            text[at] = pool[place + (np.uint64(byte) >> np.uint64(3))] >> shift
            at += _ONE
        place += (length + np.uint64(7)) >> np.uint64(3)
        begins[k + 1] = at
