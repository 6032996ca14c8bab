"""A backend of NetworkX: ``networkx.betweenness_centrality(G, backend="sparsebc")``.

NetworkX finds the backend by its entry points. Public here are `SparseGraph`, which its functions
take in place of a graph with a dictionary for each node, and the two functions that make one.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .convert import from_matrix, from_networkx
    from .graph import SparseGraph

# `import networkx` imports this package for `backend_info`: modules load on first use (PEP 562).
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
