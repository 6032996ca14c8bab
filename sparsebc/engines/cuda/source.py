"""CUDA sources as one string, headers in place: a cache of kernels sees every change."""

from __future__ import annotations

import re
from pathlib import Path

INCLUDE = re.compile(r'^#include "([\w./]+)"\n', re.MULTILINE)


def complete(path: Path) -> str:
    """Text of a source file with its own headers in it, each of them once."""
    seen: set[Path] = set()

    def expand(file: Path) -> str:
        def header(match: re.Match[str]) -> str:
            included = (file.parent / match[1]).resolve()
            return "" if included in seen else expand(included)

        seen.add(file.resolve())
        return INCLUDE.sub(header, file.read_text().replace("#pragma once\n", ""))

    return expand(path)
