"""Temporal networks: arrival, reach, closeness and betweenness of walks along timed edges."""

from .betweenness import betweenness
from .contacts import Contacts
from .distances import arrival, closeness, reach
from .read import read

__all__ = [
    "Contacts",
    "arrival",
    "betweenness",
    "closeness",
    "reach",
    "read",
]
