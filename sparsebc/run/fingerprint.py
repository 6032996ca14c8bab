"""Identity of a sum over blocks: everything that fixes its bits, by name."""

from collections.abc import Collection
from importlib import metadata
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..engines import devices
from ..engines.common.base import Engine
from ..engines.common.batch import NodeSets
from ..engines.common.decay import CONSTANT, Seeds
from ..graph.graph import Graph
from .options import Run
from .state_file import digest

# Of the cut into batches and blocks, and of the tree: raised whenever their bits change.
PLAN = 20


class Question(NamedTuple):
    """Sums over pairs of nodes, as `sweep.accumulate` is asked for them.

    ``alpha`` and ``omega`` are weights of the nodes as sources and as targets, or mark them, as in
    `reduce.reduced`: a pair counts alpha(s) omega(t), with ``seeds`` times f(d(s, t)) D(s, t).
    """

    graph: Graph
    alpha: NDArray[Any]
    omega: NDArray[Any]
    measures: Collection[str] = ("betweenness",)
    endpoints: bool = False
    node_sets: NodeSets | None = None  # groups of nodes, in place of nodes
    seeds: Seeds | None = None  # what pairs count by distance and by themselves


def fingerprint(engine: Engine, question: Question, run: Run) -> dict[str, str]:
    """Text of each part, equal where the part is; long arrays by their blake2b."""
    graph, alpha, omega, measures, endpoints, node_sets, seeds = question
    host, lengths = graph.ops.on_host, graph.lengths
    said = (
        f"{graph.n} nodes, {graph.arcs} edges, blake2b ",
        digest(*map(host, graph.outgoing), *map(host, () if graph.symmetric else graph.incoming)),
    )
    by_length = f"all {graph.unit!r}"
    if lengths is not None:
        both = (lengths.outgoing, lengths.incoming)[: 1 if graph.symmetric else 2]
        by_length = f"blake2b {digest(*map(host, both))}, whole={lengths.whole}"
    return {
        "graph": "".join(said),
        "lengths": by_length,
        "tie_rtol": "none" if lengths is None else repr(lengths.rtol),
        "sources": f"{np.count_nonzero(alpha)} nodes, blake2b {digest(alpha)}",
        "targets": f"{np.count_nonzero(omega)} nodes, blake2b {digest(omega)}",
        "measures": ", ".join(sorted(measures)),
        "endpoints": str(bool(endpoints)),
        **({} if node_sets is None else {"groups": _of_node_sets(node_sets)}),
        **({} if seeds is None else _of_seeds(seeds)),
        **({"cutoff": ", ".join(map(repr, graph.cutoffs))} if graph.cutoffs else {}),
        "dtype": str(run.real),
        "reduce": ", ".join(sorted(run.reductions)) or "none",
        "device": devices.model(engine.name),
        "version": f"sparsebc {metadata.version('sparsebc')}, plan {PLAN}",
    }


def _of_node_sets(node_sets: NodeSets) -> str:
    """Text of sets of nodes."""
    return f"{node_sets.size}, blake2b {digest(node_sets.member)}"


def _of_seeds(seeds: Seeds) -> dict[str, str]:
    """Text of the decay and of the demand, those that are there."""
    (kind, parameter, *knots), demand = seeds
    said = {}
    if kind != CONSTANT:
        said["decay"] = f"kind {kind}, {parameter!r}, blake2b {digest(*knots)}"
    if demand is not None:
        held = digest(*demand.pattern, demand.values)
        said["demand"] = f"{demand.values.size} pairs, blake2b {held}"
    return said
