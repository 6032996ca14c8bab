"""Random numbers by SplitMix64: the i-th of a stream is a hash of its seed and i.

G. L. Steele, D. Lea and C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014,
doi:10.1145/2660193.2660195. A stream is an array of one uint64, its state.
"""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from ....jit import inlined, subroutine

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
SHIFTS = np.uint64(30), np.uint64(27), np.uint64(31)
HALF, LOW = np.uint64(32), np.uint64(2**32 - 1)
DROPPED_BITS, ULP = np.uint64(11), 2.0**-53  # 64 - 53; ulp of floats in [1/2, 1)


@inlined
def mixed(z):
    """Bijective hash of 64 bits."""
    z = (z ^ (z >> SHIFTS[0])) * FIRST
    z = (z ^ (z >> SHIFTS[1])) * SECOND
    return z ^ (z >> SHIFTS[2])


@inlined
def begin_stream(stream, seed, number):
    """Begin stream ``number`` of a seed."""
    stream[0] = mixed(seed ^ mixed(np.uint64(number) * GOLDEN + GOLDEN))


@inlined
def bits(stream):
    """64 random bits."""
    stream[0] += GOLDEN
    return mixed(stream[0])


@inlined
def uniform(stream):
    """A multiple of 2**-53 in [0, 1)."""
    return np.float64(bits(stream) >> DROPPED_BITS) * ULP


@subroutine
def below(stream, n):
    """A uniform unsigned integer below n, for 0 < n < 2**32.

    The high half of 32 random bits times n; products whose low half would make it biased are
    rejected (D. Lemire, "Fast random integer generation in an interval", doi:10.1145/3230636).
    """
    n = np.uint64(n)
    product = (bits(stream) >> HALF) * n
    if product & LOW < n:
        biased = (LOW + np.uint64(1) - n) % n
        while product & LOW < biased:
            product = (bits(stream) >> HALF) * n
    return product >> HALF
