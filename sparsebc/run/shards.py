"""Shards of a run, for job arrays: each is a checkpoint of consecutive blocks.

A shard, to users a *part*, sweeps its blocks in the first range of path counts, and saves nodes of
the pairwise sum. The merging call takes the nodes of all shards from left to right, which gives the
state of a single run after that range, and resumes there, to the same bits.
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
    """Number of a shard, number of shards, and checkpoint directory of the shard."""

    path: str
    number: int  # from 1 on
    of: int

    @classmethod
    def within(cls, directory: str | os.PathLike[str], number: int, of: int) -> Shard:
        """The shard, with its own folder in the directory that all shards share."""
        return cls(os.path.join(directory, f"part-{number}-of-{of}"), number, of)

    def __fspath__(self) -> str:
        return self.path

    def __str__(self) -> str:
        return self.path

    @property
    def name(self) -> str:
        """Number and count, as in messages and fingerprints."""
        return f"{self.number} of {self.of}"

    def share(self, blocks: int) -> range:
        """Numbers of the shard's own blocks, if the run has ``blocks``."""
        return range(blocks * (self.number - 1) // self.of, blocks * self.number // self.of)


class ShardDone(Exception):
    """Raised once a shard is saved as finished; scores need the merge of all shards."""

    def __init__(self, shard: Shard, sources: int) -> None:
        super().__init__(shard, sources)
        self.shard, self.sources = shard, sources

    def __str__(self) -> str:
        return f"part {self.shard.name}: {self.sources} sources are kept in {self.shard.path!r}"


def found(directory: Path) -> list[tuple[Shard, dict[str, Any]]]:
    """Shards in a directory that have a saved state, by number, with their headers."""
    pairs = []
    for path in sorted(directory.glob("part-*/")):  # logs of jobs may lie beside
        header = state_file.header(path)
        if header is not None and "part" in header["fingerprint"]:
            name = re.fullmatch(r"([1-9]\d*) of ([1-9]\d*)", header["fingerprint"]["part"])
            if name is None or int(name[1]) > int(name[2]):
                raise state_file.damaged(path, "no number of a part")
            pairs.append((Shard(str(path), int(name[1]), int(name[2])), header))
    return sorted(pairs, key=lambda pair: pair[0].number)


def complete(directory: Path) -> list[tuple[Shard, dict[str, Any]]]:
    """Shards and headers; OptionError names shards that are missing, duplicate or unfinished."""
    pairs = found(directory)
    shards = [shard for shard, _ in pairs]
    if not shards:
        return []
    first, of = shards[0], shards[0].of
    other = next((shard for shard in shards if shard.of != of), None)
    numbers = Counter(shard.number for shard in shards)
    twice = [Path(shard).name for shard in shards if numbers[shard.number] > 1]
    missing = (number for number in range(1, of + 1) if number not in numbers)
    unfinished = [shard.number for shard, header in pairs if not header["finished"]]
    if other is not None:
        told = f"holds part {first.name} and part {other.name}, of two splits: remove either"
    elif twice:
        told = f"holds a part of {of} twice, in {' and '.join(twice[:2])}: remove either"
    elif len(shards) < of:
        told = f"lacks {_named(missing, of - len(shards))} of {of}: run these, then merge"
    elif unfinished:
        told = f"holds {_named(unfinished, len(unfinished))} of {of} unfinished: wait for these, "
        told += "or resume those that were stopped, then merge"
    else:
        return pairs
    what = f"checkpoint={str(directory)!r}"
    raise OptionError(f"{what} {told}", what)


def _named(numbers: Iterable[int], count: int) -> str:
    """Text for ``count`` shards: their numbers, at most ten of them."""
    told = ", ".join(map(str, islice(numbers, 10)))
    return f"part{'s' * (count > 1)} {told}{', ...' * (count > 10)}"
