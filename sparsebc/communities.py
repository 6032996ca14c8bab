"""Communities: the parts that a network falls into."""

from .measures.girvan_newman import girvan_newman

__all__ = ["girvan_newman"]
