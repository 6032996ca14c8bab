"""Community detection."""

from .measures.girvan_newman import girvan_newman
from .measures.modularity import modularity
from .measures.partition import Partition, partition

__all__ = ["Partition", "girvan_newman", "modularity", "partition"]
