"""What NetworkX is told about the backend, by a module that imports no library."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any, NamedTuple

# NetworkX 3.7 calls the barycenter of a graph centroid, in 3.6 the name of a function of trees.
SINCE_3_7 = tuple(map(int, re.findall(r"\d+", version("networkx"))[:2])) >= (3, 7)
BARYCENTER = "centroid" if SINCE_3_7 else "barycenter"


class Function(NamedTuple):
    """How a function of NetworkX is served."""

    module: str  # of this package, which has a function of this name
    # The arguments after G that tell from how many nodes it searches, by default from all; None
    # where it looks at each edge a few times, so that a conversion takes as long as NetworkX.
    searches: tuple[str, ...] | None = None
    remark: str = "The same numbers by sparse matrix products."
    by_name: bool = False  # NetworkX's own numbers are not those of the definition: never chosen
    left: Mapping[str, str] = {}  # arguments that are left to NetworkX, and why

    @property
    def counts_paths(self) -> bool:
        """Whether it takes the run options of measures that count paths, or those of searches."""
        return self.module in ("paths", "partitions")


_DISTANCES_GIVEN = {"sp": "sp holds all distances: nothing is left for sparsebc to do"}
_TIES = "Scores that agree to one part in 10**9 tie, and the edge goes that comes first."

FUNCTIONS = {
    "betweenness_centrality": Function("paths", ("k",)),
    "betweenness_centrality_subset": Function("paths", ("sources",)),
    "edge_betweenness_centrality": Function("paths", ("k",)),
    "edge_betweenness_centrality_subset": Function(
        "paths",
        remark="By its definition; NetworkX's own differs from it where several shortest paths "
        "lead to a node that is no target. Runs only where it is asked for by name.",
        by_name=True,
    ),
    "percolation_centrality": Function("paths", ("attribute",)),
    "group_betweenness_centrality": Function(
        "groups",
        remark="By its definition; NetworkX's own differs from it for some groups of three nodes "
        "and more, and before 3.7 in digraphs. Runs only where it is asked for by name.",
        by_name=True,
    ),
    "prominent_group": Function(
        "groups",
        remark="With `greedy=True` alone: the node that adds most, then the next. Runs only where "
        "it is asked for by name.",
        by_name=True,
    ),
    "edge_betweenness_partition": Function("partitions", ("number_of_sets",), _TIES),
    "girvan_newman": Function(
        "partitions",
        ("most_valuable_edge",),
        f"Without `most_valuable_edge`. {_TIES}",
        left={"most_valuable_edge": "sparsebc removes edges by their betweenness alone"},
    ),
    "average_shortest_path_length": Function("distances", ()),
    "closeness_centrality": Function("distances", ("u",), left=_DISTANCES_GIVEN),
    "global_efficiency": Function("distances", ()),
    "global_reaching_centrality": Function(
        "distances",
        (),
        "Without `weight`.",
        left={"weight": "sparsebc serves global_reaching_centrality without a weight"},
    ),
    "gutman_index": Function("distances", ()),
    "harmonic_centrality": Function("distances", ("nbunch", "distance", "sources")),
    "hyper_wiener_index": Function("distances", ()),
    "schultz_index": Function("distances", ()),
    "wiener_index": Function("distances", ()),
    BARYCENTER: Function(
        "eccentricities",
        ("weight", "attr", "sp"),
        left=dict.fromkeys(("attr", "sp"), "sparsebc serves barycenter without sp and attr"),
    ),
    "center": Function("eccentricities", ("e", "usebounds")),
    "diameter": Function("eccentricities", ("e", "usebounds")),
    "eccentricity": Function("eccentricities", ("v", "sp"), left=_DISTANCES_GIVEN),
    "periphery": Function("eccentricities", ("e", "usebounds")),
    "radius": Function("eccentricities", ("e", "usebounds")),
    "all_pairs_dijkstra_path_length": Function("searches", ("cutoff",)),
    "all_pairs_shortest_path_length": Function("searches", ("cutoff",)),
    "bfs_layers": Function("searches"),
    "descendants_at_distance": Function("searches"),
    "shortest_path_length": Function("searches"),
    "single_source_dijkstra_path_length": Function("searches"),
    "single_source_shortest_path_length": Function("searches"),
    "connected_components": Function("components"),
    "is_connected": Function("components"),
    "is_strongly_connected": Function("components"),
    "is_weakly_connected": Function("components"),
    "node_connected_component": Function("components"),
    "number_connected_components": Function("components"),
    "number_strongly_connected_components": Function("components"),
    "number_weakly_connected_components": Function("components"),
    "strongly_connected_components": Function(
        "components", remark="Components come in another order, sinks before sources too."
    ),
    "weakly_connected_components": Function("components"),
}

# Run options, as `nx.config.backends.sparsebc` holds them: None is the default of sparsebc.
DEFAULTS: dict[str, Any] = {"device": None, "dtype": None, "workers": None, "memory_budget": None}

_DEVICE = {"device : str, list of str or None, optional": '"cpu", "cuda", or a list of GPUs'}
_SEARCH = _DEVICE | {
    "workers : int, optional": "Threads; by default one per CPU.",
    "memory_budget : int, optional": "Bytes that the computation may take.",
}
_PATHS = _SEARCH | {"dtype : str, optional": '"float64" (default) or "float32", while summing.'}
_PARAMETERS = {"paths": _PATHS, "partitions": _PATHS, "components": _DEVICE}  # by module


def backend_info() -> dict[str, Any]:
    """Names, defaults and remarks, in the form of the entry point ``networkx.backend_info``."""
    return {
        "backend_name": "sparsebc",
        "project": "sparsebc",
        "package": "sparsebc",
        "short_summary": "Shortest-path centrality by sparse matrices, on CPUs and NVIDIA GPUs.",
        "default_config": dict(DEFAULTS),
        "functions": {
            name: {
                "additional_docs": function.remark,
                "additional_parameters": _PARAMETERS.get(function.module, _SEARCH),
            }
            for name, function in FUNCTIONS.items()
        },
    }
