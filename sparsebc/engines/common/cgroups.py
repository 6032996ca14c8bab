"""Control groups: what a container or a batch system allows this process, on Linux.

A limit may stand at any of the groups that a process is in, from its own up to the root of the
mounted hierarchy, and the least of them holds. Version 2 has one hierarchy for memory and CPU time,
version 1 one for each controller; some systems mount both.
"""

import functools
from pathlib import Path, PurePosixPath

ROOT = Path("/")  # tests put a tree of their own in its place


@functools.cache  # a process stays in its group, and every call asks
def groups(controller: str, root: Path = ROOT) -> tuple[tuple[Path, int], ...]:
    """Folders of limits that this process is under, innermost first, and their versions.

    A container may see its own group as the top of what is mounted, by a path that begins outside:
    then the longest end of the path that is mounted is this process's.
    """
    found = []
    for line in _lines(root / "proc/self/cgroup"):
        _, names, path = (*line.split(":", 2), "", "")[:3]  # number:controllers:path
        if names and controller not in names.split(","):
            continue
        steps = [] if ".." in path else path.strip("/").split("/")
        ends = [PurePosixPath(*steps[i:]) for i in range(len(steps) + 1)]
        for mounted in (names,) if names else ("", "unified"):
            top = root / "sys/fs/cgroup" / mounted
            inside = next((end for end in ends if (top / end).is_dir()), None)
            if inside is not None:
                version = 1 if names else 2
                found += [(top / folder, version) for folder in (inside, *inside.parents)]
    return tuple(found)


def number(path: Path) -> int | None:
    """Number in a file; None for "max", or where there is none."""
    try:
        return int(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def numbers(path: Path, *fields: str) -> list[int]:
    """Numbers in the lines of some fields of a file, those that are there."""
    lines = [line.split() for line in _lines(path)]
    told = {words[0]: words[1] for words in lines if len(words) > 1}
    return [int(told[field]) for field in fields if told.get(field, "").isdigit()]


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
