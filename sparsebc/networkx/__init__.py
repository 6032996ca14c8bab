"""A backend of NetworkX: ``networkx.betweenness_centrality(G, backend="sparsebc")``.

NetworkX finds the backend by its entry points. What is public here are graphs that its functions
take without a dictionary for each node, and the way from its own graphs to them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .convert import from_matrix, from_networkx
    from .graph import SparseGraph

# `import networkx` imports this package for `backend_info`, so that nothing is imported here
# before it is asked for (PEP 562).
_HOME = {"SparseGraph": "graph", "from_matrix": "convert", "from_networkx": "convert"}

__all__ = ["SparseGraph", "from_matrix", "from_networkx"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
