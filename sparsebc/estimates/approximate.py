"""Betweenness of all nodes from sampled sources, to a guaranteed error or in a given time."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arguments import check_between, check_choice, check_int
from ..engines import devices
from ..errors import InputError, InputTypeError
from ..kernel_cache import working_time
from ..matrix.edge_weights import TIE_RTOL
from ..matrix.read_matrix import Adjacency
from ..measures.reading import PAIRS
from ..notebook import as_table, in_one_line
from ..sweep.checkpoint import Checkpoint, State, opened
from ..sweep.options import RunOptions
from .choice import Goal, Samples, sampler
from .confidence_intervals import Intervals, Reals
from .sampler import Sampler

# Target half-width of the first round if ``seconds`` are given without ``epsilon``.
FIRST_AIM = 0.1
BESIDE_TOP = 0.001  # epsilon of a ranking without another limit
# Exact scores tie up to this relative difference.
TIED_SCORES = 1e-12
# Least ``delta``: its share of a single node must be a normal float.
LEAST_DELTA = 1e-100
# Share of the time left that is planned for: a round that overruns would be lost.
PLANNED = 0.8
# Units of the first round, which tells the rate, and least of a later one.
WARM_UP = 64


@dataclass(frozen=True, repr=False)
class Approximation:
    """Estimated scores of all nodes, with bounds of their errors.

    Attributes
    ----------
    scores : ndarray, shape (n,), dtype float64
        Estimate of the normalized betweenness of each node.
    half_widths : ndarray, shape (n,), dtype float64
        Bounds of the absolute errors, valid for all nodes at once with probability 1 - `delta`.
    samples : int
        Number of samples. Sources are the first ``samples`` of the population, without
        `source_weights` in the order of ``numpy.random.default_rng(rng).permutation(n)``.
    population : int or None
        Number of sources of the exact scores: nodes with an outgoing edge that count, without those
        in tree components of an undirected graph. With `source_weights`, a node above the mean
        weight is several sources; the total is less than twice as many. None if the samples are
        paths, which are drawn with replacement.
    exact : bool
        Whether every source was sampled, so that half-widths are 0; False if samples are paths.
    ranking : ndarray, shape (top,), dtype int64, or None
        With `top`, the nodes of the highest scores in descending order.
    certain : ndarray, shape (top,), dtype bool, or None
        Whether the bounds prove the rank of each node of `ranking`.
    """

    by_node = ("scores", "half_widths")
    __repr__, _repr_html_ = in_one_line, as_table

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
    r"""Betweenness of every node, estimated to an error `epsilon` or for a number of `seconds`.

    With probability at least 1 - delta, the normalized scores of all nodes at once are within their
    half-widths of the exact scores. Sources or paths are sampled until no half-width exceeds
    `epsilon`, or until the time is up. Scores are exact once every source was sampled.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        As in `betweenness`.
    epsilon : float, optional
        Largest half-width, between 0 and 1, as a share of pairs. By default 0.001 with `top`, and
        unlimited with `seconds`.
    delta : float, default 0.1
        Probability, in [1e-100, 1), that some error exceeds its half-width.
    top : int, optional
        Stop earlier, once the bounds separate the `top` highest scores, in order. Equal and nearly
        equal scores are never separated: `epsilon` or `seconds` then ends the sampling.
    seconds : float, optional
        Time limit of the whole call; half-widths are valid whenever sampling ends. With
        ``checkpoint`` it limits the total time of all calls.
    samples : {"sources", "paths"}, optional
        Kind of a sample: a source, with all shortest paths from it, or one shortest path between
        two random nodes. By default the kind that is expected to be faster: paths, if the graph is
        large and of low diameter.
    rng : None, int, numpy.random.Generator or other seed, optional
        Seed of the sample, as `numpy.random.default_rng` takes it; needed with ``checkpoint``.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions.
    weighted : bool, default False
        True takes the stored values for lengths, as in `betweenness`.
    sources, targets : array_like of int, shape (m,), optional
        Count only pairs that start, or end, at these nodes, as in `betweenness`: scores and
        `epsilon` are shares of all pairs.
    source_weights, target_weights : array_like of numbers, shape (n,), optional
        Weight each pair by source_weights[s] * target_weights[t] instead of 1, as in `betweenness`.
        With the states of `percolation` as `source_weights` scores estimate percolation centrality.
        If no pair could count a node, its score is NaN and its half-width 0.
    tie_rtol : float, default 1e-11
        As in `betweenness`; only with `weighted`.
    **run
        Run options, as in `betweenness`. ``progress`` is called with the number of samples and the
        expected total.

    Returns
    -------
    Approximation
        Scores on the scale of ``betweenness(A, normalized=True)``, half-widths, number of samples,
        whether scores are exact; with `top`, the ranking and whether each rank is certain. CuPy
        arrays if A is a CuPy matrix.

    Raises
    ------
    TypeError
        If `epsilon`, `delta` or `seconds` is not a number, or `top` not an int; if none of
        `epsilon`, `seconds` and `top` is given.
    ValueError
        If an argument is outside its range; if `samples` is "paths" and the error would take too
        many, or lengths that are not integers come with ``tie_rtol=0``; if ``checkpoint`` comes
        without `rng`, or holds another run.
    TypeError, ValueError, RuntimeError, MemoryError, OverflowError, OSError
        As `betweenness` does.
    BaseException
        Any other exception that ends the sampling: Ctrl-C, errors of ``progress``, a lost worker.
        Its attribute ``approximation`` is the `Approximation` after the last complete round.

    See Also
    --------
    betweenness : Exact scores, or those of a sample of k sources without a guarantee.
    adaptive_betweenness : Scores of a few nodes, without a guarantee.

    Notes
    -----
    Samples are drawn in rounds. After each round the sums of values and of their squares give every
    node an interval of the empirical Bernstein type, by a betting argument [1]_; the union bound
    over the nodes spends most of delta on nodes of large variance. :doc:`/approximation` has the
    bound and its proof.

    Cost is O(samples * edges), with at most as many sources as an exact run has, or twice as many
    with `source_weights`; of paths O(samples * sqrt(edges)) if frontiers are large. Memory is that
    of `betweenness`, or less for paths, and some 20 float64 a node. A seed draws the same samples
    on every device, but by default a GPU takes sources by length where a CPU takes paths. Bits are
    the same for any `workers`, `memory_budget` and `executor`, and however often a run with
    ``checkpoint`` was stopped.

    References
    ----------
    .. [1] I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting",
       Journal of the Royal Statistical Society B 86, 1-27 (2024), arXiv:2010.09686

    Examples
    --------
    >>> from sparsebc import approximate_betweenness, betweenness, datasets
    >>> A, names = datasets.load("human-proteins")
    >>> approx = approximate_betweenness(A, epsilon=0.05, rng=1, directed=False)
    >>> bool(abs(approx.scores - betweenness(A, directed=False)).max() <= 0.05)
    True

    A limit of ten seconds:

    >>> approximate_betweenness(A, seconds=10, directed=False).half_widths.max() < 0.1
    np.True_
    """
    given = locals()
    if seconds is not None:
        seconds = check_between("seconds", seconds, np.inf)
    begun = time.monotonic()
    end = math.inf if seconds is None else begun + seconds
    if epsilon is None and seconds is None:
        if top is None:
            raise InputTypeError(
                "epsilon or seconds must be given, got neither: try epsilon=0.05 for the error, "
                "seconds=60 for the time, or top=10 for the ranking"
            )
        epsilon = BESIDE_TOP
    if epsilon is not None:
        epsilon = check_between("epsilon", epsilon, 1)
    if samples is not None:
        check_choice("samples", samples, ("sources", "paths"))
    delta = check_between("delta", delta, 1)
    if delta < LEAST_DELTA:
        raise InputError(
            f"delta must be at least {LEAST_DELTA}, got {delta}: betweenness is exact, and certain",
            "delta",
        )
    origin = devices.home(A)
    goal = Goal(epsilon, delta, top)
    asked = {name: given[name] for name in PAIRS if name in given}
    how: Any = {"directed": directed, "samples": samples, "goal": goal, "seconds": seconds}
    with sampler(A, rng, run=run, known=RunOptions, **how, **asked) as sample:
        if top is not None:
            check_int("top", top, sample.n, f"n = {sample.n}", ": leave it out to rank none")
        intervals = sample.intervals(epsilon or FIRST_AIM, delta)
        identity = lambda: sample.identity() | goal.named()  # noqa: E731
        with opened(sample.run, identity, begun) as checkpoint:
            is_up = (seconds or math.inf) <= checkpoint.limit_before
            end -= math.inf if is_up else checkpoint.seconds_before
            delivered = _rounds(sample, intervals, checkpoint, end, goal, origin)
            checkpoint.save(finished=True, limit=seconds or 0.0)
        return delivered()


class TimeUp(Exception):
    """The time limit was reached, and work stopped."""


class _Round:
    """A part of a checkpoint: a round of some draws, and the statistics before it.

    They do not change while the sum of the round grows, and both are replaced at once, so that they
    always belong together.
    """

    def __init__(self, intervals: Intervals, draws: int) -> None:
        numbers, arrays = intervals.state()
        self._intervals, self.draws = intervals, draws
        self._state: State = {"draws": draws, "intervals": numbers}, arrays

    def state(self) -> State:
        """State for `restore`."""
        return self._state

    def restore(self, numbers: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Restore the statistics before the round."""
        self._intervals.restore(numbers["intervals"], arrays)
        self._state, self.draws = (numbers, arrays), numbers["draws"]


def _rounds(
    sample: Sampler,
    intervals: Intervals,
    checkpoint: Checkpoint,
    end: float,
    goal: Goal,
    origin: str | None,
) -> Callable[[], Approximation]:
    """Estimate after the round that reaches the goal, or after the last round before ``end``."""

    def check() -> None:
        if time.monotonic() >= end:
            raise TimeUp

    checkpoint.resume("round", interrupted := _Round(intervals, 0))
    swept = checkpoint.found("sum") or {"sources": 0, "of": 1}
    done = interrupted.draws * swept["sources"] // max(swept["of"], 1)
    # A round that had not begun to sum is planned anew.
    pending = interrupted.draws if swept.get("next") or swept.get("out_of_range", ())[1:] else 0
    sample.drawn = intervals.drawn
    rate: float | None = None  # draws a second, of the last whole round
    widest, is_ranked, latest = _after_a_round(sample, intervals, goal.top, origin)
    try:
        with sample.reporting(intervals.drawn + done):
            while sample.drawn < sample.population and not is_ranked:
                if goal.epsilon is not None and widest <= goal.epsilon:
                    break
                if pending and swept["sources"] < swept["of"]:
                    check()
                count = pending or _draws_in_time(sample, intervals, end, rate, goal)
                if not count:
                    break
                if not pending:
                    checkpoint.replace("round", _Round(intervals, count))
                remark = f"within {widest:.2g}"
                how: Any = {"squares": True, "check": check, "checkpoint": checkpoint}
                begun = working_time()
                drawn = sample.draw(count, intervals.expected, remark, **how)
                if not pending:
                    rate = count / max(working_time() - begun, 1e-9)
                intervals.add(count, *drawn)
                pending = 0
                widest, is_ranked, latest = _after_a_round(sample, intervals, goal.top, origin)
    except TimeUp:
        pass
    except BaseException as error:
        vars(error)["approximation"] = latest()
        raise
    return latest


def _draws_in_time(
    sample: Sampler, intervals: Intervals, end: float, rate: float | None, goal: Goal
) -> int:
    """Draws of the next round, with the bets on it; 0 if there is no time for one."""
    most = sample.population - sample.drawn
    if end < math.inf:
        least, left = min(most, WARM_UP), end - time.monotonic()
        if left <= 0:
            return 0
        most = least if rate is None else int(min(most, PLANNED * left * rate))
        if most < least:
            return 0
    if goal.epsilon is None and sample.drawn:
        reached: Reals = sample.scale * intervals.reachable(sample.drawn + most)
        intervals.aim(reached.max() / sample.scale)
    return intervals.plan(early=goal.top is not None, most=most)


def _after_a_round(
    sample: Sampler, intervals: Intervals, top: int | None, origin: str | None
) -> tuple[float, bool, Callable[[], Approximation]]:
    """Largest half-width, whether all ranks are certain, and the estimate from the rounds so far.

    The estimate is of all nodes, on the device of the matrix, and made when it is called.
    """
    (mean, low, high), names, drawn = intervals.bounds(), intervals.names, sample.drawn
    half = sample.halves(mean, low, high)
    ranked: tuple[NDArray[Any], ...] = ()
    if top is not None:
        every = (devices.deliver(sample.scores(each, names), None) for each in (mean, low, high))
        scores, low, high = every
        ranking = np.argsort(-scores, kind="stable")  # ties by number
        low, high = low[ranking], high[ranking] * (1 + TIED_SCORES)
        lowest_above = np.fmin.accumulate(np.concatenate(([np.inf], low[:-1])))
        highest_below = np.fmax.accumulate(np.concatenate((high[1:], [-np.inf]))[::-1])[::-1]
        certain = (lowest_above > high) & (low > highest_below)  # the bounds leave a single node
        ranked = ranking[:top], certain[:top]

    def delivered() -> Approximation:
        population = int(sample.population) if math.isfinite(sample.population) else None
        known = sample.scores(mean, names), sample.at_nodes(half, names), *ranked
        scores, widths, *ranks = (devices.deliver(each, origin) for each in known)
        return Approximation(scores, widths, drawn, population, drawn == population, *ranks)

    return float(half.max(initial=0.0)), bool(ranked and ranked[1].all()), delivered
