"""Which columns of an edge list are the source, the target and the weight."""

from __future__ import annotations

import re
import warnings
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


class ReadWarning(UserWarning):
    """A file was read, but something in it was left out or could be meant otherwise."""


def remark(message: str) -> None:
    """Warn about how a file was taken; the command prints it as a note."""
    warnings.warn(message, ReadWarning, stacklevel=2)


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
    weighted: bool | None = None  # whether weights are needed; None: where they can be read
    separator: str | None = None
    comment: str | None = None  # "": no line is a comment
    encoding: str | None = None
    decimal: str | None = None

    def check(self) -> None:
        """Refuse what contradicts itself."""
        if (self.source is None) != (self.target is None):
            raise ValueError(
                f"got source={self.source!r} and target={self.target!r}: give both or neither"
            )
        if self.header is False and (self.source, self.weight) != (None, None):
            raise ValueError("header=False leaves no titles to name columns by: leave out either")

    @property
    def needs_weights(self) -> bool:
        """Whether a file without readable weights is to be refused."""
        return bool(self.weighted) or self.weight is not None

    @property
    def any(self) -> bool:
        """Whether the caller says anything that only a table of text has."""
        return any(value is not None for value in self._replace(weighted=None))


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


def plain(title: str) -> str:
    """Letters and digits of a title, in lower case: what tells titles apart."""
    return re.sub(r"[\W_]+", "", title.lower())


def weights_of(titles: Sequence[str]) -> list[int]:
    """Places of the titles that are known for weights."""
    known = set(map(plain, WEIGHTS))
    return [k for k, title in enumerate(titles) if plain(title) in known]


def named(name: str, titles: Sequence[str], place: str, what: str = "column") -> int:
    """Place of a title: spelt so, or in another case where no other is spelt alike."""
    there = [k for k, title in enumerate(titles) if title == name]
    there = there or [k for k, title in enumerate(titles) if plain(title) == plain(name) != ""]
    if len(there) == 1:
        return there[0]
    how = f"no {what}" if not there else f"{len(there)} {what}s"
    raise ValueError(f"{place}: {how} {name!r}; expected one of {list(titles)}")


def weight_among(
    titles: Sequence[str], wanted: Wanted, place: str, what: str = "column"
) -> int | None:
    """Place of the weights among these titles: that named, else the only known one.

    None where there is none, unless weights are needed: then that is an error that lists the
    titles. `what` is "column" of a table, or "attribute" of the edges of a graph.
    """
    way = "attribute" if what == "attribute" else "columns"
    if wanted.weighted is False:
        return None
    if wanted.weight is not None:
        return named(wanted.weight, titles, place, what)
    there = weights_of(titles)
    if len(there) == 1:
        return there[0]
    if not there and not wanted.weighted:
        return None
    listed = [titles[k] for k in there] if there else list(titles)
    if not there:
        found = f"no {what} is known for weights, which are {', '.join(WEIGHTS)} in any case"
        raise Unclear(f"{place}: {found}; there are {listed}", way)
    found = f"{place}: {what}s {listed}, more than one of them weights"
    if wanted.weighted:
        raise Unclear(f"{found}; expected one", way)
    remark(f"{found}: none is taken, and all weights are 1")
    return None


def is_number(field: str) -> bool:
    """Whether a field is a number, which no title is."""
    try:
        float(field)
    except ValueError:
        return False
    return any(letter.isdigit() for letter in field)
