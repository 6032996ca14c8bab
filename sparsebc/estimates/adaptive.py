"""Betweenness of a few nodes from sampled sources; central nodes take fewer sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arguments import check_between, listed
from ..engines import devices
from ..matrix.edge_weights import TIE_RTOL
from ..matrix.read_matrix import Adjacency
from ..sweep.options import PathOptions
from .choice import sampler

# Sources of the first round, and those of a later round over all earlier ones.
FIRST_ROUND, GROWTH = 128, 0.25


@dataclass(frozen=True)
class Adaptive:
    """Estimated scores of a few nodes, and the number of sources of each estimate.

    Attributes
    ----------
    scores : ndarray, shape (m,), dtype float64
        Normalized betweenness of each node, as estimated. A CuPy array if A is a CuPy matrix.
    samples : ndarray, shape (m,), dtype int64
        Number of sources of each estimate, on the host.
    """

    scores: NDArray[np.float64]
    samples: NDArray[np.int64]


def adaptive_betweenness(
    A: Adjacency,
    nodes: ArrayLike,
    *,
    c: float = 5.0,
    rng: Any = None,
    directed: bool = True,
    weighted: bool = False,
    tie_rtol: float = TIE_RTOL,
    **run: Unpack[PathOptions],
) -> Adaptive:
    r"""Betweenness of a few nodes, estimated from fewer sources where it is higher.

    Sources are sampled until their dependencies on a node add up to c n [1]_. A central node needs
    few sources; a node of low betweenness may need all, and then its score is exact.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        As in `betweenness`.
    nodes : array_like of int, shape (m,)
        Nodes to score; a node may occur more than once.
    c : float, default 5
        Sampling for a node ends when its dependencies add up to c n; a larger c is more accurate.
        The paper requires at least 2, and uses 5.
    rng : None, int, numpy.random.Generator or other seed, optional
        Seed of the sample, as `numpy.random.default_rng` takes it.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions.
    weighted : bool, default False
        True takes the stored values for lengths, as in `betweenness`.
    tie_rtol : float, default 1e-11
        As in `betweenness`; only with `weighted`.
    **run
        Run options of `sparsebc.PathOptions`.

    Returns
    -------
    Adaptive
        Scores, in the order of `nodes` and on the scale of ``betweenness(A, normalized=True)``, and
        the number of sources of each.

    Raises
    ------
    TypeError
        If `nodes` holds anything but ints, `c` is not a number, or `rng` no seed.
    ValueError
        If `nodes` is empty, not one-dimensional or names a node outside 0..n - 1, if `c` is not
        positive and finite, or if `rng` is negative.
    TypeError, ValueError, RuntimeError, MemoryError, OverflowError
        As `betweenness` does.

    See Also
    --------
    approximate_betweenness : Scores of all nodes, with guaranteed bounds.

    Notes
    -----
    If k of N sources have dependencies on node v that add up to S, N S / k estimates the sum over
    all; pairs counted by folded trees are exact. For a node of raw score :math:`n^2 / t` and
    0 < e < 1/2, e t samples estimate it within a factor 1 / e with probability at least 1 - 2 e
    [1]_. Rounds draw sources without replacement, in the order of `approximate_betweenness`, and
    test S at their end, so it may exceed c n. Cost is O(samples * edges); memory is that of
    `betweenness`.

    References
    ----------
    .. [1] D. A. Bader, S. Kintali, K. Madduri and M. Mihail, "Approximating betweenness
       centrality", Algorithms and Models for the Web-Graph (2007), LNCS 4863, 124-137,
       doi:10.1007/978-3-540-77004-6_10

    Examples
    --------
    >>> from sparsebc import adaptive_betweenness, betweenness, datasets
    >>> A, names = datasets.load("human-proteins")
    >>> exact = betweenness(A, directed=False)
    >>> busy, quiet = exact.argmax(), exact.argmin()
    >>> found = adaptive_betweenness(A, [busy, quiet], rng=1, directed=False)
    >>> bool(found.samples[0] < found.samples[1] == 5586)  # all sources for the quiet one
    True
    >>> bool(abs(found.scores[0] / exact[busy] - 1) < 0.2)
    True
    """
    c = check_between("c", c, np.inf)
    with (
        sampler(A, rng, directed=directed, weighted=weighted, tie_rtol=tie_rtol, run=run) as sample,
        sample.reporting(),
    ):
        population = int(sample.population)
        named = listed("nodes", nodes, sample.n)
        scores, samples = np.zeros(named.size), np.full(named.size, population)
        sums, waiting = np.zeros(sample.scale.size), np.ones(named.size, dtype=bool)
        while True:
            mean = sums / max(sample.drawn, 1)
            estimate = devices.deliver(sample.scores(mean), None)[named]
            enough = estimate * sample.drawn * sample.pairs >= c * sample.n * population
            done = waiting & (enough | (sample.drawn == population))
            scores[done], samples[done] = estimate[done], sample.drawn
            waiting &= ~done
            if not waiting.any():
                return Adaptive(devices.deliver(scores, devices.home(A)), samples)
            count = max(FIRST_ROUND, int(GROWTH * sample.drawn))
            left = f"{np.count_nonzero(waiting)} nodes left"
            sums += sample.draw(count, population, left)[0]
