"""One batch of sources through Brandes' two phases: the level loop, written once.

An engine supplies the batch: an object that holds the frontier ``F``, the visited set ``V`` and
the path counts ``sigma`` of its sources, and knows the two masked products

    forward    F_{d+1} = (A' F_d)<not V>          sigma<F_{d+1}> = A' (sigma<F_d>)
    backward   g<F_{d+1}> = (omega + delta) / sigma   delta<F_d> = sigma .* (A g<F_{d+1}>)

Backward needs sigma(v) for v alone and only g of its successors, so g takes sigma's place as soon
as delta is known. On the way it sees every arc of a shortest path with both at hand:

    arcs       eb(u -> v) += alpha sigma(u) g(v)  over the columns where level(v) = level(u) + 1
    stress     the same product on h = omega + lambda instead of g:
               lambda<F_d> = A h<F_{d+1}>         stress += alpha sigma .* lambda

Where only pairs at most L apart count, forward ends on level L. Several such limits share the
forward phase; each has a backward phase of its own, from its own last level, and a column of every
sum. Then g is kept apart from sigma, which the next phase needs:

    limited    delta_L<F_d> = sigma .* (A g_L<F_{d+1}>)  for d < L,   delta_L<F_L> = 0

Where pairs count by their distance and by themselves, omega is another array for each source,
known with the distances, before the backward phase:

    seeds      omega_s(t) = omega(t) f(d(s, t)) D(s, t)

Python runs this file as it stands; the CPU engine compiles the same lines, with
its kernels standing in for `forward` and `backward` (`numba.extending.overload`).
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .jit import optimized


class Batch(Protocol):
    """State of one batch of sources, and the two products on it."""

    limits: NDArray[Any]  # how far apart a pair of each column may be, ascending

    def forward(self, depth: int) -> bool:
        """Find level ``depth + 1`` and count its paths; False when it is empty, or too far."""

    def backward(self, depth: int, column: int) -> None:
        """Accumulate delta on level ``depth`` and leave g there, of pairs within a limit.

        At depth 0 only what leaves the sources, arcs or paths, is left to count.
        """


def forward(batch: Batch, depth: int) -> bool:
    """``batch.forward(depth)``, under a name that an engine can overload."""
    return bool(batch.forward(depth))


def backward(batch: Batch, depth: int, column: int) -> None:
    """``batch.backward(depth, column)``, under a name that an engine can overload."""
    batch.backward(depth, column)


@optimized  # type: ignore[untyped-decorator]
def sweep(batch: Batch) -> None:
    """Run forward to the last level, then backward to the sources on level 0 for each limit.

    What a source depends on itself for is not part of its score, but its arcs have theirs.
    """
    depth = 0
    while forward(batch, depth):
        depth += 1
    for column in range(batch.limits.size):
        for d in range(depth, -1, -1):
            backward(batch, d, column)


# A path count as a float64 times a power of two: what is left where floats run out.
EXTENDED = np.dtype([("mantissa", np.float64), ("exponent", np.int64)])
# Each type counts what the one before it cannot.
RANGES: tuple[np.dtype[Any], ...] = (np.dtype(np.float32), np.dtype(np.float64), EXTENDED)


# The same beside seeds that may be as small as 1e-200 (`engines/common/decay.py`).
SEEDED_LIMIT = 1e100


def count_limit(dtype: DTypeLike, seeded: bool = False) -> float:
    """Largest path count for which sigma and seeds over sigma keep full precision."""
    if dtype == EXTENDED:
        return float("inf")
    if seeded:
        return SEEDED_LIMIT
    return float(2.0 ** (np.finfo(np.dtype(dtype)).maxexp - 8))
