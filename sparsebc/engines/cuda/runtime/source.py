"""CUDA sources as one string, headers in place: a cache of kernels sees every change."""

import re
from importlib import import_module
from pathlib import Path

# Products are rounded before they are added: whether they would be is the compiler's choice, one by
# one for each instance of a kernel, and so would be the last bits of what instances compute alike.
OPTIONS = "-std=c++17", "--fmad=false"
INCLUDE = re.compile(r'^ *#include "([\w./]+)"\n', re.MULTILINE)
GENERATED = ".gen.cuh"
HERE = Path(__file__).parents[1].resolve()


def complete(path: Path) -> str:
    """Text of a source file with its own headers in it, each of them once."""
    seen: set[Path] = set()

    def expand(file: Path) -> str:
        def header(match: re.Match[str]) -> str:
            included = (file.parent / match[1]).resolve()
            return "" if included in seen else expand(included)

        seen.add(file.resolve())
        return INCLUDE.sub(header, _text(file).replace("#pragma once\n", ""))

    return expand(path)


def _text(file: Path) -> str:
    """Text of a file, or of a header that `layout.py` beside it has."""
    if not file.name.endswith(GENERATED):
        return file.read_text(encoding="utf-8")
    steps = file.resolve().parent.relative_to(HERE).parts
    layout = import_module(".".join(("", *steps, "layout")), __package__.rpartition(".")[0])
    text: str = layout.HEADERS[file.name.removesuffix(GENERATED)]
    return text
