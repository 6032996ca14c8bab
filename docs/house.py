"""Tables that are made from the sources: which file holds what, which kernel runs when.

A page asks for one by a line of its own, ``.. files:: engines/cpu`` or ``.. kernels::``.
"""

import ast
import importlib
import re
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "sparsebc"
COLUMNS = ("engine", "task", "graph", "counts", "file")


def summary(file):
    """First sentence of what a file says of itself."""
    text = file.read_text()
    if file.suffix == ".py":
        said = ast.get_docstring(ast.parse(text)) or ""
    else:
        comment = re.match(r"(?:#pragma once\n+)?((?://.*\n)+)", text)
        said = re.sub(r"^// ?", "", comment[1], flags=re.M) if comment else ""
    first = said.split("\n\n")[0].replace("\n", " ").strip()
    return re.split(r"(?<=[a-z0-9)`])\. ", first)[0].rstrip(".")


def files(folder):
    """Rows (file, summary) of a folder of the package, those of its folders without their own."""
    there = sorted(PACKAGE.joinpath(folder).iterdir())
    return [
        (file.name, summary(file))
        for file in there
        if file.suffix in (".py", ".cu", ".cuh") and file.name != "__init__.py" and summary(file)
    ]


def kernels():
    """Rows (engine, task, graph, counts, file) of the tables `KERNELS`, wherever one stands."""
    engines = PACKAGE / "engines"
    for source in sorted(engines.glob("*/*.py")):
        if "\nKERNELS = (\n    Kernel(" in source.read_text():
            engine = source.parent.name
            module = importlib.import_module(f"sparsebc.engines.{engine}.{source.stem}")
            for task, graph, counts, file in module.KERNELS:
                yield engine, task, graph, counts, file.removeprefix(f"{engine}/")


def table(rows, head=None):
    """The rows as reStructuredText; files are set as code."""
    lines = [".. list-table::", f"   :header-rows: {int(head is not None)}", ""]
    for row in [*([head] if head else []), *rows]:
        cells = [f"``{cell}``" if re.search(r"\.(py|cuh?)$", cell) else cell for cell in row]
        lines += [f"   {'  ' if i else '* '}- {cell}" for i, cell in enumerate(cells)]
    return "\n".join([*lines, ""])


def fill(page):
    """The text of a page, with its tables."""
    page = re.sub(r"^\.\. files:: (\S+)$", lambda m: table(files(m[1])), page, flags=re.M)
    return re.sub(r"^\.\. kernels::$", lambda _: table(kernels(), COLUMNS), page, flags=re.M)
