"""Table of the NetworkX functions served: module, arguments left to NetworkX, remarks.

NetworkX reads it when it is imported: no library is imported here.
"""

import re
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any, NamedTuple

# NetworkX 3.7 renames barycenter to centroid, which in 3.6 is a function of trees.
SINCE_3_7 = tuple(map(int, re.findall(r"\d+", version("networkx"))[:2])) >= (3, 7)
BARYCENTER = "centroid" if SINCE_3_7 else "barycenter"


class Function(NamedTuple):
    """Row of the table: a NetworkX function that the backend serves."""

    module: str  # module of this package with a function of the row's name
    # Whether it searches from many nodes, if arguments do not restrict them; otherwise it visits
    # each edge a few times, and the conversion takes as long as NetworkX.
    searches: bool = True
    remark: str = "The same numbers by sparse matrix products."
    by_name: bool = False  # NetworkX's numbers differ from the definition: only on request
    left: Mapping[str, str] = {}  # arguments that are left to NetworkX, and why
    weight: str = "weight"  # argument that names the edge attribute of the lengths

    @property
    def counts_paths(self) -> bool:
        """Whether it takes `RunOptions` (measures that count paths) or `SearchOptions`."""
        return self.module in ("paths", "partitions")


_TIES = "Scores that agree to one part in 10**9 tie, and the edge goes that comes first."
_NAMED = "Runs only if the caller names this backend."
_SP = {"sp": "sp holds all distances: nothing is left for sparsebc to compute"}
_ATTR = "sparsebc supports barycenter without sp and attr only"
_EDGE = {"most_valuable_edge": "sparsebc removes edges by their betweenness alone"}
_WEIGHT = {"weight": "sparsebc supports global_reaching_centrality without a weight only"}


def _alike(function: Function, names: str) -> dict[str, Function]:
    """The row ``function`` for each of the names, which are separated by spaces."""
    return dict.fromkeys(names.split(), function)


FUNCTIONS = {
    **_alike(
        Function("paths"),
        "betweenness_centrality betweenness_centrality_subset edge_betweenness_centrality "
        "percolation_centrality",
    ),
    "edge_betweenness_centrality_subset": Function(
        "paths",
        remark="By its definition; NetworkX's own differs from it where several shortest paths "
        f"lead to a node that is no target. {_NAMED}",
        by_name=True,
    ),
    "group_betweenness_centrality": Function(
        "groups",
        remark="By its definition; NetworkX's own differs from it for some groups of three nodes "
        f"and more, and before 3.7 in digraphs. {_NAMED}",
        by_name=True,
    ),
    "prominent_group": Function(
        "groups",
        remark=f"With `greedy=True` alone: the node that adds most, then the next. {_NAMED}",
        by_name=True,
    ),
    "edge_betweenness_partition": Function("partitions", remark=_TIES),
    "girvan_newman": Function(
        "partitions", remark=f"Without `most_valuable_edge`. {_TIES}", left=_EDGE
    ),
    "closeness_centrality": Function("distances", left=_SP, weight="distance"),
    "harmonic_centrality": Function("distances", weight="distance"),
    "global_reaching_centrality": Function("distances", remark="Without `weight`.", left=_WEIGHT),
    **_alike(
        Function("distances"),
        "average_shortest_path_length global_efficiency gutman_index hyper_wiener_index "
        "schultz_index wiener_index",
    ),
    BARYCENTER: Function("eccentricities", left=dict.fromkeys(("attr", "sp"), _ATTR)),
    "eccentricity": Function("eccentricities", left=_SP),
    **_alike(Function("eccentricities"), "center diameter periphery radius"),
    **_alike(Function("searches"), "all_pairs_dijkstra_path_length all_pairs_shortest_path_length"),
    **_alike(
        Function("searches", searches=False),
        "bfs_layers descendants_at_distance shortest_path_length "
        "single_source_dijkstra_path_length single_source_shortest_path_length",
    ),
    "strongly_connected_components": Function(
        "components", False, "Components come in another order, sinks before sources too."
    ),
    **_alike(
        Function("components", searches=False),
        "connected_components is_connected is_strongly_connected is_weakly_connected "
        "node_connected_component number_connected_components "
        "number_strongly_connected_components number_weakly_connected_components "
        "weakly_connected_components",
    ),
}

# Run options in `nx.config.backends.sparsebc`; None stands for the default of sparsebc.
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
