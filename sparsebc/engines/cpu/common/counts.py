"""Path counts: floats, or mantissa and exponent where these leave the range of floats.

With an array of exponents, a count is m 2**e with 1/2 <= m < 1, normalized once all of its terms
are added up; with None in its place, the count is the float m itself. Numba drops the branch that
is not taken when it compiles. Counts never fall along a shortest path, so sigma(u) / sigma(v) of an
edge u -> v on one has e(u) <= e(v), and scaling by a power of two rounds nothing: shares are as
accurate as with plain floats. In place of sigma(v), g(v) keeps the exponent of sigma(v) and
(omega + delta) / m for a mantissa.
"""

import math

import numpy as np

from ....jit import subroutine

# 2**-d for every d at which the product with a mantissa is not zero.
POWERS = np.ldexp(1.0, -np.arange(1076))


@subroutine
def one(exponent):
    """The count of a source's own, empty, path: mantissa and exponent."""
    if exponent is None:
        return 1.0, 0
    return 0.5, 1


@subroutine
def exponent_of(exponent, v):
    """Exponent of the count of node v."""
    if exponent is None:
        return 0
    return exponent[v]


@subroutine
def store(sigma, exponent, v, m, e):
    """``sigma(v) = m 2**e``, not yet normalized."""
    sigma[v] = m
    if exponent is not None:
        exponent[v] = e


@subroutine
def added(exponent, m, e, other_m, other_e):
    """``m 2**e + other_m 2**other_e``, at the larger of the two exponents."""
    if exponent is None:
        return m + other_m, e
    if other_e > e:
        return _lowered(m, other_e - e) + other_m, other_e
    return m + _lowered(other_m, e - other_e), e


@subroutine
def normalize(sigma, exponent, nodes):
    """Bring the mantissas of some nodes between 1/2 and 1."""
    if exponent is not None:
        for v in nodes:
            sigma[v], shift = math.frexp(sigma[v])
            exponent[v] += shift


@subroutine
def lowered(exponent, x, down):
    """``x 2**-down`` for down >= 0: a value that goes with one count, beside a smaller one."""
    if exponent is None:
        return x
    return _lowered(x, down)


@subroutine
def raised(exponent, x, v):
    """``x 2**e(v)``: what was computed with the mantissa of node v."""
    if exponent is None:
        return x
    return math.ldexp(x, exponent[v])


@subroutine
def _lowered(x, down):
    return x * POWERS[down] if down < POWERS.size else 0.0
