"""Betweenness of all nodes from sampled sources, to a guaranteed error or in a given time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..engines import devices
from ..errors import InputTypeError, OptionError
from ..graph.edge_weights import TIE_RTOL
from ..graph.read_matrix import Adjacency
from ..notebook import Ranked
from ..run.checkpoint import opened
from ..run.options import RunOptions
from ..run.rounds import Rounds
from .arguments import check_between, check_choice, check_int
from .query import PAIRS
from .sampling.bounds import Intervals, Reals
from .sampling.choice import Samples, sampler
from .sampling.sampler import Sampler
from .sampling.stopping import Goal
from .sampling.time_limit import TimeLimit, TimeUp

# Half-width that a search in a given time aims at until the first round has told the rate.
FIRST_AIM = 0.1
# Exact scores that lie closer together than this, relatively, are those of a tie.
ROUNDING = 1e-12
# Least probability of an error; what is left of it for one node must be a float.
LEAST_DELTA = 1e-100


@dataclass(frozen=True, repr=False)
class Approximation(Ranked):
    """Scores within known distances of the exact ones.

    Attributes
    ----------
    scores : ndarray, shape (n,), dtype float64
        Normalized betweenness of each node, as estimated.
    half_widths : ndarray, shape (n,), dtype float64
        Greatest distance of each exact score from that.
    samples : int
        Number of samples. Of sources the first so many of the population, in the order of
        ``numpy.random.default_rng(rng).permutation(n)``.
    population : int or None
        Number of sources that the exact scores take: the nodes with an edge to start with, but for
        those in components of an undirected graph that are trees, and those that do not count. With
        `source_weights` one of more than the mean weight is several, in all fewer than twice as
        many. None if the samples are paths, which are drawn with replacement.
    exact : bool
        Whether every source was sampled; half-widths are zero then. Never of paths.
    ranking : ndarray of int, shape (top,), or None
        With `top`, the nodes of the highest scores in falling order.
    certain : ndarray of bool, shape (top,), or None
        Which of those the bounds prove to have that very rank.
    """

    scores: NDArray[np.float64]
    half_widths: NDArray[np.float64]
    samples: int
    population: int | None
    exact: bool
    ranking: NDArray[np.int64] | None = None
    certain: NDArray[np.bool_] | None = None


def approximate_betweenness(
    A: Adjacency,
    *,
    epsilon: float | None = None,
    delta: float = 0.1,
    top: int | None = None,
    seconds: float | None = None,
    rng: Any = None,
    samples: Samples | None = None,
    directed: bool = True,
    weighted: bool = False,
    sources: ArrayLike | None = None,
    targets: ArrayLike | None = None,
    source_weights: ArrayLike | None = None,
    target_weights: ArrayLike | None = None,
    tie_rtol: float = TIE_RTOL,
    **run: Unpack[RunOptions],
) -> Approximation:
    r"""Betweenness of every node to within `epsilon`, or as close as it gets in some `seconds`.

    With probability at least 1 - delta, the normalized score of every node is within its half-width
    of the exact one, for all nodes at once; sources or paths are sampled until no half-width
    exceeds `epsilon`, or until the time is up. If that takes every source, the scores are exact.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        As in `betweenness`.
    epsilon : float, optional
        Largest half-width, between 0 and 1: scores are shares of pairs. May be left out if
        `seconds` is given.
    delta : float, default 0.1
        Probability, between 0 and 1, that some score is further off than its half-width.
    top : int, optional
        Stop earlier, once it is certain which nodes have the `top` highest scores, in which order.
        Nodes of equal scores, or nearly equal ones, stay uncertain; `epsilon` or `seconds` ends the
        search.
    seconds : float, optional
        Stop after this time, counted from the call on, with the half-widths reached by then, which
        hold as those of any other search do. Reading the matrix and the first round, a warm-up,
        are counted. No round begins that is not expected to end in time; one that does not is
        stopped after the current block of sources, and not used. If time was up before the first
        round ended, half-widths are as wide as knowing nothing leaves them. With ``checkpoint`` it
        is the time of all calls together, each from its beginning to its last save: one that goes
        on has what the others left, and one that asks for more than they had goes on in the round
        that time cut short.
    samples : {"sources", "paths"}, optional
        What a sample is: a source, with all that starts there, or a shortest path between two
        nodes drawn at random, by length on a CPU alone. By default the kind that takes less time
        on this graph: paths, where a graph is shallow and large.
    rng : None, int, numpy.random.Generator or other seed, optional
        Seed of the sample, as `numpy.random.default_rng` takes it; needed with ``checkpoint``.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions.
    weighted : bool, default False
        True takes the stored values for lengths, as in `betweenness`.
    sources, targets : array_like of int, shape (m,), optional
        Count only pairs that start, or end, at these nodes, as in `betweenness`: scores are shares
        of all pairs, and `epsilon` is of those.
    source_weights, target_weights : array_like of numbers, shape (n,), optional
        Let a pair (s, t) count source_weights[s] * target_weights[t] instead of 1, as in
        `betweenness`; with the states of `percolation` as `source_weights`, scores are estimates of
        that. Where no pair could count a node, its score is NaN and its half-width 0.
    tie_rtol : float, default 1e-10
        As in `betweenness`; only with `weighted`.
    **run
        Run options, as in `betweenness`. ``progress`` is called with the samples drawn and those
        that the variances so far make likely; the bar shows the largest half-width too. A
        ``checkpoint`` keeps what is known before the current round, and the sums of that round.

    Returns
    -------
    Approximation
        Scores on the scale of ``betweenness(A, normalized=True)``, half-widths, samples used,
        whether it ended exact; with `top`, the ranking and which of its positions are certain.
        CuPy arrays if A is a CuPy matrix.

    Raises
    ------
    TypeError
        If `epsilon`, `delta` or `seconds` is not a number, or `top` not an int; if neither
        `epsilon` nor `seconds` is given.
    ValueError
        If `epsilon` or `delta` is not between 0 and 1, `top` outside 1..n, or `seconds` not above
        0 or not finite; if `samples` names no kind, or paths and `epsilon` takes too many; if
        `sources`, `targets` or weights of nodes are none that `betweenness` takes; if
        ``checkpoint`` comes without `rng`, or holds another search.
    TypeError, ValueError, RuntimeError, MemoryError, OverflowError, OSError
        As `betweenness` does.
    BaseException
        Whatever else ends the search early: Ctrl-C, what ``progress`` raises, a lost worker. Its
        attribute ``approximation`` is the `Approximation` after the last round, whose bounds hold.

    See Also
    --------
    betweenness : Exact scores, or those of a sample of k sources without a guarantee.
    adaptive_betweenness : For a few nodes.

    Notes
    -----
    A sample is a source s, and what it tells of node v is the share of the targets that s reaches
    through v; or a path, and what it tells is whether it passes v. Sources are drawn without
    replacement, paths with it, in rounds. After each the sum and the sum of squares of what was
    told give every node an interval of the empirical Bernstein type, by a betting argument [1]_ for
    means of finite populations [2]_; the union bound over the nodes gives most of delta to those of
    large variance, as in [3]_. With weights a path leads from s to t as often as the weight of that
    pair says, and a source of more than the mean weight is several rows, each of which tells its
    share. :doc:`/approximation` has the bound and its proof. A node of variance :math:`\sigma^2`
    takes about
    :math:`\log(2 n / \delta) / (\epsilon - \sigma^2 \log(1 + \epsilon / \sigma^2))` samples.

    In an undirected graph the pairs that trees send through a node are counted exactly, and only
    the rest is sampled.

    Cost is O(samples * edges), never more sources than an exact run has, or twice as many with
    `source_weights`; where levels are wide, O(samples * sqrt(edges)) of paths. Memory is that of
    `betweenness`, or 32 bytes a node and worker for paths (by length 60, and 24 an arc), and some
    20 float64 a node, of paths without weights of nodes only for one that some path passed, of
    which a checkpoint keeps eight. A seed names nodes of A: the same sources or paths are drawn,
    and the same scores estimated, on every device; but by default a GPU takes sources by length
    where a CPU takes paths. The bits too are the same for any `workers`, `memory_budget` and
    `executor`, and however often a run with ``checkpoint`` was stopped. With `seconds` the number
    of samples depends on the clock; the order in which they are drawn does not.

    References
    ----------
    .. [1] I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting",
       Journal of the Royal Statistical Society B 86, 1-27 (2024), arXiv:2010.09686
    .. [2] R. Bardenet and O.-A. Maillard, "Concentration inequalities for sampling without
       replacement", Bernoulli 21, 1361-1385 (2015), arXiv:1309.4029
    .. [3] M. Borassi and E. Natale, "KADABRA is an adaptive algorithm for betweenness via random
       approximation", ACM Journal of Experimental Algorithmics 24 (2019), arXiv:1604.08553

    Examples
    --------
    >>> from sparsebc import approximate_betweenness, betweenness, datasets
    >>> A, names = datasets.load("human-protein-hein2015")
    >>> near = approximate_betweenness(A, epsilon=0.05, rng=1, directed=False)
    >>> bool(abs(near.scores - betweenness(A, directed=False)).max() <= 0.05)
    True

    Of sources it takes a fifth of what exact scores take, or less:

    >>> near = approximate_betweenness(A, epsilon=0.05, rng=1, directed=False, samples="sources")
    >>> near.samples < near.population / 5
    True

    Percolation from a tenth of the proteins, by their states:

    >>> import numpy as np
    >>> from sparsebc import percolation
    >>> states = np.where(np.arange(A.shape[0]) % 10, 0.0, np.linspace(0.1, 1, A.shape[0]))
    >>> near = approximate_betweenness(
    ...     A, epsilon=0.05, rng=1, directed=False, source_weights=states
    ... )
    >>> bool(abs(near.scores - percolation(A, states, directed=False)).max() <= 0.05)
    True

    As close as ten seconds allow; this network takes less:

    >>> approximate_betweenness(A, seconds=10, directed=False).half_widths.max() < 0.1
    np.True_
    """
    given = locals()
    if seconds is not None:
        check_between("seconds", seconds, np.inf)
    limit = TimeLimit(None if seconds is None else float(seconds))
    if epsilon is not None:
        check_between("epsilon", epsilon, 1)
    elif seconds is None:
        raise InputTypeError(
            "epsilon or seconds must be given, got neither: try epsilon=0.05 for the error, or "
            "seconds=60 for the time"
        )
    if samples is not None:
        check_choice("samples", samples, ("sources", "paths"))
    check_between("delta", delta, 1)
    if delta < LEAST_DELTA:
        raise OptionError(
            f"delta must be at least {LEAST_DELTA}, got {delta}: betweenness is exact, and certain",
            "delta",
        )
    origin = devices.home(A)
    goal = Goal(epsilon, delta, top)
    asked = {name: given[name] for name in PAIRS if name in given}
    how: Any = {"directed": directed, "samples": samples, "goal": goal, "seconds": seconds}
    with sampler(A, rng, run=run, keeps=True, **how, **asked) as sample:
        if top is not None:
            check_int("top", top, sample.n, f"n = {sample.n}", ": leave it out to rank none")
        intervals = sample.intervals(epsilon or FIRST_AIM, delta)
        identity = lambda: sample.identity() | goal.named()  # noqa: E731
        with opened(sample.run, identity, limit.begun) as checkpoint:
            rounds = Rounds(checkpoint, intervals, limit.seconds)
            limit.spend(rounds.seconds_before)
            sample.drawn = intervals.drawn
            with sample.reporting(rounds.draws_before):
                near = _rounds(sample, intervals, rounds, limit, goal, origin)
            rounds.end(near.widest)
        return near.delivered(sample, origin)


class _Estimate(NamedTuple):
    """Estimate from the rounds so far."""

    drawn: int
    mean: Reals  # of x, by column
    half: Reals  # half-widths of scores, by column
    names: NDArray[np.int64] | None  # of the columns, as `Intervals` has them
    ranking: NDArray[np.int64] | None = None
    certain: NDArray[np.bool_] | None = None

    @property
    def widest(self) -> float:
        """Largest half-width."""
        return float(self.half.max(initial=0.0))

    def delivered(self, sample: Sampler, origin: str | None) -> Approximation:
        """Estimate of all nodes, on the device of the matrix."""
        population = int(sample.population) if math.isfinite(sample.population) else None
        scores = sample.scores(self.mean, self.names)
        half = sample.half_widths(self.half, self.names)
        known = scores, half, *((self.ranking, self.certain) if self.ranking is not None else ())
        scores, half, *ranked = (devices.deliver(each, origin) for each in known)
        is_exact = self.drawn == population
        return Approximation(scores, half, self.drawn, population, is_exact, *ranked)


def _rounds(
    sample: Sampler,
    intervals: Intervals,
    rounds: Rounds,
    limit: TimeLimit,
    goal: Goal,
    origin: str | None,
) -> _Estimate:
    """The estimate after the round that reaches the goal, or the last one in time."""
    near = _after_a_round(sample, intervals, goal.top)
    try:
        while near.drawn < sample.population and not goal.is_met(near.widest, near.certain):
            count = pending = rounds.pending_draws
            if pending and not rounds.is_swept:
                limit.check()
            if not pending:
                most = limit.affordable(sample.population - sample.drawn)
                if not most:
                    break
                if goal.epsilon is None and sample.drawn:
                    reached: Reals = sample.scale * intervals.reachable(sample.drawn + most)
                    widest = reached.max()
                    intervals.aim(widest / sample.scale)
                count = intervals.plan(early=goal.top is not None, most=most)
            rounds.begin(count, intervals.expected, near.widest)
            with limit.measured(0 if pending else count):
                drawn = sample.draw(
                    count,
                    intervals.expected,
                    f"within {near.widest:.2g}",
                    squares=True,
                    check=limit.check,
                    keeper=rounds,
                )
            intervals.add(count, *drawn)
            near = _after_a_round(sample, intervals, goal.top)
    except TimeUp:
        pass
    except BaseException as error:
        vars(error)["approximation"] = near.delivered(sample, origin)
        raise
    return near


def _after_a_round(sample: Sampler, intervals: Intervals, top: int | None) -> _Estimate:
    """The estimate from the rounds so far."""
    mean, low, high = intervals.bounds()
    near = _Estimate(sample.drawn, mean, sample.halves(mean, low, high), intervals.names)
    if top is None:
        return near
    every = (devices.deliver(sample.scores(each, near.names), None) for each in (mean, low, high))
    scores, low, high = every
    ranking, certain = _order(scores)[:top], _certain(scores, low, high)[:top]
    return near._replace(ranking=ranking, certain=certain)


def _order(scores: Reals) -> NDArray[np.int64]:
    """Nodes in falling order of score, ties by number."""
    return np.argsort(-scores, kind="stable")


def _certain(scores: Reals, low: Reals, high: Reals) -> NDArray[np.bool_]:
    """Mask of the ranks that the bounds allow a single node."""
    order = _order(scores)
    low, high = low[order], high[order] * (1 + ROUNDING)
    lowest_above = np.fmin.accumulate(np.concatenate(([np.inf], low[:-1])))
    highest_below = np.fmax.accumulate(np.concatenate((high[1:], [-np.inf]))[::-1])[::-1]
    return (lowest_above > high) & (low > highest_below)
