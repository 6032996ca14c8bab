"""Networks in time: who reaches whom by contacts one after the other, and by way of whom."""

from .betweenness import betweenness
from .contacts import Contacts
from .gtfs import Timetable, read_gtfs
from .read import read

__all__ = ["Contacts", "Timetable", "betweenness", "read", "read_gtfs"]
