"""Tutorials as Jupyter notebooks: made of the pages, run when these are built, linked there.

``-D notebooks_that_run=PATTERN`` leaves others without the values of their cells.
"""

from doctest import DocTestParser
from fnmatch import fnmatch
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from docutils import nodes
from nbclient import NotebookClient
from sphinx.util import logging
from traitlets.config import Config

FIRST = (
    "*A page of the documentation of sparsebc. The first call of a measure compiles its kernels, "
    "once on a machine, which takes some seconds and is announced.*"
)
MARKS = {nodes.literal: "`", nodes.strong: "**", nodes.emphasis: "*", nodes.math: "$"}


def inline(node):
    """Markdown of the text of a node."""
    if isinstance(node, nodes.Text):
        return str(node)
    mark = MARKS.get(type(node), "")
    text = mark + "".join(map(inline, node.children)) + mark
    target = node.get("refuri", "") if isinstance(node, nodes.reference) else ""
    return f"[{text}]({target})" if target.startswith("http") else text


def blocks(document):
    """Kind and text of the parts of a page, in their order: "markdown" or "code"."""
    level = 0
    for node in document.findall():
        if isinstance(node, nodes.title):
            level = sum(isinstance(above, nodes.section) for above in parents(node))
            yield "markdown", f"{'#' * level} {inline(node)}"
        elif isinstance(node, nodes.doctest_block):
            yield from (("code", source) for source in sources(node.astext()))
        elif isinstance(node, nodes.literal_block):
            yield "markdown", f"```{node.get('language', '')}\n{node.astext()}\n```"
        elif isinstance(node, nodes.paragraph):
            listed = any(isinstance(above, nodes.list_item) for above in parents(node))
            yield "markdown", "- " * listed + inline(node).replace("\n", " ")


def parents(node):
    """The nodes that hold a node."""
    while node.parent is not None:
        node = node.parent
        yield node


def sources(text):
    """Code of a doctest block, cut behind each expression whose value is shown."""
    code = ""
    for example in DocTestParser().get_examples(text):
        code += example.source
        if example.want:
            yield code
            code = ""
    if code:
        yield code


def notebook(document):
    """A notebook that has not run yet."""
    cells = [("markdown", FIRST)]
    for kind, text in blocks(document):
        if kind == "markdown" == cells[-1][0]:
            cells[-1] = (kind, f"{cells[-1][1]}\n\n{text}")
        else:
            cells.append((kind, text.rstrip("\n")))
    made = {"markdown": nbformat.v4.new_markdown_cell, "code": nbformat.v4.new_code_cell}
    return nbformat.v4.new_notebook(
        cells=[made[kind](text, id=f"cell-{i}") for i, (kind, text) in enumerate(cells)]
    )


def link(app, name, source):
    """Put the link below the title of a tutorial."""
    if name.startswith("tutorial_") and app.builder.format == "html":
        title, line, text = source[0].split("\n", 2)
        source[0] = f"{title}\n{line}\n\n`This page as a notebook <{name}.ipynb>`__\n\n{text}"


def write(app, error):
    """Run the notebooks where their data are, and write them beside the pages."""
    if error is not None or app.builder.format != "html":
        return
    for name in sorted(name for name in app.env.found_docs if name.startswith("tutorial_")):
        made = notebook(app.env.get_doctree(name))
        if fnmatch(name, app.config.notebooks_that_run):
            logging.getLogger(__name__).info("running %s.ipynb", name)
            place = {"metadata": {"path": Path(app.srcdir, "data")}}
            with TemporaryDirectory() as sockets:  # no port that others could reach
                local = {"transport": "ipc", "ip": str(Path(sockets, "kernel"))}
                how = {"config": Config(KernelManager=local), "resources": place}
                NotebookClient(made, **how).execute()
        nbformat.write(made, Path(app.outdir, f"{name}.ipynb"))


def setup(app):
    """Link them when pages are read, run them when all is written."""
    app.add_config_value("notebooks_that_run", "*", "", str)
    app.connect("source-read", link)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
