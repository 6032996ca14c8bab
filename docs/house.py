"""Tables that are made from the sources: which file holds what, which kernel runs when.

A page asks for one by a line of its own, ``.. files:: engines/cpu``, ``.. kernels::`` or, for which
page quotes which result, ``.. results::``.
"""

import ast
import functools
import re
from pathlib import Path

DOCS = Path(__file__).parent
PACKAGE = DOCS.parent / "sparsebc"
RESULT = re.compile(r"\b\w[\w-]*-20\d\d-\d\d-\d\d\.json\b")
COLUMNS = ("engine", "kernel", "graph", "path counts", "files")


@functools.cache
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
    """Rows (engine, kernel, graph, counts, files) of the tables of the engines."""
    from sparsebc.engines.cpu import kernel_table as cpu
    from sparsebc.engines.cuda import kernel_table as cuda

    for engine, kernels in {"cpu": cpu.KERNELS, "cuda": cuda.KERNELS}.items():
        for kernel in kernels:
            files = ", ".join(f"``{file}``" for file in kernel.files)
            yield (
                engine,
                f"*{kernel.name}*: {summary_of(kernel)}",
                kernel.graph,
                kernel.counts,
                files,
            )


def summary_of(kernel):
    """First sentence of what a kernel says of itself."""
    return type(kernel).__doc__.split("\n\n")[0].replace("\n", " ").strip().rstrip(".")


def table(rows, head=None):
    """The rows as reStructuredText; files are set as code."""
    lines = [".. list-table::", f"   :header-rows: {int(head is not None)}", ""]
    for row in [*([head] if head else []), *rows]:
        cells = [f"``{cell}``" if re.search(r"\.(py|cuh?)$", cell) else cell for cell in row]
        lines += [f"   {'  ' if i else '* '}- {cell}" for i, cell in enumerate(cells)]
    return "\n".join([*lines, ""])


def quoted(docs=DOCS):
    """Pages by the file of results that they quote, both in order."""
    found = {}
    for page in sorted([*docs.glob("*.rst"), *docs.glob("*.md"), docs.parent / "README.md"]):
        for name in RESULT.findall(page.read_text("utf-8")):
            found.setdefault(name, {})[page.name] = None
    return {name: tuple(found[name]) for name in sorted(found)}


def results():
    """Rows (file, pages) of the results that pages quote."""
    for name, pages in quoted().items():
        names = (page.rpartition(".")[0] for page in pages if page != "README.md")
        yield f"``{name}``", ", ".join(f":doc:`{page}`" for page in names)


def fill(page):
    """The text of a page, with its tables."""
    page = re.sub(r"^\.\. files:: (\S+)$", lambda m: table(files(m[1])), page, flags=re.M)
    page = re.sub(
        r"^\.\. results::$", lambda _: table(results(), ("file", "quoted by")), page, flags=re.M
    )
    return re.sub(r"^\.\. kernels::$", lambda _: table(kernels(), COLUMNS), page, flags=re.M)
