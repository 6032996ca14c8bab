"""Batches: sources that are swept together, with the chains that end there; sets of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Chains(NamedTuple):
    """Chains of nodes of degree 2, each from one of its ends: "near", and "far" the other one.

    Inner nodes are sources without a sweep of their own (`reduce.chains`). Chain k has those from
    ``start[k]``, the one next to the near end first.
    """

    near: NDArray[np.int32]  # (chains,) the end as a row, or in a batch as a column; ascending
    far: NDArray[np.int32]  # (chains,)
    start: NDArray[np.int64]  # (chains + 1,)
    nodes: NDArray[np.int32]  # (nodes,) rows
    arcs: NDArray[np.int64]  # (nodes,) the arc of each towards the near end
    alpha: NDArray[np.float64]  # (nodes,) weight of each as a source
    place: NDArray[np.float64]  # (nodes,) distance from the near end
    span: NDArray[np.float64]  # (chains,) distance from end to end along the chain

    @classmethod
    def none(cls) -> Chains:
        """An empty list of chains."""
        rows, whole, real = (np.empty(0, dtype=dtype) for dtype in (np.int32, np.int64, float))
        return cls(rows, rows, np.zeros(1, dtype=np.int64), rows, whole, real, real, real)


class Batch(NamedTuple):
    """Sources swept together, up to the engine's width: the unit of work."""

    sources: NDArray[np.int32]
    alpha: NDArray[np.float64]  # weight of each source; of places, a row of weights by kind
    clustered: bool  # the sources lie close together, measured in levels
    beyond: NDArray[Any] | None = None  # how far what each source stands for goes on; None for 0
    chains: Chains | None = None  # chains that end at these sources: columns in their order, then
    others: NDArray[np.int32] | None = None  # those of far ends that are none of the sources
    starts: NDArray[np.int32] | None = None  # steps that each search waits for others; None for 0

    def stand_for(self, distance: type[np.int64 | np.float64]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Weights of the sources and what lies beyond them, as numbers of a type."""
        beyond = np.zeros(self.sources.size) if self.beyond is None else self.beyond
        return self.alpha.astype(distance), beyond.astype(distance)


class NodeSets(NamedTuple):
    """Sets of nodes: the sum "dependency" of an engine is then of the paths that meet them.

    Of many sets it has a number each: the pairs whose paths meet the set. Of one set, a number for
    each node: the pairs whose paths meet the node and not the set, their ends counted.
    """

    member: NDArray[np.uint8]  # (n, sets) which node is in which set; (n,) of one set
    endpoints: bool  # pairs that begin or end in a set count

    @property
    def size(self) -> int:
        """Numbers of the sum."""
        return int(self.member.shape[-1])


class PairSamples(NamedTuple):
    """Pairs of nodes to draw from: a source and a target in one component, as their weights say.

    Component c has the sources from ``source_start[c]`` and the targets from ``target_start[c]``.
    Without weights a row is there once for each node given that it stands for. Rows and weights are
    on the host, or for `devices` where the graph lives.
    """

    seed: np.uint64  # sample i is a matter of the seed and of i alone
    sources: Any  # (sources,) rows, int32
    targets: Any  # (targets,)
    source_start: NDArray[np.int64]  # (components + 1,)
    target_start: NDArray[np.int64]
    # (sources,) weight of a source and of those before, (targets,); empty where each counts one
    source_ends: NDArray[np.float64]
    target_ends: NDArray[np.float64]
    weight: NDArray[np.float64]  # (components,) of the pairs of a component and of those before


def widest(batches: Sequence[Batch]) -> int:
    """Sources of the widest batch, and the far ends of its chains."""
    return max(map(count_ends, batches), default=0)


def count_ends(batch: Batch) -> int:
    """Sources of a batch, and the far ends of its chains."""
    return batch.sources.size + (0 if batch.others is None else batch.others.size)
