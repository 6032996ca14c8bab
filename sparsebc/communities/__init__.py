"""Community detection."""

from .girvan_newman import girvan_newman
from .modularity import modularity
from .partition import Partition, partition

__all__ = ["Partition", "girvan_newman", "modularity", "partition"]
