"""What is asked of a graph: the arguments that every centrality takes, checked once."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .graph import Graph, canonical


class Question(NamedTuple):
    """A graph and the pairs of nodes to look at."""

    graph: Graph
    is_source: NDArray[np.bool_]  # (n,)
    is_target: NDArray[np.bool_]  # (n,)
    sampled: bool  # the sources are a sample that stands for all nodes

    @property
    def sample(self) -> NDArray[np.bool_] | None:
        """The sources, if they are a sample."""
        return self.is_source if self.sampled else None


def ask(
    A: Any,
    *,
    flags: dict[str, Any],
    sources: ArrayLike | None,
    targets: ArrayLike | None,
    k: int | None,
    rng: Any,
) -> Question:
    """Check the arguments of a centrality; ``flags`` are those that are True or False."""
    for name, value in flags.items():
        if not isinstance(value, (bool, np.bool_)):
            raise TypeError(f"{name} must be True or False, got {value!r}")
    graph = canonical(A, directed=bool(flags["directed"]))
    sampled = None
    if k is not None:
        if sources is not None or targets is not None:
            raise ValueError(
                f"k={k!r} samples its own sources: leave out k, or sources and targets"
            )
        sampled = _sample(graph.n, k, rng)
    elif rng is not None:
        raise ValueError(f"rng={rng!r} has an effect only with k: leave it out, or give k")
    is_source = _members("sources", sources, graph.n) if sampled is None else sampled
    is_target = _members("targets", targets, graph.n)
    return Question(graph, is_source, is_target, sampled is not None and not sampled.all())


def _sample(n: int, k: Any, rng: Any) -> NDArray[np.bool_]:
    """Mark k of n nodes, drawn without replacement."""
    if isinstance(k, (bool, np.bool_)) or not isinstance(k, (int, np.integer)):
        raise TypeError(f"k must be an int, the number of sources to sample, got {k!r}")
    if n == 0:
        raise ValueError(f"A has no nodes to sample, got k={k}: leave k out")
    if not 1 <= k <= n:
        raise ValueError(f"k must lie in 1..n = {n}, got {k}")
    try:
        generator = np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"rng must be None, a seed or a numpy.random.Generator, got {rng!r}: {error}"
        ) from error
    marked = np.zeros(n, dtype=bool)
    marked[generator.choice(n, int(k), replace=False)] = True
    return marked


def _members(
    name: Literal["sources", "targets"], nodes: ArrayLike | None, n: int
) -> NDArray[np.bool_]:
    """Mark the nodes named, or all of them for None."""
    if nodes is None:
        return np.ones(n, dtype=bool)
    try:
        listed = np.asarray(nodes)
    except ValueError as error:
        raise ValueError(f"{name} must be one-dimensional, got rows of unequal length") from error
    if listed.size == 0:
        raise ValueError(f"{name} is empty: leave it out to take every node")
    if listed.dtype.kind == "b":
        raise TypeError(f"{name} must hold node numbers, got booleans: use numpy.flatnonzero(mask)")
    if listed.dtype.kind not in "iu":
        raise TypeError(f"{name} must hold node numbers (ints), got {nodes!r:.60}")
    if listed.ndim != 1:
        raise ValueError(
            f"{name} must be one-dimensional, got {listed.ndim} dimensions: wrap {name} in a list"
        )
    if n == 0:
        raise ValueError(f"A has no nodes, got {name}={nodes!r:.60}: leave {name} out")
    outside = (listed < 0) | (listed >= n)
    if outside.any():
        raise ValueError(f"{name} must lie in 0..{n - 1}, got {listed[outside][0]}")
    marked = np.zeros(n, dtype=bool)
    marked[listed] = True
    if np.count_nonzero(marked) < listed.size:
        values, counts = np.unique(listed, return_counts=True)
        raise ValueError(
            f"{name} names node {values[counts > 1][0]} more than once: use numpy.unique({name})"
        )
    return marked
