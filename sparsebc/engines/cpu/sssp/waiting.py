"""Approximate priority queue of integers, as a bit set: nearly the lowest first.

A scan takes the numbers of a word, then those of the next word with a bit set. It returns to
numbers entered behind it once it is one in SHARE of all words further: by then more have gathered,
and a row in between is computed once for all of them. All numbers of a word are known when the
first is taken, so that a processor has several loads in flight.
"""

import numpy as np

from ....jit import inlined
from ..common.simd import lowest

BITS, WORD = 6, 64  # numbers in a word
MARK = np.uint64(1)
SHARE = 64


@inlined
def wait(waiting, number, mark, word, behind):
    """Enter a number if ``mark`` is 1; returns the first marked word behind a scan at ``word``."""
    own = number >> BITS
    waiting[np.uint64(own)] |= np.uint64(mark) << np.uint64(number & (WORD - 1))
    return min(behind, own if mark and own < word else np.int64(waiting.size))


@inlined
def seek(waiting, word, behind):
    """The next marked word, and the first one behind it; past the end if none is left."""
    while word < waiting.size or behind < waiting.size:
        if word == waiting.size or (word - behind) * SHARE > waiting.size:
            word, behind = behind, np.int64(waiting.size)
        elif waiting[word]:
            break
        else:
            word += 1
    return word, behind


@inlined
def take(waiting, word, marks):
    """Remove the lowest number of ``marks`` from a word; returns it and the other marks."""
    left = marks & (marks - MARK)
    waiting[word] &= ~(marks ^ left)
    return word * WORD + lowest(marks), left
