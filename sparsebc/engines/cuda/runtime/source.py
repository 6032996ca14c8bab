"""CUDA sources as one string, headers in place: a cache of kernels sees every change."""

import os
import re
from pathlib import Path

# Products are rounded before they are added: whether they would be is the compiler's choice, one by
# one for each instance of a kernel, and so would be the last bits of what instances compute alike.
OPTIONS = "-std=c++17", "--fmad=false"
INCLUDE = re.compile(r'^ *#include "([\w./]+)"\n', re.MULTILINE)
HERE = Path(__file__).parents[1].resolve()


def complete(path: Path) -> str:
    """Text of a source file with its headers in it, each once; compilers see lines by file."""
    seen: set[Path] = set()

    def expand(file: Path) -> str:
        text = file.read_text(encoding="utf-8")
        name = Path(os.path.relpath(file, HERE)).as_posix()  # a backslash would begin an escape

        def header(match: re.Match[str]) -> str:
            included = (file.parent / match[1]).resolve()
            line = text.count("\n", 0, match.end()) + 1
            return "\n" if included in seen else f'{expand(included)}#line {line} "{name}"\n'

        seen.add(file)
        return f'#line 1 "{name}"\n' + INCLUDE.sub(header, text).replace("#pragma once\n", "\n")

    return expand(path.resolve())
