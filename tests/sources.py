"""The modules of the package and their syntax trees, each parsed once in a process."""

import ast
import functools
from pathlib import Path

import sparsebc

PACKAGE = Path(sparsebc.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))


@functools.cache
def nodes(path):
    """All nodes of the syntax tree of a file."""
    return list(ast.walk(ast.parse(path.read_text())))
