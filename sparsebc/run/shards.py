"""Shards of a run, for job arrays: each is a checkpoint of some blocks, all together are one sum.

A shard, to users a *part*, sweeps consecutive blocks of the first range of path counts. It keeps
nodes of the one tree, and those of all shards, taken from left to right, are the sum of one run
after that range. The merging call goes on from there, to the same bits.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

from ..errors import OptionError
from . import state_file


@dataclass(frozen=True)
class Shard(os.PathLike[str]):
    """Number of a shard, how many the run has, and the directory of its checkpoint."""

    path: str
    number: int  # from 1 on
    of: int

    @classmethod
    def within(cls, directory: str | os.PathLike[str], number: int, of: int) -> Shard:
        """Shard in its folder of the directory that all shards share."""
        return cls(os.path.join(directory, f"part-{number}-of-{of}"), number, of)

    def __fspath__(self) -> str:
        return self.path

    def __str__(self) -> str:
        return self.path

    @property
    def name(self) -> str:
        """Number and count, as messages show them."""
        return f"{self.number} of {self.of}"

    def share(self, blocks: int) -> range:
        """Numbers of its own blocks, of so many in all."""
        return range(blocks * (self.number - 1) // self.of, blocks * self.number // self.of)


class ShardDone(Exception):
    """A shard is done and kept; there are no scores until all shards are merged."""

    def __init__(self, shard: Shard, sources: int) -> None:
        super().__init__(shard, sources)
        self.shard, self.sources = shard, sources

    def __str__(self) -> str:
        return f"part {self.shard.name}: {self.sources} sources are kept in {self.shard.path!r}"


def found(directory: Path) -> list[tuple[Shard, dict[str, Any]]]:
    """The shards below a directory that have begun, by number, and their headers."""
    there = []
    for place in sorted(directory.glob("part-*")):
        header = state_file.header(place)
        if header is None or "part" not in header:
            continue
        match header:
            case {"part": [int(number), int(of)], "finished": bool(), "fingerprint": {}} if (
                1 <= number <= of
            ):
                there.append((Shard(str(place), number, of), header))
            case _:
                raise state_file.damaged(place, "it does not say which part it is")
    return sorted(there, key=lambda one: one[0].number)


def complete(directory: Path) -> list[tuple[Shard, dict[str, Any]]]:
    """Shards and headers where each is there once and done; ValueError names those that are not."""
    there = found(directory)
    if not there:
        return []
    what = f"checkpoint={str(directory)!r}"
    first = there[0][0]
    for one, _ in there:
        if one.of != first.of:
            raise OptionError(
                f"{what} holds part {first.name} and part {one.name}, of two cuts of a run: "
                "remove the parts of either",
                what,
            )
    for (one, _), (other, _) in pairwise(there):
        if one.number == other.number:
            raise OptionError(
                f"{what} holds part {one.name} twice, in {Path(one).name} and {Path(other).name}: "
                "remove either",
                what,
            )
    if len(there) < first.of:
        known = {one.number for one, _ in there}
        missing = (number for number in range(1, first.of + 1) if number not in known)
        raise OptionError(
            f"{what} lacks {_named(missing)} of {first.of}: run what is missing, then merge",
            what,
        )
    open_ones = [one.number for one, header in there if not header["finished"]]
    if open_ones:
        raise OptionError(
            f"{what} holds {_named(iter(open_ones))} of {first.of} unfinished: let them end, or go "
            "on with those that were stopped, then merge",
            what,
        )
    return there


def _named(numbers: Iterator[int]) -> str:
    """Shards by their numbers, of many the first ones."""
    some = list(islice(numbers, 11))
    told = [*map(str, some[:10]), *(["..."] if len(some) > 10 else [])]
    return f"part{'s' if len(some) > 1 else ''} {', '.join(told)}"
