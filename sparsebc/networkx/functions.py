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

    module: str  # "paths" if it counts them, else "distances"; has a function of the row's name
    remark: str = "The same numbers by sparse matrix products."
    by_name: bool = False  # NetworkX's numbers differ from the definition: only on request
    left: Mapping[str, str] = {}  # arguments that are left to NetworkX, and why
    weight: str = "weight"  # argument that names the edge attribute of the lengths
    takes_dtype: bool = False  # it takes `RunOptions`, not `SearchOptions`


_TIES = "Scores that agree to one part in 10**9 tie, and the edge goes that comes first."
_NAMED = "Runs only if the caller names this backend."
_SP = {"sp": "sp holds all distances: nothing is left for sparsebc to compute"}
_E = {"e": "e holds all eccentricities: nothing is left for sparsebc to compute"}
_ATTR = "sparsebc supports barycenter without sp and attr only"
_EDGE = {"most_valuable_edge": "sparsebc removes edges by their betweenness alone"}


FUNCTIONS = {
    "betweenness_centrality": Function("paths", takes_dtype=True),
    "edge_betweenness_centrality": Function("paths", takes_dtype=True),
    "percolation_centrality": Function("paths", takes_dtype=True),
    "betweenness_centrality_subset": Function("paths", takes_dtype=True),
    "edge_betweenness_centrality_subset": Function(
        "paths",
        remark="By its definition; NetworkX's own differs from it where several shortest paths "
        f"lead to a node that is no target. {_NAMED}",
        by_name=True,
        takes_dtype=True,
    ),
    "group_betweenness_centrality": Function(
        "paths",
        remark="By its definition; NetworkX's own differs from it for some groups of three nodes "
        f"and more, and before 3.7 in digraphs. {_NAMED}",
        by_name=True,
    ),
    "prominent_group": Function(
        "paths",
        remark=f"With `greedy=True` alone: the node that adds most, then the next. {_NAMED}",
        by_name=True,
    ),
    "edge_betweenness_partition": Function("paths", remark=_TIES, takes_dtype=True),
    "girvan_newman": Function(
        "paths",
        takes_dtype=True,
        remark=f"Without `most_valuable_edge`. {_TIES}",
        left=_EDGE,
    ),
    "closeness_centrality": Function("distances", left=_SP, weight="distance"),
    "harmonic_centrality": Function("distances", weight="distance"),
    "eccentricity": Function("distances", left=_SP),
    BARYCENTER: Function("distances", left=dict.fromkeys(("attr", "sp"), _ATTR)),
    **dict.fromkeys(("center", "diameter", "periphery", "radius"), Function("distances", left=_E)),
    "all_pairs_dijkstra_path_length": Function("distances"),
    "all_pairs_shortest_path_length": Function("distances"),
    "average_shortest_path_length": Function("distances"),
    "global_efficiency": Function("distances"),
    "wiener_index": Function("distances"),
}

# Run options in `nx.config.backends.sparsebc`; None stands for the default of sparsebc.
DEFAULTS: dict[str, Any] = {"device": None, "dtype": None, "workers": None, "memory_budget": None}

_SEARCH = {
    "device : str, list of str or None, optional": '"cpu", "cuda", or a list of GPUs',
    "workers : int, optional": "Threads; by default one per CPU.",
    "memory_budget : int, optional": "Bytes that the computation may take.",
}
_PATHS = _SEARCH | {"dtype : str, optional": '"float64" (default) or "float32", on a GPU.'}


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
                "additional_parameters": _PATHS if function.takes_dtype else _SEARCH,
            }
            for name, function in FUNCTIONS.items()
        },
    }
