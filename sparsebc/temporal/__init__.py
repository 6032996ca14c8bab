"""Networks in time: who reaches whom by contacts one after the other, and by way of whom."""

from .betweenness import betweenness
from .contacts import Contacts
from .distances import arrival, closeness, reach
from .gtfs import Timetable, read_gtfs
from .read import read

__all__ = [
    "Contacts",
    "Timetable",
    "arrival",
    "betweenness",
    "closeness",
    "reach",
    "read",
    "read_gtfs",
]
