"""Betweenness of a few nodes from sampled sources, the fewer the more central a node is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..engines import devices
from ..graph.edge_weights import TIE_RTOL
from ..graph.read_matrix import Adjacency
from ..run.options import RunOptions
from .arguments import check_between, listed
from .sampling.choice import sampler

# Sources of the first round, and the share of those so far that each later round has.
FIRST_ROUND, GROWTH = 128, 0.25


@dataclass(frozen=True)
class Adaptive:
    """Scores of a few nodes, and what they took.

    Attributes
    ----------
    scores : ndarray, shape (m,), dtype float64
        Normalized betweenness of each node named, as estimated.
    samples : ndarray of int, shape (m,)
        Number of sources that each estimate rests on.
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
    **run: Unpack[RunOptions],
) -> Adaptive:
    r"""Betweenness of a few nodes, from fewer sources the higher it is.

    Sources are sampled until their dependencies on a node add up to c n [1]_. A central node gets
    there soon; for one that is not central, all sources may be taken, and its score is exact then.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        As in `betweenness`.
    nodes : array_like of int, shape (m,)
        The nodes of interest.
    c : float, default 5
        How much a node must have gathered, in units of n; more is more accurate. The paper asks for
        2 at least, and uses 5.
    rng : None, int, numpy.random.Generator or other seed, optional
        Seed of the sample, as `numpy.random.default_rng` takes it.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions.
    weighted : bool, default False
        True takes the stored values for lengths, as in `betweenness`.
    tie_rtol : float, default 1e-10
        As in `betweenness`; only with `weighted`.
    **run
        Run options, as in `betweenness`, but for ``checkpoint``.

    Returns
    -------
    Adaptive
        Scores of the nodes named, in that order, on the scale of
        ``betweenness(A, normalized=True)``, and the number of sources that each rests on.

    Raises
    ------
    TypeError
        If `nodes` holds anything but ints, or `c` is not a number.
    ValueError
        If `nodes` is empty or names a node outside 0..n - 1, or `c` is not above 0.
    TypeError, ValueError, RuntimeError, MemoryError, OverflowError
        As `betweenness` does.

    See Also
    --------
    approximate_betweenness : All nodes, and with bounds that hold.

    Notes
    -----
    With S the sum of the dependencies of k of N sources on node v, the estimate of the sum over all
    is N S / k, and pairs that trees decide are added exactly: N are the nodes with something left
    to sample, n in [1]_. For a node of raw score :math:`n^2 / t` and 0 < e < 1/2, e t samples
    give it within a factor 1 / e with probability 1 - 2 e at least [1]_. Here sources are drawn
    without replacement, in the order of `approximate_betweenness`, and in rounds of at least 128,
    each a quarter of those before: S is looked at after each round, so it may exceed c n. Cost is
    O(samples * edges).

    References
    ----------
    .. [1] D. A. Bader, S. Kintali, K. Madduri and M. Mihail, "Approximating betweenness
       centrality", Algorithms and Models for the Web-Graph (2007), LNCS 4863, 124-137,
       doi:10.1007/978-3-540-77004-6_10

    Examples
    --------
    >>> from sparsebc import adaptive_betweenness, betweenness, datasets
    >>> A, names = datasets.load("human-protein-hein2015")
    >>> exact = betweenness(A, directed=False)
    >>> busy, quiet = exact.argmax(), exact.argmin()
    >>> found = adaptive_betweenness(A, [busy, quiet], rng=1, directed=False)
    >>> bool(found.samples[0] < found.samples[1] == 5378)  # all sources for the quiet one
    True
    >>> bool(abs(found.scores[0] / exact[busy] - 1) < 0.2)
    True
    """
    check_between("c", c, np.inf)
    with (
        sampler(A, rng, directed=directed, weighted=weighted, tie_rtol=tie_rtol, run=run) as sample,
        sample.reporting(),
    ):
        every = int(sample.population)
        named = listed("nodes", nodes, sample.n)
        scores, samples = np.zeros(named.size), np.full(named.size, every)
        sums, waiting = np.zeros(sample.scale.size), np.ones(named.size, dtype=bool)
        while True:
            mean = sums / max(sample.drawn, 1)
            estimate = devices.deliver(sample.scores(mean), None)[named]
            enough = estimate * sample.drawn * sample.pairs >= c * sample.n * every
            done = waiting & (enough | (sample.drawn == every))
            scores[done], samples[done] = estimate[done], sample.drawn
            waiting &= ~done
            if not waiting.any():
                return Adaptive(devices.deliver(scores, devices.home(A)), samples)
            count = max(FIRST_ROUND, int(GROWTH * sample.drawn))
            left = f"{np.count_nonzero(waiting)} nodes left"
            sums += sample.draw(count, every, left).sums
