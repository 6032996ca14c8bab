"""Random numbers by SplitMix64: the i-th of a stream is a hash of its seed and i.

G. L. Steele, D. Lea and C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014,
doi:10.1145/2660193.2660195. A stream is an array of one uint64, which advances.
"""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from ....jit import inlined, subroutine

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
SHIFTS = np.uint64(30), np.uint64(27), np.uint64(31)
HALF, LOW = np.uint64(32), np.uint64(2**32 - 1)
MANTISSA, ULP = np.uint64(11), 2.0**-53


@inlined
def mixed(z):
    """Hash of 64 bits, one to one."""
    z = (z ^ (z >> SHIFTS[0])) * FIRST
    z = (z ^ (z >> SHIFTS[1])) * SECOND
    return z ^ (z >> SHIFTS[2])


@inlined
def begin_stream(stream, seed, number):
    """Begin the stream of a number, one of those of a seed."""
    stream[0] = mixed(seed ^ mixed(np.uint64(number) * GOLDEN + GOLDEN))


@inlined
def bits(stream):
    """64 random bits."""
    stream[0] += GOLDEN
    return mixed(stream[0])


@inlined
def uniform(stream):
    """A float in [0, 1), one of 2**53."""
    return np.float64(bits(stream) >> MANTISSA) * ULP


@subroutine
def below(stream, n):
    """An unsigned integer below n, each as likely, for 0 < n < 2**32.

    The high half of 32 random bits times n; low halves that would favour some numbers are drawn
    again (D. Lemire, "Fast random integer generation in an interval", doi:10.1145/3230636).
    """
    n = np.uint64(n)
    product = (bits(stream) >> HALF) * n
    if product & LOW < n:
        unfair = (LOW + np.uint64(1) - n) % n
        while product & LOW < unfair:
            product = (bits(stream) >> HALF) * n
    return product >> HALF
