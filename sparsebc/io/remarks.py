"""What is told of a file: warnings, refusals, and ways out as Python or the command spells them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import NamedTuple

from ..errors import InputError


class Spelling(NamedTuple):
    """How remedies are spelt: of Python here, of options by the command."""

    ways: Mapping[str, str]
    columns: Callable[[Mapping[str, int | str]], str]  # a column for each role, as "source"


PYTHON = Spelling(
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
Way = str | Mapping[str, int | str]  # a remedy: a key of `Spelling.ways`, or columns by their roles


class _Remedied(Exception):
    """A message about a file: a problem, and ways out of it; `args` has both."""

    _joint = " "

    def __str__(self) -> str:
        return self.spelt(PYTHON)

    def spelt(self, spelling: Spelling) -> str:
        """Message with the ways as they are spelt."""
        problem, *ways = self.args
        told = (spelling.ways[w] if isinstance(w, str) else spelling.columns(w) for w in ways)
        return f"{problem}{self._joint * bool(ways)}{', or '.join(told)}"


class ReadWarning(_Remedied, UserWarning):
    """A file was read, but something in it was left out or is ambiguous."""


class StrengthWarning(ReadWarning):
    """Weights are required, and their title says that they are strengths, not lengths."""


def remark(message: str, *ways: Way, kind: type[ReadWarning] = ReadWarning) -> None:
    """Warn about how a file was interpreted; the command prints the warning as a note."""
    warnings.warn(kind(message, *ways), stacklevel=2)


class AmbiguousFile(_Remedied, InputError):
    """A file can be read in several ways, and the caller must say which.

    Parameters
    ----------
    problem : str
        What was found, and what was expected.
    *ways : Way
        The remedies.
    """

    _joint = ", or "

    def __init__(self, problem: str, *ways: Way) -> None:
        super().__init__(problem)
        self.args = problem, *ways  # which pickle passes on


def fault(place: str, found: str, expected: str) -> InputError:
    """Error of a file: its name, the line if there is one, what was found and what was expected."""
    return InputError(f"{place}: {found}; expected {expected}")
