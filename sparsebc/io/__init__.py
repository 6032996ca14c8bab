"""Networks from files and data frames, scores to files."""

from . import frames
from .frames import from_graph_tool, from_igraph
from .network import Network
from .network_file import write_network
from .read import read
from .remarks import ReadWarning
from .write import write_matrix, write_pairs, write_scores, write_table

__all__ = [
    "Network",
    "ReadWarning",
    "frames",
    "from_graph_tool",
    "from_igraph",
    "read",
    "write_matrix",
    "write_network",
    "write_pairs",
    "write_scores",
    "write_table",
]
