"""Contacts from public timetables in the format GTFS."""

from .read import Timetable, read_gtfs

__all__ = ["Timetable", "read_gtfs"]
