"""Columns of a table that hold source, target and weight: known titles, and the caller's choice."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..errors import InputError
from ..plain_text import ascii_number, meant, quoted
from .remarks import AmbiguousFile, remark

# Titles of source and target; case, spaces and punctuation are ignored (`plain`).
ENDS = (
    *(("source", "target"), ("from", "to"), ("src", "dst"), ("source_id", "target_id")),
    *(("from_node", "to_node"), ("from_node_id", "to_node_id"), ("from_id", "to_id")),
    *(("node1", "node2"), ("protein1", "protein2"), ("id1", "id2"), ("user1", "user2")),
    *(("start_node", "end_node"), ("origin", "destination"), ("citing", "cited")),
)
LETTERS = (("u", "v"), ("i", "j"))  # titles that may also be the names of two nodes
WEIGHTS = ("weight", "score", "combined_score", "distance", "length")
# Titles of weights that are lengths: of parallel edges, the shortest is kept.
LENGTHS = ("distance", "length", "travel_time", "mm_len")
# Words in titles of strengths: weights that are larger for closer nodes, so not lengths.
STRENGTHS = re.compile(
    "score|confidence|similarity|correlation|strength|probab|affinity|importance|^wgcna"
    "|^(mi|tom|pcc)$"  # mutual information, topological overlap, Pearson's
)
KNOWN = (
    "one pair of from/to, source/target, protein1/protein2, node1/node2 and the like (docs: files) "
    f"and one of {', '.join(WEIGHTS)}, in any case"
)
DIRECTIONS = ("directed", "undirected")  # values of the column that tells which an edge is
KINDS = ("type", "direction")  # titles of that column: Gephi's, WGCNA's
# Titles of the columns of contacts besides their ends; a table without a time is refused.
EXTRAS = {
    "time": (
        *("time", "t", "timestamp", "datetime", "date", "unix_time", "start_time", "departure"),
        "departure_time",
    ),
    "duration": ("duration", "travel_time"),
}


class Wanted(NamedTuple):
    """Arguments of `sparsebc.io.read`: what the caller says about a file."""

    source: str | None = None  # a title, or the number of a column from 1
    target: str | None = None
    weight: str | None = None
    header: bool | None = None  # None: the first line decides
    weighted: bool | None = None  # whether weights are needed; None: read if they can be
    separator: str | None = None
    comment: str | None = None  # "": no line is a comment
    encoding: str | None = None
    decimal: str | None = None
    extras: Mapping[str, str | None] = {}  # title or number by key of `EXTRAS`; None: a known title

    def check(self) -> None:
        """Refuse arguments that contradict each other."""
        if (self.source is None) != (self.target is None):
            raise InputError(
                f"got source={self.source!r} and target={self.target!r}: give both or neither"
            )
        told = (self.source, self.target, self.weight, *self.extras.values())
        named = [n for n in told if n is not None]
        if self.header is False and not all(map(is_position, named)):
            raise InputError(
                "header=False leaves no titles to name columns by: give their numbers, from 1 on, "
                "or leave it out"
            )
        if self.weighted is False and self.weight is not None:
            raise InputError(f"got weighted=False and weight={self.weight!r}: leave out either")
        if self.separator is not None and (len(self.separator) != 1 or self.separator in '"\r\n'):
            raise InputError(f"separator must be one character, got {self.separator!r}")
        if self.decimal not in (None, ".", ","):
            raise InputError(f"decimal must be '.' or ',', got {self.decimal!r}")
        if self.separator == self.decimal == ",":
            raise InputError("separator=',' and decimal=',' contradict each other: change either")

    @property
    def needs_weights(self) -> bool:
        """Whether a file without readable weights is to be refused."""
        return bool(self.weighted) or self.weight is not None


def titles_of_ends(source: str, target: str) -> dict[str, int | str] | None:
    """Remedy that names the ends by their titles; None if these are no use in it."""
    usable = source != target and not re.search(r"[,=]|.{60}|\A *\Z", f"{source}\n{target}")
    return {"source": source, "target": target} if usable else None


def plain(title: str) -> str:
    """Letters and digits of a title, in lower case: the form in which titles are compared."""
    return re.sub(r"[\W_]+", "", title.lower())


_PLAIN_ENDS = [(plain(source), plain(target)) for source, target in ENDS]
_PLAIN_WEIGHTS = set(map(plain, WEIGHTS))


def is_position(name: str) -> bool:
    """Whether a name can be the number of a column, from 1."""
    return re.fullmatch("[1-9][0-9]{0,5}", name) is not None


def ends_of(titles: Sequence[str]) -> list[tuple[int, int]]:
    """Indices of each known pair of titles; of `LETTERS` only if there is none else."""
    known = [plain(title) for title in titles]
    for pairs in (_PLAIN_ENDS, LETTERS):
        found = [pair for pair in pairs if set(pair) <= set(known)]
        if found:
            return [(known.index(a), known.index(b)) for a, b in found]
    return []


def weights_of(titles: Sequence[str]) -> list[int]:
    """Indices of the known titles of weights."""
    return [k for k, title in enumerate(titles) if plain(title) in _PLAIN_WEIGHTS]


def title_of(titles: Sequence[str], weight: int) -> str:
    """Title of the weights; those of WGCNA, adjacencies, are told by the titles beside them."""
    is_wgcna = {"fromaltname", "toaltname"} <= set(map(plain, titles))
    return f"WGCNA's {titles[weight]}" if is_wgcna else titles[weight]


def are_strengths(title: str) -> bool:
    """Whether the title of weights says that larger ones mean closer nodes."""
    return STRENGTHS.search(plain(title)) is not None


def kinds_at(titles: Sequence[str]) -> int | None:
    """Index of the first column of `KINDS`."""
    return next((k for k, title in enumerate(titles) if plain(title) in KINDS), None)


def named(name: str, titles: Sequence[str], place: str, what: str = "column") -> int:
    """Index of the title ``name``: spelt exactly so, else the only one equal to it by `plain`."""
    there = [k for k, title in enumerate(titles) if title == name]
    there = there or [k for k, title in enumerate(titles) if plain(title) == plain(name) != ""]
    if len(there) == 1:
        return there[0]
    how = f"no {what}" if not there else f"{len(there)} {what}s"
    listed = f"expected one of {quoted(list(titles))}{'' if there else meant(name, titles)}"
    raise InputError(f"{place}: {how} {quoted(name)}; {listed}")


def weight_among(
    titles: Sequence[str], wanted: Wanted, place: str, what: str = "column"
) -> int | None:
    """Index of the weights among the titles: the one that is named, else the only known one.

    None if no or several titles are known; if weights are needed, an error that lists the titles.
    `what` is "column" of a table, or "attribute" of the edges of a graph.
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
        found = f"no {what} is titled as weights are ({', '.join(WEIGHTS)}, in any case)"
        raise AmbiguousFile(f"{place}: {found}; the {what}s are {quoted(listed)}", way)
    found = f"{place}: {what}s {quoted(listed)} all may be weights"
    if wanted.weighted:
        raise AmbiguousFile(f"{found}; expected one", way)
    remark(f"{found}: none is read, and all weights are 1")
    return None


def extra_among(titles: Sequence[str], role: str, place: str) -> int | None:
    """Index of the only known title of a key of `EXTRAS`; None if there is none and none needed."""
    known = set(map(plain, EXTRAS[role]))
    there = [k for k, title in enumerate(titles) if plain(title) in known]
    if len(there) == 1 or not (there or role == "time"):
        return there[0] if there else None
    listed = f"columns {[titles[k] for k in there]} for" if there else "no column for"
    expected = f"expected one of {', '.join(EXTRAS[role])} in {quoted(list(titles))}"
    raise AmbiguousFile(f"{place}: {listed} the {role}; {expected}", "contacts")


def is_number(field: str) -> bool:
    """Whether a field is a number with digits; 'nan' and 'inf' may be titles."""
    try:
        ascii_number(field)
    except ValueError:
        return False
    return any(letter.isdigit() for letter in field)
