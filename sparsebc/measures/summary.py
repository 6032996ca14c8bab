"""Statistics of the distances of all pairs, or from some sources, without a matrix of them."""

from __future__ import annotations

from contextlib import closing, nullcontext
from functools import partial
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arguments import check_between, check_flags
from ..engines import devices
from ..errors import InputError
from ..matrix.edge_weights import TIE_RTOL
from ..matrix.read_matrix import Adjacency
from ..sweep.in_order import in_order
from ..sweep.options import SearchOptions, parse
from ..sweep.progress import counting
from .reading import check_sample, sampled
from .rows import Rows, search_plan, searched_graph, slices

MOST_BINS = 1 << 24


class DistanceSummary(NamedTuple):
    """Statistics of distances, as `distance_summary` returns them.

    Attributes
    ----------
    mean : float
        Mean distance of the ordered pairs of nodes with a path; NaN if there is none.
    diameter, radius : float
        Largest and least eccentricity of a source, its distance to the farthest node that it
        reaches.
    efficiency : float
        Mean of the reciprocal distance of all ordered pairs, 0 without a path.
    reachable : float
        Share of the ordered pairs that have a path.
    counts : ndarray, shape (bins,), dtype int64
        Number of ordered pairs with a distance above (i - 1) `width` and up to i `width`, but for
        rounding.
    width : float
        Width of a bin, 1 by edges: ``counts[i]`` pairs are i edges apart then.
    """

    mean: float
    diameter: float
    radius: float
    efficiency: float
    reachable: float
    counts: NDArray[np.int64]
    width: float


def distance_summary(
    A: Adjacency,
    *,
    directed: bool = True,
    weighted: bool = False,
    k: ArrayLike | None = None,
    rng: Any = None,
    width: float | None = None,
    **run: Unpack[SearchOptions],
) -> DistanceSummary:
    """Mean distance, diameter, radius, efficiency and histogram of the distances of a graph.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        Adjacency as in `betweenness`.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions.
    weighted : bool, default False
        True takes the stored values for lengths, as in `shortest_paths`.
    k : int or array_like of int, optional
        Estimate from k random sources, or from a list of nodes; the diameter is then at most, and
        the radius at least, the true one.
    rng : None, int, numpy.random.Generator or other seed, optional
        Seed of the sample; only with `k`.
    width : float, optional
        Width of a bin of the histogram, only with `weighted`; by default the mean length.
    **run
        Run options, as in `bfs`.

    Returns
    -------
    DistanceSummary
        With fields ``mean``, ``diameter``, ``radius``, ``efficiency``, ``reachable``, ``counts``
        and ``width``. Pairs without a path count in ``efficiency`` and ``reachable`` alone.

    Raises
    ------
    TypeError, ValueError, RuntimeError, MemoryError, concurrent.futures.BrokenExecutor
        As `shortest_paths`.
    ValueError
        If `k` is outside 1..n; if `width` is not above 0 or makes more than 2**24 bins.

    See Also
    --------
    eccentricity : The largest distance of each node.
    shortest_paths : The distances.

    Notes
    -----
    Rows of `bfs` or `shortest_paths` are summed batch by batch. Beside the memory of the search
    this takes 16 n bytes for each source of a batch, or 48 n with `weighted`.

    Examples
    --------
    The path 0 - 1 - 2 - 3, with six ordered pairs one edge apart:

    >>> import numpy as np
    >>> import scipy.sparse
    >>> from sparsebc import distance_summary
    >>> found = distance_summary(scipy.sparse.csr_array(np.eye(4, k=1)), directed=False)
    >>> found.mean, found.diameter, found.radius, found.counts
    (1.6666666666666667, 3.0, 2.0, array([0, 6, 4, 2]))
    """
    check_flags(directed=directed, weighted=weighted)
    check_sample(k, rng, False, [])
    if width is not None and not weighted:
        raise InputError("width has an effect only with weighted=True: leave it out", "width")
    if width is not None:
        width = check_between("width", width, np.inf)
    settings = parse(run, SearchOptions)
    engine = devices.select(settings.device, devices.home(A))
    with engine.here(), settings.executor or nullcontext():
        graph, n = searched_graph(A, engine, settings, directed=directed, weighted=weighted)
        is_source = np.ones(n, dtype=bool) if k is None else sampled(n, k, rng)
        sources = np.flatnonzero(is_source).astype(np.int32)
        sweep, need = search_plan(engine, graph, sources.size, directed=directed, weighted=weighted)
        if width is None:
            lengths = graph.data if weighted else np.empty(0)
            width = float(lengths.mean()) if lengths.any() else 1.0
        rows = Rows("paths" if weighted else "levels", sweep.width, n, None, None)
        blocks = [sources[cut] for cut in slices(sources.size, sweep.width)]
        if not engine.devices:
            need = need._replace(each=need.each + 4 * rows.bytes_of(sweep.width * n))
        given: Any = {"graph": graph, "need": need, "run": settings, "result_bytes": 0}
        parts = in_order(engine, blocks, sweep.state, partial(_of_block, rows, width), **given)
        total, harmonic, counts, radius, diameter = 0.0, 0.0, np.zeros(1, np.int64), np.inf, 0.0
        with counting(settings.progress, sources.size) as advance, closing(parts):
            for block, (distance, inverse, more, least, most) in zip(blocks, parts, strict=True):
                total, harmonic = total + distance, harmonic + inverse
                counts = np.pad(counts, (0, max(more.size - counts.size, 0)))
                counts[: more.size] += more
                radius, diameter = min(radius, least), max(diameter, most)
                advance(block.size)
    pairs, reached = max(sources.size * (n - 1), 1), int(counts.sum())
    return DistanceSummary(
        total / reached if reached else np.nan,
        diameter=diameter,
        radius=min(radius, diameter),
        efficiency=harmonic / pairs,
        reachable=reached / pairs,
        counts=counts,
        width=width,
    )


def _of_block(
    rows: Rows, width: float, state: Any, sources: NDArray[np.int32]
) -> tuple[float, float, NDArray[np.int64], float, float]:
    """Sums of the distances from sources and of their reciprocals, histogram, eccentricities.

    Of the eccentricities, the least and the largest.
    """
    found = [np.zeros_like(part) for part in rows.empty((sources.size, rows.n))]
    rows.fill(state, sources, found)  # zeros remain if it is stopped
    distances = found[0]
    if rows.kind == "levels":
        counts = np.bincount((distances + 1).ravel())[1:]
        levels = np.arange(1, counts.size)
        total, harmonic = levels @ counts[1:], (counts[1:] / levels).sum()
    else:
        distances[np.isinf(distances)] = -1
        away = distances[distances > 0]
        if away.max(initial=0) / width > MOST_BINS:
            raise InputError(f"width={width:g} makes over {MOST_BINS} bins: raise it", "width")
        # A sum of floats may exceed a bound, and a quotient be lost.
        bins = np.maximum(np.ceil(away / width * (1 - TIE_RTOL)), 1)
        counts = np.bincount(bins.astype(np.int64), minlength=1)
        counts[0] = np.count_nonzero(distances == 0)
        total, harmonic = away.sum(), (1 / away).sum()
    counts[0] -= sources.size  # the distance of each source from itself
    farthest = distances.max(axis=1)
    return float(total), float(harmonic), counts, float(farthest.min()), float(farthest.max())
