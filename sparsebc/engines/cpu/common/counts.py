"""Path counts: floats, or mantissa and exponent beyond the range of floats.

With an array of exponents, a count is m 2**e with 1/2 <= m < 1, normalized once all of its terms
are added; with ``exponent`` None, it is the float m, and Numba does not compile the other branch.
Counts never decrease along a shortest path, so that e(u) <= e(v) for sigma(u) / sigma(v) of a tight
edge u -> v. Scaling by a power of two is exact: ratios are as accurate as with floats. g(v)
overwrites sigma(v): it keeps the exponent, and its mantissa is (omega + delta) / m.
"""

import math

import numpy as np

from ....jit import subroutine

# 2**-d for each d such that its product with a mantissa is not zero.
POWERS = np.ldexp(1.0, -np.arange(1076))


@subroutine
def one(exponent):
    """The count 1, of the empty path at the source: mantissa and exponent."""
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
    """``m 2**e + other_m 2**other_e``: mantissa at the larger of the two exponents, and that."""
    if exponent is None:
        return m + other_m, e
    if other_e > e:
        return lowered(exponent, m, other_e - e) + other_m, other_e
    return m + lowered(exponent, other_m, e - other_e), e


@subroutine
def normalize(sigma, exponent, nodes):
    """Bring the mantissas of the nodes into [1/2, 1)."""
    if exponent is not None:
        for v in nodes:
            sigma[v], shift = math.frexp(sigma[v])
            exponent[v] += shift


@subroutine
def lowered(exponent, x, down):
    """``x 2**-down`` for down >= 0, to combine values of different exponents."""
    if exponent is None:
        return x
    return x * POWERS[down] if down < POWERS.size else 0.0


@subroutine
def raised(exponent, x, v):
    """``x 2**e(v)``, of a value x computed with the mantissa of node v."""
    if exponent is None:
        return x
    return math.ldexp(x, exponent[v])
