"""Street networks as matrices of lengths or turns, and scores by street."""

from .dual import Dual, dual
from .network import Streets, from_geodataframe, from_networkx

__all__ = ["Dual", "Streets", "dual", "from_geodataframe", "from_networkx"]
