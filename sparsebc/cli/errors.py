"""Errors of a command: the foreseen in one line, all others with a traceback."""

import re
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..errors import SparsebcError, is_foreseen
from .options import OPTIONS
from .table import show

PACKAGE = __package__.partition(".")[0]
INTERNAL = 70  # EX_SOFTWARE of sysexits.h
# Arguments of the functions, and the options that stand for them.
OPTION_OF = {option.argument: name for name, option in OPTIONS.items() if option.argument}
OPTION_OF["places"] = "--places"  # of which several files make one array
# Those that are True where their option is left out.
INVERSE = ("normalized", "recompute")
# Values of Python that a command writes in another way, or not at all.
VALUES = {" or None": "", "['cuda:0', 'cuda:1']": "cuda:0,cuda:1"}


class Refusal(SparsebcError):
    """Error that ends a command, told in one line."""


def one_line(error: BaseException) -> str:
    """Message of a foreseen error, with its notes."""
    told = str(error) or type(error).__name__
    if isinstance(error, OSError) and error.strerror:
        told = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return " ".join([told, *getattr(error, "__notes__", [])])


def in_options(error: BaseException) -> str:
    """Message of a foreseen error, with options in place of the arguments that it names."""
    told, rest = "", one_line(error)
    for argument in getattr(error, "mentions", ()):
        before, found, after = rest.partition(argument)
        if found:
            told, rest = told + before + _option(argument), after
    return told + rest


def _option(argument: str) -> str:
    """The option of a command that says what an argument of a function does."""
    name, equals, value = argument.partition("=")
    if name not in OPTION_OF:
        return VALUES.get(argument, argument)
    option = OPTION_OF[name]
    if value in ("True", "False"):
        return option if (value == "True") != (name in INVERSE) else f"no {option}"
    written = value.strip("'").removeprefix("numpy.")
    return f"{option} {written}" if equals else option


@contextmanager
def refusing(spell: Callable[[BaseException], str] = in_options) -> Iterator[None]:
    """Raise foreseen errors of a function as a `Refusal` in words of the command.

    No message that gets here has the name of a file in it: files are read before, and written
    after.
    """
    try:
        yield
    except Exception as error:
        if not is_foreseen(error) or isinstance(error, OSError):
            raise
        raise Refusal(spell(error)) from error


def report(error: BaseException) -> None:
    """Print an internal error, and where to send it."""
    trace = "".join(traceback.format_exception(error)).splitlines()
    last = (
        f"{PACKAGE}: internal error: this is a fault of {PACKAGE}, not of what it was given. "
        f"Please report it{_tracker()}, with the lines above and what '{PACKAGE} info' prints."
    )
    show([*trace, last], aside=True)


def _tracker() -> str:
    """Address of the issue tracker in the metadata of the package; empty without one."""
    from importlib import metadata

    try:
        urls = metadata.metadata(PACKAGE).get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        urls = []
    for label, _, url in (entry.partition(",") for entry in urls):
        if re.search("issue|tracker|bug", label, re.IGNORECASE):
            return f" at {url.strip()}"
    return ""
