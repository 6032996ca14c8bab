"""Community detection."""

from .partition import Partition, girvan_newman, modularity, partition

__all__ = ["Partition", "girvan_newman", "modularity", "partition"]
