"""CUDA sources as one string, headers in place: a cache of kernels sees every change."""

from __future__ import annotations

import re
from pathlib import Path

INCLUDE = re.compile(r'^#include "([\w.]+)"\n', re.MULTILINE)


def complete(path: Path) -> str:
    """Text of a source file with its own headers in it, each of them once."""
    seen: set[str] = set()

    def expand(text: str) -> str:
        return INCLUDE.sub(lambda match: header(match[1]), text)

    def header(name: str) -> str:
        if name in seen:
            return ""
        seen.add(name)
        return expand((path.parent / name).read_text().replace("#pragma once\n", ""))

    return expand(path.read_text())
