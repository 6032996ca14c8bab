"""Parts of a run, for job arrays: each a checkpoint of some blocks, and all of them one sum.

A part sweeps a run of the blocks of the first range of path counts. What it keeps are nodes of the
one tree, and those of all parts, taken from left to right, are the sum that one run would have
after that range. Whoever merges them goes on from there, to the same bits.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

from ..errors import InputError
from . import state_file


@dataclass(frozen=True)
class Part(os.PathLike[str]):
    """One of so many parts of a run, and the directory of its checkpoint."""

    path: str
    number: int  # from 1 on
    of: int

    @classmethod
    def within(cls, directory: str | os.PathLike[str], number: int, of: int) -> Part:
        """Below the directory that all parts share."""
        return cls(os.path.join(directory, f"part-{number}-of-{of}"), number, of)

    def __fspath__(self) -> str:
        return self.path

    def __str__(self) -> str:
        return self.path

    @property
    def name(self) -> str:
        """Which one it is, as a message has it."""
        return f"{self.number} of {self.of}"

    def share(self, blocks: int) -> range:
        """Which of so many blocks are its own."""
        return range(blocks * (self.number - 1) // self.of, blocks * self.number // self.of)


class PartDone(Exception):
    """A part is done and kept; there are no scores until all parts are merged."""

    def __init__(self, part: Part, sources: int) -> None:
        super().__init__(part, sources)
        self.part, self.sources = part, sources

    def __str__(self) -> str:
        return f"part {self.part.name}: {self.sources} sources are kept in {self.part.path!r}"


def found(directory: Path) -> list[tuple[Part, dict[str, Any]]]:
    """The parts below a directory and their newest headers, by number; those not begun are not."""
    there = []
    for place in sorted(directory.glob("part-*")):
        header = state_file.header(place)
        if header is None or "part" not in header:
            continue
        match header:
            case {"part": [int(number), int(of)], "finished": bool(), "fingerprint": {}} if (
                1 <= number <= of
            ):
                there.append((Part(str(place), number, of), header))
            case _:
                raise state_file.damaged(place, "it does not say which part it is")
    return sorted(there, key=lambda one: one[0].number)


def complete(directory: Path) -> list[tuple[Part, dict[str, Any]]]:
    """The same where each part is there once and done; ValueError names those that are not."""
    there = found(directory)
    if not there:
        return []
    what = f"checkpoint={str(directory)!r}"
    first = there[0][0]
    for one, _ in there:
        if one.of != first.of:
            raise InputError(
                f"{what} holds part {first.name} and part {one.name}, of two cuts of a run: "
                "remove the parts of either"
            )
    for (one, _), (other, _) in pairwise(there):
        if one.number == other.number:
            raise InputError(
                f"{what} holds part {one.name} twice, in {Path(one).name} and {Path(other).name}: "
                "remove either"
            )
    if len(there) < first.of:
        known = {one.number for one, _ in there}
        missing = (number for number in range(1, first.of + 1) if number not in known)
        raise InputError(
            f"{what} lacks {_named(missing)} of {first.of}: run what is missing, then merge"
        )
    open_ones = [one.number for one, header in there if not header["finished"]]
    if open_ones:
        raise InputError(
            f"{what} holds {_named(iter(open_ones))} of {first.of} unfinished: let them end, or go "
            "on with those that were stopped, then merge"
        )
    return there


def _named(numbers: Iterator[int]) -> str:
    """Parts by their numbers, of many the first ones."""
    some = list(islice(numbers, 11))
    told = [*map(str, some[:10]), *(["..."] if len(some) > 10 else [])]
    return f"part{'s' if len(some) > 1 else ''} {', '.join(told)}"
