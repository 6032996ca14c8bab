"""Batches of sources, with the chains that end there; sets of nodes; pairs to sample from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Chains(NamedTuple):
    """Chains of nodes of degree 2 between two ends, called near and far.

    Inner nodes are sources without a sweep of their own (`reduce.chains`). Those of chain k are
    ``nodes[start[k]:start[k + 1]]``, in order from the near end.
    """

    near: NDArray[np.int32]  # (chains,) row of the end, or its column in a batch; ascending
    far: NDArray[np.int32]  # (chains,)
    start: NDArray[np.int64]  # (chains + 1,)
    nodes: NDArray[np.int32]  # (nodes,) rows
    arcs: NDArray[np.int64]  # (nodes,) arc from each node towards the near end
    alpha: NDArray[np.float64]  # (nodes,) weight of each as a source
    place: NDArray[np.float64]  # (nodes,) distance from the near end
    span: NDArray[np.float64]  # (chains,) distance from end to end along the chain

    @classmethod
    def none(cls) -> Chains:
        """An empty list of chains."""
        rows, whole, real = (np.empty(0, dtype=dtype) for dtype in (np.int32, np.int64, float))
        return cls(rows, rows, np.zeros(1, dtype=np.int64), rows, whole, real, real, real)


class Batch(NamedTuple):
    """Sources swept together, at most the kernel's width: the unit of work."""

    sources: NDArray[np.int32]
    alpha: NDArray[np.float64]  # (sources,) weights; of points of interest, (sources, kinds)
    clustered: bool  # the sources are few levels apart
    # Greatest distance of each source to the nodes that it stands for; None for 0.
    beyond: NDArray[Any] | None = None
    chains: Chains | None = None  # that end at the sources; column i is source i
    others: NDArray[np.int32] | None = None  # far ends that are not sources: the last columns
    starts: NDArray[np.int32] | None = None  # step at which each search begins; None for 0

    def stand_for(self, distance: type[np.int64 | np.float64]) -> tuple[NDArray[Any], NDArray[Any]]:
        """``alpha`` and ``beyond`` as arrays of a type of distances."""
        beyond = np.zeros(self.sources.size) if self.beyond is None else self.beyond
        return self.alpha.astype(distance), beyond.astype(distance)


class NodeSets(NamedTuple):
    """Sets of nodes; "dependency" then sums over the paths that meet a set.

    Of several sets, an element a set: the pairs whose paths meet the set. Of a single set, an
    element a node: the pairs whose paths meet the node but not the set, endpoints included.
    """

    member: NDArray[np.uint8]  # (n, sets) whether a node is in a set; (n,) of a single set
    endpoints: bool  # pairs that begin or end in a set count

    @property
    def size(self) -> int:
        """Elements of the sum."""
        return int(self.member.shape[-1])


class PairSamples(NamedTuple):
    """Distribution of pairs (source, target) of one component, each drawn by its weight.

    Component c has the sources from ``source_start[c]`` and the targets from ``target_start[c]``.
    Without weights a row is repeated for each original node that it stands for. Arrays are in host
    memory, or in that of the graph for `devices`.
    """

    seed: np.uint64  # sample i depends on the seed and i alone
    sources: Any  # (sources,) rows, int32
    targets: Any  # (targets,)
    source_start: NDArray[np.int64]  # (components + 1,)
    target_start: NDArray[np.int64]
    source_ends: NDArray[np.float64]  # (sources,) inclusive prefix sums of weights; empty: all 1
    target_ends: NDArray[np.float64]  # (targets,) likewise
    weight: NDArray[np.float64]  # (components,) inclusive prefix sums of the weights of the pairs


def widest(batches: Sequence[Batch]) -> int:
    """Columns of the widest batch, as `count_ends` counts them."""
    return max(map(count_ends, batches), default=0)


def count_ends(batch: Batch) -> int:
    """Columns of a batch: its sources, and the far ends of its chains that are not sources."""
    return batch.sources.size + (0 if batch.others is None else batch.others.size)


def cut(
    sources: NDArray[np.int32], alpha: NDArray[np.float64], width: int, *, clustered: bool = True
) -> list[Batch]:
    """Batches of consecutive sources."""
    return [
        Batch(sources[i : i + width], alpha[i : i + width], clustered)
        for i in range(0, sources.size, width)
    ]


# Most sources of a batch swept one at a time, and batches of those wanted for workers to share.
FEW_SOURCES, MANY_BATCHES = 16, 64


def alone(count: int, batches: int = MANY_BATCHES) -> int:
    """Size of batches swept one source at a time: small enough that there are ``batches``."""
    return max(1, min(FEW_SOURCES, count // batches))
