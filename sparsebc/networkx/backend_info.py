"""What NetworkX is told about the backend, by a module that imports no library."""

from __future__ import annotations

import re
from importlib.metadata import version
from typing import Any

# NetworkX 3.7 calls the barycenter of a graph centroid, in 3.6 the name of a function of trees.
SINCE_3_7 = tuple(map(int, re.findall(r"\d+", version("networkx"))[:2])) >= (3, 7)
BARYCENTER = "centroid" if SINCE_3_7 else "barycenter"

# The functions served, by the module of this package that they are in.
SERVED = {
    "paths": (
        "betweenness_centrality",
        "betweenness_centrality_subset",
        "edge_betweenness_centrality",
        "edge_betweenness_centrality_subset",
        "percolation_centrality",
    ),
    "groups": ("group_betweenness_centrality", "prominent_group"),
    "partitions": ("edge_betweenness_partition", "girvan_newman"),
    "distances": (
        "average_shortest_path_length",
        "closeness_centrality",
        "global_efficiency",
        "global_reaching_centrality",
        "gutman_index",
        "harmonic_centrality",
        "hyper_wiener_index",
        "schultz_index",
        "wiener_index",
    ),
    "eccentricities": (
        BARYCENTER,
        "center",
        "diameter",
        "eccentricity",
        "periphery",
        "radius",
    ),
    "searches": (
        "all_pairs_dijkstra_path_length",
        "all_pairs_shortest_path_length",
        "bfs_layers",
        "descendants_at_distance",
        "shortest_path_length",
        "single_source_dijkstra_path_length",
        "single_source_shortest_path_length",
    ),
    "components": (
        "connected_components",
        "is_connected",
        "is_strongly_connected",
        "is_weakly_connected",
        "node_connected_component",
        "number_connected_components",
        "number_strongly_connected_components",
        "number_weakly_connected_components",
        "strongly_connected_components",
        "weakly_connected_components",
    ),
}

# Run options, as `nx.config.backends.sparsebc` holds them: None is the default of sparsebc.
DEFAULTS: dict[str, Any] = {"device": None, "dtype": None, "workers": None, "memory_budget": None}

_DEVICE = {"device : str, list of str or None, optional": '"cpu", "cuda", or a list of GPUs'}
_SEARCH = _DEVICE | {
    "workers : int, optional": "Threads; by default one per CPU.",
    "memory_budget : int, optional": "Bytes that the computation may take.",
}
_PATHS = _SEARCH | {"dtype : str, optional": '"float64" (default) or "float32", while summing.'}
_PARAMETERS = dict.fromkeys(SERVED, _SEARCH) | {
    **{"paths": _PATHS, "partitions": _PATHS},
    "components": _DEVICE,
}

_REMARKS = {
    "edge_betweenness_centrality_subset": (
        "By its definition; NetworkX's own differs from it where several shortest paths lead to a "
        "node that is no target. Runs only where it is asked for by name."
    ),
    "group_betweenness_centrality": (
        "By its definition; NetworkX's own differs from it for some groups of three nodes and "
        "more, and before 3.7 in digraphs. Runs only where it is asked for by name."
    ),
    "prominent_group": (
        "With `greedy=True` alone: the node that adds most, then the next. Runs only where it is "
        "asked for by name."
    ),
    "edge_betweenness_partition": (
        "Scores that agree to one part in 10**9 tie, and the edge goes that comes first."
    ),
    "girvan_newman": (
        "Without `most_valuable_edge`. Scores that agree to one part in 10**9 tie, and the edge "
        "goes that comes first."
    ),
    "strongly_connected_components": "Components come in another order, sinks before sources too.",
    "global_reaching_centrality": "Without `weight`.",
}


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
                "additional_docs": _REMARKS.get(
                    name, "The same numbers by sparse matrix products."
                ),
                "additional_parameters": _PARAMETERS[theme],
            }
            for theme, names in SERVED.items()
            for name in names
        },
    }
