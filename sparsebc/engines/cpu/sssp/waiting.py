"""Numbers that wait, a bit each: nearly the lowest first.

A walk takes the numbers of a word, then those of the next word that has some. What begins to wait
behind it is gone back to once the walk is one in SHARE of all words further: by then more of that
has gathered, and a row between is looked at once for all of it. All numbers of a word are known
when the first is taken, so that a processor has several loads in flight.
"""

import numpy as np

from ....jit import inlined
from ..common.simd import lowest

BITS, WORD = 6, 64  # numbers in a word
MARK = np.uint64(1)
SHARE = 64


@inlined
def wait(waiting, number, mark, word, behind):
    """Mark a number if ``mark`` is 1, not 0; the first word with a mark behind a walk at a word."""
    own = number >> BITS
    waiting[np.uint64(own)] |= np.uint64(mark) << np.uint64(number & (WORD - 1))
    return min(behind, own if mark and own < word else np.int64(waiting.size))


@inlined
def seek(waiting, word, behind):
    """The next word with a mark, and the first one behind it; past the end where none is left."""
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
    """The lowest number of some marks of a word, which loses it, and the other marks."""
    left = marks & (marks - MARK)
    waiting[word] &= ~(marks ^ left)
    return word * WORD + lowest(marks), left
