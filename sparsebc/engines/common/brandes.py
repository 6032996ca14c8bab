"""Brandes' level loop for a batch of sources: the forward phase, then the backward phase.

The reference engine runs it, and the CPU's unweighted kernels compile it; the CPU's weighted
kernels and CUDA have loops of their own. A batch holds the frontier ``F``, the visited set ``V``
and the path counts ``sigma``, with a column for each source, and has the two masked products

    forward    F_{d+1} = (A' F_d)<not V>          sigma<F_{d+1}> = A' (sigma<F_d>)
    backward   g<F_{d+1}> = (omega + delta) / sigma   delta<F_d> = sigma .* (A g<F_{d+1}>)

delta(v) needs sigma(v), and g of the successors of v, so g(v) overwrites sigma(v) once delta(v) is
known. The backward phase visits every arc of a shortest path, for two more sums:

    arcs       eb(u -> v) += alpha sigma(u) g(v)  over the sources where level(v) = level(u) + 1
    stress     the same product on h = omega + lambda instead of g:
               lambda<F_d> = A h<F_{d+1}>         stress += alpha sigma .* lambda

With a cutoff L, only pairs at most L apart count, and the forward phase ends on level L. Several
cutoffs share the forward phase; each has its own backward phase, from its own last level, and its
own copy of every sum. Then g does not overwrite sigma, which the next backward phase needs:

    cutoff     delta_L<F_d> = sigma .* (A g_L<F_{d+1}>)  for d < L,   delta_L<F_L> = 0

With a distance decay f and an origin-destination matrix D, omega depends on the source, and is
known after the forward phase:

    seeds      omega_s(t) = omega(t) f(d(s, t)) D(s, t)
"""

from collections.abc import Callable
from typing import Any

from ...jit import subroutine


@subroutine  # type: ignore[untyped-decorator]
def sweep(
    batch: Any, forward: Callable[[Any, int], bool], backward: Callable[[Any, int, int], None]
) -> None:
    """Run forward to the last level, then backward to level 0 (the sources) for each cutoff.

    ``forward(batch, depth)`` finds level ``depth + 1`` and counts its paths; it returns False if
    the level is empty or past the last cutoff. ``backward(batch, depth, column)`` accumulates delta
    on level ``depth``, of pairs within ``limits[column]``, and stores g. delta_s(s) is not added to
    the score of s; the arcs that leave s do get their share.
    """
    depth = 0
    while forward(batch, depth):
        depth += 1
    for column in range(batch.limits.size):
        for d in range(depth, -1, -1):
            backward(batch, d, column)
