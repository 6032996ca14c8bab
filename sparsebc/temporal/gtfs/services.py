"""Services of a GTFS feed that run on a date."""

import re
from datetime import date, datetime

from ...errors import InputError, InputTypeError, OptionError
from .feed import Feed

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
CALENDAR, EXCEPTIONS = "calendar.txt", "calendar_dates.txt"


def day_of(given: str | date) -> date:
    """The argument ``date``, validated."""
    if isinstance(given, datetime):
        return given.date()
    if isinstance(given, date):
        return given
    if not isinstance(given, str):
        raise InputTypeError(
            f"date must be a datetime.date or a text as '2026-11-26', got {type(given).__name__}"
        )
    try:
        return date.fromisoformat(given)
    except ValueError:
        raise OptionError(
            f"date must be as '2026-11-26' or '20261126', got {given!r}", "date"
        ) from None


def services_on(feed: Feed, day: date) -> set[str]:
    """Identifiers of the services that run on a day.

    Raises
    ------
    ValueError
        If there is no calendar, a date is invalid, a service has two lines or two exceptions on a
        day, or no service runs: the message gives the first and the last day of the feed.
    """
    running: set[str] = set()
    known: set[str] = set()
    dates: list[date] = []
    if not (feed.has(CALENDAR) or feed.has(EXCEPTIONS)):
        raise InputError(f"{feed.name}: neither {CALENDAR} nor {EXCEPTIONS}; expected one of them")
    columns = ("service_id", "start_date", "end_date", *DAYS)
    for place, (service, start, end, *flags) in feed.rows(CALENDAR, columns, may_miss=True):
        if service in known:
            raise InputError(f"{place}: service {service!r} again; expected one line each")
        known.add(service)
        if not {*flags} <= {"0", "1"}:
            raise InputError(f"{place}: days {flags}; expected 0 or 1 for each")
        first, last = (_date(text, place) for text in (start, end))
        if first > last:
            raise InputError(f"{place}: from {start} to {end}; expected an end after the start")
        dates += (first, last)
        if first <= day <= last and flags[day.weekday()] == "1":
            running.add(service)
    exceptions: set[tuple[str, str]] = set()
    titles = ("service_id", "date", "exception_type")
    for place, (service, when, kind) in feed.rows(EXCEPTIONS, titles, may_miss=True):
        exception = _date(when, place)
        if (service, when) in exceptions:
            raise InputError(
                f"{place}: service {service!r} again on {when}; expected one line each"
            )
        exceptions.add((service, when))
        if kind not in ("1", "2"):
            raise InputError(f"{place}: exception_type {kind!r}; expected 1 or 2")
        if kind == "1":
            dates.append(exception)
        if exception == day:
            (running.add if kind == "1" else running.discard)(service)
    if not running:
        span = f"runs from {min(dates)} to {max(dates)}" if dates else "has no services"
        raise OptionError(f"date {day}: no service; the feed {feed.name} {span}", "date")
    return running


def _date(text: str, place: str) -> date:
    """Date from the text of a table."""
    try:
        if re.fullmatch("[0-9]{8}", text):
            return date(int(text[:4]), int(text[4:6]), int(text[6:]))
    except ValueError:
        pass
    raise InputError(f"{place}: date {text!r}; expected one as 20261126")
