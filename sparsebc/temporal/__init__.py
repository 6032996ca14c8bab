"""Temporal networks: arrival, reach, closeness and betweenness of walks along timed edges."""

from .contacts import Contacts
from .measures import arrival, betweenness, closeness, reach
from .read import read

__all__ = [
    "Contacts",
    "arrival",
    "betweenness",
    "closeness",
    "reach",
    "read",
]
