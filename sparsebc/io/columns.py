"""Which columns of an edge list are the source, the target and the weight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

ENDS = (("from", "to"), ("source", "target"), ("protein1", "protein2"), ("node1", "node2"))
WEIGHTS = ("weight", "score", "combined_score", "distance", "length")
KNOWN = f"one pair of {', '.join('/'.join(pair) for pair in ENDS)} and one of {', '.join(WEIGHTS)}"
# Titles of the files of scores that this package writes.
SCORES = {
    *("betweenness", "stress", "closeness", "harmonic", "eccentricity", "half_width", "degree"),
    *("component", "level", "distance", "predecessor", "node"),
}
# How a call of `read` tells the columns; the command line has spellings of its own.
PYTHON = {
    "columns": "the titles of its columns, as in source='gene_a', target='gene_b', weight='w'",
    "attribute": "the one to take, as in weight='w'",
    "no header": "header=False where the first line is an edge",
}


class Unclear(ValueError):
    """The columns of an edge list cannot be told, and the caller must tell them.

    Parameters
    ----------
    problem : str
        What was found, and what was expected.
    *ways : str
        Keys of `PYTHON`: the ways out.
    """

    def __init__(self, problem: str, *ways: str) -> None:
        super().__init__(problem, *ways)

    def __str__(self) -> str:
        return self.spelt(PYTHON)

    def spelt(self, ways: Mapping[str, str]) -> str:
        """Message in which the ways out are spelt as the caller has them."""
        problem, *keys = self.args
        return f"{problem}, or {', or '.join(ways[key] for key in keys)}"


class Wanted(NamedTuple):
    """What the caller says about the columns."""

    source: str | None
    target: str | None
    weight: str | None
    header: bool | None  # None: the first line decides

    def check(self) -> None:
        """Refuse what contradicts itself."""
        if (self.source is None) != (self.target is None):
            raise ValueError(
                f"got source={self.source!r} and target={self.target!r}: give both or neither"
            )
        if self.header is False and (self.source, self.weight) != (None, None):
            raise ValueError("header=False leaves no titles to name columns by: leave out either")

    @property
    def any(self) -> bool:
        """Whether the caller says anything."""
        return any(value is not None for value in self)


class Layout(NamedTuple):
    """Places of the columns in a line."""

    source: int
    target: int
    weight: int | None  # None: every weight is 1
    header: bool  # the first line has titles, and is no edge


def layout(fields: Sequence[str], wanted: Wanted, place: str) -> Layout:
    """Columns by the first line, which is at `place`, and by what the caller says."""
    titles = [field.strip() for field in fields]
    known = [title.lower() for title in titles]
    found = f"{place}: {len(fields)} columns {list(fields)}"
    if wanted.header is not False and known[0] == "node" and set(known) <= SCORES:
        raise ValueError(
            f"{place}: the header {','.join(titles)} of a file of scores; expected edges, one a "
            "line: source, target and optionally weight"
        )
    ends = [pair for pair in ENDS if set(pair) <= set(known)]
    weights = [title for title in known if title in WEIGHTS]
    if wanted.source is not None:
        source, target = (_named(title, titles, place) for title in (wanted.source, wanted.target))
        weight = _weight(wanted, titles, known, place) if wanted.weight or weights else None
        return Layout(source, target, weight, True)
    if wanted.header is False or not (ends or wanted.header or wanted.weight):
        if len(fields) in (2, 3):
            return Layout(0, 1, 2 if len(fields) == 3 else None, False)
    elif len(ends) == 1:
        source, target = map(known.index, ends[0])
        if wanted.weight or len(weights) == 1:
            return Layout(source, target, _weight(wanted, titles, known, place), True)
        if len(fields) == 2:
            return Layout(source, target, None, True)
        if len(fields) == 3 and not weights and source + target == 1:
            return Layout(source, target, 2, True)
    raise Unclear(
        f"{found}; expected source, target and optionally weight, or a header with {KNOWN}",
        "columns",
    )


def _weight(wanted: Wanted, titles: Sequence[str], known: Sequence[str], place: str) -> int:
    """Place of the column of weights: that named, else the one with a known title."""
    if wanted.weight is not None:
        return _named(wanted.weight, titles, place)
    there = [k for k, title in enumerate(known) if title in WEIGHTS]
    if len(there) > 1:
        found = f"{place}: {len(titles)} columns {list(titles)}"
        raise Unclear(f"{found}, more than one of them weights; expected one", "columns")
    return there[0]


def _named(title: str | None, titles: Sequence[str], place: str) -> int:
    """Place of the column of this title."""
    there = [k for k, other in enumerate(titles) if other == title]
    if len(there) != 1:
        how = "no column" if not there else f"{len(there)} columns"
        raise ValueError(f"{place}: {how} {title!r}; expected one, and the titles are {titles}")
    return there[0]


def is_number(field: str) -> bool:
    """Whether a field is a number, which no title is."""
    try:
        float(field)
    except ValueError:
        return False
    return any(letter.isdigit() for letter in field)
