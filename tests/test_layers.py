"""Imports go down only: the layers are a table, and this file holds the code to it."""

import ast
from pathlib import Path

import pytest

import sparsebc

PACKAGE = Path(sparsebc.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))

# Lowest first. A module may import from lower rows and from its own part of the package;
# whatever is not named here is public and stands on top. Engines see the graph that they work on
# and the level loop that drives them, and nothing of what decides which work to do.
LAYERS = (
    {"lengths", "patterns", "sweep", "rescale", "options"},
    {"graph"},
    {"engines", "weights"},
    {"backbone", "locality", "trees"},
    {"prepare"},
    {"schedule"},
)
ENGINES_ONLY = {"cupy", "cupyx", "cupy_backends"}


def part(path):
    """First-level name of a module within the package: engines/cpu.py belongs to `engines`."""
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def height(name):
    """Row of a part of the package, counted from the bottom."""
    return next((i for i, row in enumerate(LAYERS) if name in row), len(LAYERS))


def imported(path):
    """Absolute dotted names of all that a module imports, wherever in the file."""
    package = ("sparsebc", *path.relative_to(PACKAGE).parts[:-1])
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else ()
            base = (*above, *(node.module.split(".") if node.module else ()))
            yield from (".".join((*base, alias.name)) for alias in node.names)


def parts_imported(path):
    """Parts of the package that a module imports; names of the package itself are not parts."""
    for name in imported(path):
        package, *rest = name.split(".")
        if package == "sparsebc" and rest:
            yield rest[0]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_down(path):
    """No module imports one of its own row or above, public modules excepted."""
    own = part(path)
    if height(own) == len(LAYERS):
        return
    for other in parts_imported(path):
        assert other == own or height(other) < height(own), f"{own} imports {other}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_only_engines_know_the_gpu_libraries(path):
    """CuPy is imported by engines and by nobody else."""
    if part(path) != "engines":
        assert not {name.split(".")[0] for name in imported(path)} & ENGINES_ONLY


def test_every_layer_is_there():
    """A renamed module must not slip out of the table."""
    assert set().union(*LAYERS) <= {part(path) for path in MODULES}
