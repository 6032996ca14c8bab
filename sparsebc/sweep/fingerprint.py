"""Fingerprint of a sum over blocks: everything that determines its bits, by name."""

from importlib import metadata

import numpy as np

from ..engines import devices
from ..engines.common.base import Engine
from ..engines.common.batch import NodeSets
from ..engines.common.decay import CONSTANT, Seeds
from ..reduce.query import Query
from .checkpoint import digest
from .options import Run

# Version of batches, blocks and the pairwise sum: raised whenever bits change.
PLAN = 23


def fingerprint(engine: Engine, query: Query, run: Run) -> dict[str, str]:
    """A text for each part of the query and the run; arrays by their blake2b."""
    graph, alpha, omega, measures, endpoints, node_sets, seeds = query[:7]
    host, lengths = graph.ops.on_host, graph.lengths
    graph_text = (
        f"{graph.n} nodes, {graph.arcs} edges, blake2b ",
        digest(*map(host, graph.outgoing), *map(host, () if graph.symmetric else graph.incoming)),
    )
    by_length = f"all {graph.unit!r}"
    if lengths is not None:
        both = (lengths.outgoing, lengths.incoming)[: 1 if graph.symmetric else 2]
        by_length = f"blake2b {digest(*map(host, both))}, whole={lengths.whole}"
    return {
        "graph": "".join(graph_text),
        "lengths": by_length,
        "tie_rtol": "none" if lengths is None else f"of {lengths.tau!r}",
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
    """Fingerprint of sets of nodes."""
    return f"{node_sets.size}, blake2b {digest(node_sets.member)}"


def _of_seeds(seeds: Seeds) -> dict[str, str]:
    """Fingerprints of the decay and of the origin-destination matrix, where given."""
    (kind, parameter, *knots), demand = seeds
    parts = {}
    if kind != CONSTANT:
        parts["decay"] = f"kind {kind}, {parameter!r}, blake2b {digest(*knots)}"
    if demand is not None:
        checksum = digest(*demand.pattern, demand.values)
        parts["demand"] = f"{demand.values.size} pairs, blake2b {checksum}"
    return parts
