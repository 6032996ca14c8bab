"""Types of the values of options: each reads a text, or says what it expected."""

import re
from argparse import ArgumentTypeError
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

MEASURES = ("betweenness", "edge-betweenness", "stress", "closeness", "harmonic", "eccentricity")
OF_NODES = tuple(measure for measure in MEASURES if measure != "edge-betweenness")
DECAYS = ("exponential", "linear", "power", "gaussian")  # as in `measures.weights`
NUMBER = r"[0-9]{1,15}(?:\.[0-9]+)?"


def checked(
    expected: str,
    read: Callable[[str], Any] = str,
    accepts: Callable[[Any], bool] = lambda value: True,
    pattern: str = ".*",
    *,
    several: bool = False,
) -> Callable[[str], Any]:
    """Type of texts that match a pattern and whose value `read(text)` is accepted.

    If there may be ``several`` numbers or words, @FILE lists them, one a line.
    """

    def parse(text: str) -> Any:
        if several and text.startswith("@"):
            try:
                text = ",".join(Path(text[1:]).read_text(encoding="utf-8-sig").split())
            except UnicodeError as error:
                raise ArgumentTypeError(f"{text}: {error}") from error
        if re.fullmatch(pattern, text, re.DOTALL):
            with suppress(ValueError):
                value = read(text)
                if accepts(value):
                    return value
        raise ArgumentTypeError(f"expected {expected}, got {text!r}")

    return parse


def integer(least: int) -> Callable[[str], int]:
    """Type of integers of at least ``least``; of up to 40 digits, as seeds may have 39."""
    expected = f"an integer from {least} on"
    return checked(expected, int, lambda value: value >= least, "[0-9]{1,40}")


def some_of(known: tuple[str, ...]) -> Callable[[str], list[str]]:
    """Type of names between commas, each once, in the words of Python."""

    def read(text: str) -> list[str]:
        return [*dict.fromkeys(name.strip().replace("-", "_") for name in text.split(","))]

    words = {name.replace("-", "_") for name in known}
    expected = f"some of {','.join(known)}"
    return checked(expected, read, lambda names: {*names} <= words, several=True)


def columns(numbers: str, **titles: str) -> Callable[[str], dict[str, str]]:
    """Type of columns by role: source and target or neither, and any of two other roles."""
    ends, others = {"source", "target"}, {*titles} - {"source", "target"}

    def read(text: str) -> dict[str, str]:
        pairs = [pair.partition("=") for pair in text.split(",")]
        found = {role.strip(): title.strip() for role, _, title in pairs}
        known = ends & {*found} in (ends, set()) and {*found} <= ends | others
        if len(found) < len(pairs) or not known or not all(found.values()):
            raise ValueError
        return found

    example = ",".join(f"{role}={title}" for role, title in titles.items())
    return checked(f"titles as in {example}, or numbers as in {numbers}", read)


def _bytes(text: str) -> int:
    number, unit = re.fullmatch(r"([0-9.]+)([KMGT]?).*", text.upper()).groups()  # type: ignore[union-attr]
    return int(float(number) * 1024 ** " KMGT".index(unit or " "))


def _decay(text: str) -> tuple[Any, Any]:
    pairs = [pair.split(":") for pair in text.split(",")]
    if pairs[0][0] in DECAYS:
        ((kind, number),) = pairs
        return kind, float(number)
    distances, weights = zip(*((float(x), float(y)) for x, y in pairs), strict=True)
    return distances, weights


positive = checked("a number above 0", float, lambda value: 0 < value < float("inf"))
share = checked("a number between 0 and 1", float, lambda value: 0 < value < 1)
size = checked(
    "a size as 500M or 2G",
    _bytes,
    lambda size: size >= 1,
    r"(?i:[0-9]{1,18}(?:\.[0-9]+)?[KMGT]?(?:i?B)?)",
)
top = checked(
    "an integer from 1 on, or all",
    lambda text: 0 if text == "all" else int(text),
    lambda count: count >= 0,
    "0*[1-9][0-9]{0,39}|all",
)
cutoffs = checked(
    "different numbers as in 400,800,1600, in plain digits, inf for none",
    lambda text: tuple(number.strip() for number in text.split(",")),
    lambda numbers: len({*numbers}) == len(numbers),
    rf"\s*(?:{NUMBER}|inf)\s*(?:,\s*(?:{NUMBER}|inf)\s*)*",
    several=True,
)
folder = checked("the name of a directory", pattern=".+")
decay = checked(
    f"one of {', '.join(DECAYS)} and a number, as in exponential:0.002, or distances and weights "
    "as in 0:1,400:0.5,800:0",
    _decay,
)
workers = checked(
    "an integer from 1 on, processes:4, dask:HOST:PORT or mpi",
    lambda text: int(text) if text.isdecimal() else text,
    bool,
    r"[0-9]{1,40}|processes:0{0,9}[1-9][0-9]{0,5}|dask:.+:[0-9]+|mpi",
)
# As a list of the measure and, of the nearest place, its number.
of_places = checked(
    "accessibility, nearest, or nearest:2 for the second nearest place",
    lambda text: [int(part) if part.isdecimal() else part for part in text.split(":")],
    pattern="accessibility|nearest(:0{0,9}[1-9][0-9]{0,8})?",
)
separator = checked(
    "one character, tab or space",
    lambda text: {"tab": "\t", "\\t": "\t", "space": " "}.get(text, text),
    lambda character: len(character) == 1 and character not in '"\r\n',
)
ENDS = "source=1,target=2"
edge_columns = columns(ENDS, source="gene_a", target="gene_b", weight="w")
probable_columns = columns(ENDS, source="a", target="b", weight="w", probability="p")
contact_columns = columns(
    "source=2,target=3,time=1", source="a", target="b", time="t", duration="d"
)
time = checked(
    "a number from 0 on", lambda text: int(text) if text.isdigit() else float(text), pattern=NUMBER
)
