"""Linux control groups: limits that a container or a batch system sets on this process.

A limit may be set at any group from that of the process up to the root of the mounted hierarchy;
the least holds. Version 2 has one hierarchy for memory and CPU time, version 1 one for each
controller; some systems mount both.
"""

import functools
from pathlib import Path, PurePosixPath

ROOT = Path("/")  # replaced in tests


@functools.cache  # a process stays in its group, and every call asks
def groups(controller: str, root: Path = ROOT) -> tuple[tuple[Path, int], ...]:
    """Folders of this process's groups, innermost first, and their versions.

    In a container the mounted hierarchy may begin at its own group, while the path of the group
    begins at the host's root: the group's folder is then the longest suffix of the path that is
    mounted.
    """
    found = []
    for line in _lines(root / "proc/self/cgroup"):
        _, names, path = (*line.split(":", 2), "", "")[:3]  # number:controllers:path
        if names and controller not in names.split(","):
            continue
        steps = [] if ".." in path else path.strip("/").split("/")
        suffixes = [PurePosixPath(*steps[i:]) for i in range(len(steps) + 1)]
        for mounted in (names,) if names else ("", "unified"):
            top = root / "sys/fs/cgroup" / mounted
            inside = next((suffix for suffix in suffixes if (top / suffix).is_dir()), None)
            if inside is not None:
                version = 1 if names else 2
                found += [(top / folder, version) for folder in (inside, *inside.parents)]
    return tuple(found)


def number(path: Path) -> int | None:
    """Integer in a file; None for "max", or if the file cannot be read."""
    try:
        return int(path.read_bytes())
    except (OSError, ValueError):
        return None


def numbers(path: Path, *fields: str) -> list[int]:
    """Integers of the named fields of a file, absent ones left out."""
    lines = [line.split() for line in _lines(path)]
    values = {words[0]: words[1] for words in lines if len(words) > 1}
    return [int(values[field]) for field in fields if values.get(field, "").isdigit()]


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
