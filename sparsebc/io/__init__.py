"""Networks from files and data frames, scores to files."""

from . import frames
from .files import Network, read, write_matrix, write_scores, write_table

__all__ = ["Network", "frames", "read", "write_matrix", "write_scores", "write_table"]
