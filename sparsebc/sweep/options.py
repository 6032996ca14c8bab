"""Run options: how a result is computed, never what it is."""

from __future__ import annotations

import difflib
import functools
import math
import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypedDict, get_args

import numpy as np
from numpy.typing import DTypeLike

from ..arguments import check_int, is_number
from ..engines.common.base import FLOAT64
from ..engines.devices import Device
from ..errors import InputError, InputTypeError
from ..process import usable_cpus
from .executor import CallExecutor

Progress = Callable[[int, int], object]
Reduction = Literal["trees", "blocks", "chains", "twins", "prune"]
REDUCTIONS = get_args(Reduction)
OF_DISTANCES = ("trees", "blocks", "prune")
# Names of a set, which may hold all but some; a str is "all", "none" or "all,-chains".
_But = Literal["all", "-trees", "-blocks", "-chains", "-twins", "-prune"]
AnyReduction = Reduction | _But
DistanceReduction = Literal["trees", "blocks", "prune"] | _But
DEFAULT = "; leave it out for the default"  # advice on a refused number


class SearchOptions(TypedDict, total=False):
    """Run options of searches and of measures of distances; all are optional.

    Attributes
    ----------
    device : {None, "cpu", "cuda", "cuda:1", ..., "reference"} or list of GPUs
        Where to compute. None takes the device of a CuPy matrix, else the first GPU that CuPy sees,
        else the CPU. GPUs of one kind in a list, as ``["cuda:0", "cuda:1"]``, share the work:
        results have the bits that one of them would give. "reference" runs the algebra literally,
        as sparse products: slow, for verification.
    workers : int
        Number of threads; each GPU takes one. By default one per CPU that this process may use: the
        minimum of its CPU affinity, the CPU quota of its control groups (rounded up), and the
        environment variables ``OMP_NUM_THREADS``, ``NUMBA_NUM_THREADS`` and
        ``SLURM_CPUS_PER_TASK`` where they hold a number. With an ``executor``, threads of each of
        its tasks, by default one.
    memory_budget : int
        Bytes that the graph and the state in flight may take together, on the device or on each of
        a list; by default 80% of the free memory. On the host free memory is what the system calls
        available, or what is left below the memory limits of the process's control groups if that
        is less. If their state would not fit, fewer workers run, and a GPU takes fewer sources at
        once.
    progress : bool or callable
        True shows a bar on a terminal and writes lines elsewhere; a callable gets ``(done, total)``
        sources after each block.
    executor : concurrent.futures.Executor, distributed.Client or callable
        Computes in place of threads of this process: processes, a cluster of Dask or MPI. A
        callable takes no arguments and makes one of these, and a new one if a worker dies; what it
        made is shut down at the end, a given executor never. Results have the same bits in any
        case.
    retries : int
        How often blocks that were lost with a worker of the ``executor`` are submitted again, by
        default 2.
    """

    device: Device | None
    workers: int | None
    memory_budget: int | None
    progress: bool | Progress
    executor: Any
    retries: int


class DistanceOptions(SearchOptions, total=False):
    """Run options of the measures of distances: those of `SearchOptions`, and reductions.

    Attributes
    ----------
    reduce : "all", "none", or set of {"trees", "blocks", "prune"}
        As in `PlanOptions`. For closeness and eccentricity "trees" and "blocks" work on any graph
        on a CPU, weighted or not; on a GPU "trees" works on undirected graphs, for closeness
        unweighted ones. Harmonic centrality uses neither.
    """

    reduce: str | Collection[DistanceReduction]


class GroupOptions(SearchOptions, total=False):
    """Run options of `group_betweenness`: those of `SearchOptions`, and a checkpoint.

    Attributes
    ----------
    checkpoint, checkpoint_every
        As in `RunOptions`.
    """

    checkpoint: str | os.PathLike[str] | None
    checkpoint_every: float | None


class PlanOptions(TypedDict, total=False):
    """Run options of `explain`, which the measures that count paths take as well.

    Attributes
    ----------
    device, workers, memory_budget
        As in `SearchOptions`.
    reduce : "all", "none", or set of {"trees", "blocks", "chains", "twins", "prune"}
        Exact reductions that may be used, where they apply and save work; "all" by default,
        "all,-chains" or {"all", "-chains"} for all but some. "trees" counts the trees attached to
        an undirected graph in closed form. "blocks" splits a graph into its biconnected components.
        "chains" sweeps an undirected graph, on a CPU, only from the ends of its chains (paths of
        nodes of degree 2), where these are few; it keeps the searches of the ends, which takes
        three to four times the memory, and is left out with a warning where that does not fit.
        "twins" sweeps one of all sources with the same neighbours, in unweighted graphs. "prune"
        removes edges that are longer than another path between their nodes.
        Scores are the same to rounding. `explain` tells which of them a call uses, and the reasons
        against the others. Estimates in rounds always use "trees", and of the others "prune"
        alone.
    dtype : numpy.float64 or numpy.float32
        Type of the state: path counts and dependencies in flight. On a GPU float32 takes half the
        memory and has fewer digits; a CPU takes it too, and computes in float64. Scores are summed
        and returned in float64 in any case.
    """

    device: Device | None
    workers: int | None
    memory_budget: int | None
    reduce: str | Collection[AnyReduction]
    dtype: DTypeLike


class PathOptions(PlanOptions, total=False):
    """Run options of measures in steps, which keep no checkpoint: those of `PlanOptions`, and more.

    Attributes
    ----------
    progress, executor, retries
        As in `SearchOptions`.
    """

    progress: bool | Progress
    executor: Any
    retries: int


class RunOptions(PathOptions, total=False):
    """Run options of the measures that count paths: those of `PathOptions`, and a checkpoint.

    Attributes
    ----------
    checkpoint : str or path-like
        Directory where the sums over paths are saved as they grow, made if it does not exist. The
        same call with the same directory resumes there, to the same bits. One run at a time may use
        it.
    checkpoint_every : float
        Seconds between two saves, 60 by default; 0 saves after each launch of blocks. Large sums
        are saved less often, so that saving takes 1% of a run at most. Errors and Ctrl-C save too.
    """

    checkpoint: str | os.PathLike[str] | None
    checkpoint_every: float | None


@dataclass(frozen=True)
class Run:
    """Run options, checked, with their defaults; the executor is a context, left with the call."""

    device: Device | None = None
    dtype: np.dtype[Any] = FLOAT64
    workers: int | None = None
    memory_budget: int | None = None  # None for 80% of the free memory of the device or host
    progress: bool | Progress = False
    reduce: frozenset[str] = frozenset(REDUCTIONS)
    checkpoint: Path | None = None
    checkpoint_every: float = 60.0  # seconds
    executor: Any = None  # a `CallExecutor`
    retries: int = 2
    takes_dtype: bool = True  # whether error messages may advise dtype=numpy.float32

    @functools.cached_property
    def threads(self) -> int:
        """The ``workers``; by default one per CPU, with an executor one per task."""
        if self.workers is not None:
            return self.workers
        return usable_cpus() if self.executor is None else 1


def parse(options: Mapping[str, Any], known: type = RunOptions) -> Run:
    """Run options from keyword arguments that are of the ``known`` ones, each checked."""
    names, checked = known.__annotations__, dict[str, Any]()
    for name, value in options.items():
        if name not in names:
            close = difflib.get_close_matches(name, list(names), n=1)
            hint = f" (did you mean {close[0]!r}?)" if close else ""
            raise InputTypeError(
                f"unknown option {name!r}{hint}; run options are {', '.join(names)}"
            )
        if name == "reduce":
            checked[name] = _reductions(value, REDUCTIONS if "dtype" in names else OF_DISTANCES)
        elif value is not None or name in NEVER_NONE:
            checked[name] = CHECKS[name](value) if name in CHECKS else value
    for name, other in (("retries", "executor"), ("checkpoint_every", "checkpoint")):
        if name in checked and other not in checked:
            raise InputError(
                f"{name}={options[name]} has an effect only with {other}: leave it out", name
            )
    return Run(**checked, takes_dtype="dtype" in names)


def _real(given: Any) -> np.dtype[Any]:
    """NumPy's dtype of the argument ``dtype``."""
    for dtype in (np.dtype(np.float64), np.dtype(np.float32)):
        if isinstance(given, (str, type, np.dtype)) and dtype == given:
            return dtype
    raise InputError(f"dtype must be numpy.float64 or numpy.float32, got {given!r}", "dtype")


def _reductions(given: Any, to_choose: tuple[str, ...]) -> frozenset[str]:
    """Names of the reductions that the argument ``reduce`` allows; it may name those to choose."""
    known = ", ".join(map(repr, to_choose))
    wanted = f"reduce must be 'all', 'none' or a set of {known}, got {given!r}"
    names = given.split(",") if isinstance(given, str) else given
    if not isinstance(names, (set, frozenset, list, tuple)):
        raise InputTypeError(wanted)
    if given == "none":
        return frozenset()
    has_all, left_out = "all" in names, {f"-{name}": name for name in REDUCTIONS}
    if isinstance(given, str) and not has_all:
        hint = f"; for one of them alone use {{{given!r}}}" if given in to_choose else ""
        raise InputError(f"{wanted}{hint}", "reduce")
    for name in names:
        if name not in (["all", *left_out] if has_all else to_choose):
            raise InputError(
                f"reduce must hold some of {known}, got {name!r}; 'all,-chains' are all but one",
                "reduce",
            )
    if not has_all:
        return frozenset(names)
    return frozenset(REDUCTIONS) - {left_out.get(name) for name in names}


def _directory(given: Any) -> Path:
    """Path of the argument ``checkpoint``, which names no file."""
    if not isinstance(given, (str, os.PathLike)):
        raise InputTypeError(
            f"checkpoint must be the name of a directory, got {given!r}; leave it out to save "
            "nothing"
        )
    path = Path(given)
    try:
        os.access(path, os.F_OK)
    except ValueError as error:  # half of a surrogate pair, or a NUL
        raise InputError(
            f"checkpoint={str(path)!r} cannot name a directory: {error}", "checkpoint"
        ) from error
    if path.exists() and not path.is_dir():
        raise InputError(
            f"checkpoint={str(path)!r} is a file: give the name of a directory, which is made if "
            "it does not exist",
            "checkpoint",
        )
    return path


def _seconds(given: Any) -> float:
    """Seconds of the argument ``checkpoint_every``."""
    if not is_number(given):
        raise InputTypeError(f"checkpoint_every must be a number of seconds, got {given!r}")
    if not 0 <= given < math.inf:
        raise InputError(
            f"checkpoint_every must be finite and not below 0, got {given}", "checkpoint_every"
        )
    return float(given)


def _progress(given: Any) -> Any:
    """The argument ``progress``."""
    if not isinstance(given, (bool, np.bool_)) and not callable(given):
        raise InputTypeError(
            f"progress must be True, False or a callable taking (done, total), got {given!r}"
        )
    return given


CHECKS: dict[str, Callable[[Any], Any]] = {
    "dtype": _real,
    "workers": functools.partial(check_int, "workers", advice=DEFAULT),
    "memory_budget": functools.partial(check_int, "memory_budget", advice=DEFAULT),
    "progress": _progress,
    "checkpoint": _directory,
    "checkpoint_every": _seconds,
    "executor": lambda given: given if isinstance(given, CallExecutor) else CallExecutor(given),
    "retries": functools.partial(check_int, "retries", advice=DEFAULT, least=0),
}
NEVER_NONE = ("dtype", "progress", "retries")
