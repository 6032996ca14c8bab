"""Contacts from public timetables in GTFS format."""

from .read import Timetable, read_gtfs

__all__ = ["Timetable", "read_gtfs"]
