"""Control groups: what a container or a batch system allows this process, on Linux.

A limit may stand at any of the groups that a process is in, from its own up to the root of the
mounted hierarchy, and the least of them holds. Version 2 has one hierarchy for memory and CPU time,
version 1 one for each controller; some systems mount both.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

ROOT = Path("/")  # tests put a tree of their own in its place


@functools.cache  # a process stays in its group, and every call asks
def groups(controller: str, root: Path = ROOT) -> tuple[tuple[Path, int], ...]:
    """Each folder of limits that this process is under, innermost first, with its version."""
    return tuple(_groups(controller, root))


def _groups(controller: str, root: Path) -> Iterator[tuple[Path, int]]:
    own = _memberships(root)
    for version, names, top, mounted in _mounts(root):
        if version == 1 and controller not in names:
            continue
        path = own.get("" if version == 2 else controller)
        if path is None:
            continue
        # A container may see its own group as the top of what is mounted.
        inside = path.relative_to(top) if path.is_relative_to(top) else PurePosixPath()
        if ".." in inside.parts:
            inside = PurePosixPath()
        for steps in (inside, *inside.parents):
            folder = mounted / steps
            if folder.is_dir():
                yield folder, version


def number(path: Path) -> int | None:
    """Number in a file; None for "max", or where there is none."""
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return None


def numbers(path: Path, *fields: str) -> list[int]:
    """Numbers in the lines of some fields of a file, those that are there."""
    lines = [line.split() for line in _lines(path)]
    told = {words[0]: words[1] for words in lines if len(words) > 1}
    return [int(told[field]) for field in fields if told.get(field, "").isdigit()]


def _memberships(root: Path) -> dict[str, PurePosixPath]:
    """Path of this process's group, by controller of version 1; that of version 2 by ""."""
    found: dict[str, PurePosixPath] = {}
    for line in _lines(root / "proc/self/cgroup"):
        parts = line.split(":", 2)  # number:controllers:path
        if len(parts) == 3:
            found |= dict.fromkeys(parts[1].split(","), PurePosixPath(parts[2]))
    return found


def _mounts(root: Path) -> Iterator[tuple[int, list[str], PurePosixPath, Path]]:
    """Version, controllers, top group and folder of each hierarchy that is mounted."""
    for line in _lines(root / "proc/self/mountinfo"):
        # id parent device top folder options ... - type source options
        left, _, right = line.partition(" - ")
        place, kind = left.split(), right.split()
        if len(place) < 5 or len(kind) < 3 or kind[0] not in ("cgroup", "cgroup2"):
            continue
        version = 2 if kind[0] == "cgroup2" else 1
        folder = root / place[4].replace("\\040", " ").lstrip("/")
        yield version, kind[2].split(","), PurePosixPath(place[3]), folder


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except OSError:
        return []
