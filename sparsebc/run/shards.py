"""Shards of a run, for job arrays: each is a checkpoint of some blocks, all together are one sum.

A shard, to users a *part*, sweeps consecutive blocks of the first range of path counts. It keeps
nodes of the one tree, and those of all shards, taken from left to right, are the sum of one run
after that range. The merging call goes on from there, to the same bits.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
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
        """Number and count, as messages show them and a fingerprint has them."""
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
        if header is not None and "part" in header["fingerprint"]:
            name = re.fullmatch(r"([1-9]\d*) of ([1-9]\d*)", header["fingerprint"]["part"])
            if name is None or int(name[1]) > int(name[2]):
                raise state_file.damaged(place, "it does not say which part it is")
            there.append((Shard(str(place), int(name[1]), int(name[2])), header))
    return sorted(there, key=lambda one: one[0].number)


def complete(directory: Path) -> list[tuple[Shard, dict[str, Any]]]:
    """Shards and headers where each is there once and done; ValueError names those that are not."""
    there = found(directory)
    shards = [shard for shard, _ in there]
    if not shards:
        return []
    first, of = shards[0], shards[0].of
    other = next((shard for shard in shards if shard.of != of), None)
    numbers = Counter(shard.number for shard in shards)
    twice = [Path(shard).name for shard in shards if numbers[shard.number] > 1]
    missing = (number for number in range(1, of + 1) if number not in numbers)
    unfinished = [shard.number for shard, header in there if not header["finished"]]
    if other is not None:
        told = f"holds part {first.name} and part {other.name}, of two cuts of a run: remove either"
    elif twice:
        told = f"holds a part of {of} twice, in {' and '.join(twice[:2])}: remove either"
    elif len(shards) < of:
        told = f"lacks {_named(missing, of - len(shards))} of {of}: run what is missing, then merge"
    elif unfinished:
        told = f"holds {_named(unfinished, len(unfinished))} of {of} unfinished: let them end, "
        told += "or go on with those that were stopped, then merge"
    else:
        return there
    what = f"checkpoint={str(directory)!r}"
    raise OptionError(f"{what} {told}", what)


def _named(numbers: Iterable[int], count: int) -> str:
    """So many shards by their numbers, of many the first ones."""
    told = ", ".join(map(str, islice(numbers, 10)))
    return f"part{'s' * (count > 1)} {told}{', ...' * (count > 10)}"
