"""What is told of a file: warnings, refusals, and ways out as Python or the command spells them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping

from ..errors import InputError

Way = str | Mapping[str, int | str]  # a remedy: a key of a `Spelling`, or columns by their roles
# How remedies are spelt: each by its key, and a column for each role, as "source".
Spelling = tuple[Mapping[str, str], Callable[[Mapping[str, int | str]], str]]
PYTHON: Spelling = (
    {
        "columns": "the columns, by title or number, as in source='gene_a', target='gene_b', "
        "weight=4",
        "contacts": "the columns, by title or number, as in source=2, target=3, time=1",
        "attribute": "the attribute of the weights, as in weight='w'",
        "titles": "the titles, as in source='u', target='v', if the first line is a header",
        "no header": "header=False where the first line is an edge",
        "rows": "comment='' where such lines are edges",
        "comments": "comment='#' where they are not",
        "encoding": "the encoding, as in encoding='cp1252' (Windows), 'latin-1' or 'utf-16-le'",
        "separator": "separator=';' or the character that separates the fields",
        "decimal": "decimal=',' where a comma is the decimal point",
        "temporal": "sparsebc.temporal.read where they are times",
        "strength": "strength_to_distance makes lengths of them",
    },
    lambda columns: ", ".join(f"{role}={column!r}" for role, column in columns.items()),
)


def message_of(told: ReadWarning | AmbiguousFile, spelling: Spelling = PYTHON) -> str:
    """A problem of a file and ways out of it, which `args` has, as they are spelt."""
    (problem, *ways), (known, of_columns) = told.args, spelling
    spelt = ", or ".join(known[w] if isinstance(w, str) else of_columns(w) for w in ways)
    joint = " " if isinstance(told, Warning) else ", or "
    return f"{problem}{joint * bool(ways)}{spelt}"


class ReadWarning(UserWarning):
    """A file was read, but something in it was left out or is ambiguous."""

    __str__ = message_of


def remark(message: str, *ways: Way) -> None:
    """Warn about how a file was interpreted; the command prints the warning as a note."""
    warnings.warn(ReadWarning(message, *ways), stacklevel=2)


class AmbiguousFile(InputError):
    """A file can be read in several ways, and the caller must say which.

    Parameters
    ----------
    problem : str
        What was found, and what was expected.
    *ways : Way
        The remedies.
    """

    __str__ = message_of

    def __init__(self, problem: str, *ways: Way) -> None:
        super().__init__(problem)
        self.args = problem, *ways  # which pickle passes on


def fault(place: str, found: str, expected: str) -> InputError:
    """Error of a file: its name, the line if there is one, what was found and what was expected."""
    return InputError(f"{place}: {found}; expected {expected}")
