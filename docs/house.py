"""Tables that are made from the sources and from results of benchmarks.

A page asks for one by a line of its own: ``.. map::`` (which file holds what), ``.. kernels::``
(which kernel runs when), ``.. results::`` (which page quotes which result), and
``.. peers:: FILE ...``, ``.. gpu:: FILE``, ``.. estimates:: FILE`` and ``.. networkx:: FILE`` for
the times in files of ``benchmarks/results``.
"""

import ast
import functools
import json
import re
from pathlib import Path

DOCS = Path(__file__).parent
PACKAGE = DOCS.parent / "sparsebc"
RESULTS = DOCS.parent / "benchmarks" / "results"
RESULT = re.compile(r"\b\w[\w-]*-20\d\d-\d\d-\d\d\.json\b")
SOURCES = (".py", ".cu", ".cuh")
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
    """Rows (file, summary) of a folder of the package."""
    return [
        (file.name, summary(file))
        for file in sorted(folder.iterdir())
        if file.suffix in SOURCES and file.name != "__init__.py" and summary(file)
    ]


def map_of_files():
    """A table of files for each folder of sources, below what its package says of itself."""
    for folder in sorted({file.parent for file in PACKAGE.rglob("*.*") if file.suffix in SOURCES}):
        init = folder / "__init__.py"
        said = f": {summary(init)}" if init.exists() else ""
        yield f"**{folder.relative_to(PACKAGE.parent).as_posix()}/**{said}\n"
        if rows := files(folder):
            yield table(rows)


def kernels():
    """Rows (engine, kernel, graph, counts, files) of the tables of the engines."""
    from sparsebc.engines.cpu import engine as cpu
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


def cases(files):
    """Cases of some files of results."""
    return [
        case for name in files.split() for case in json.loads((RESULTS / name).read_text())["cases"]
    ]


def seconds(value):
    """Seconds in three digits; of None, a dash."""
    return "–" if value is None else f"{value:.3g}"


def taken(result):
    """Seconds of a library, or that its values are wrong."""
    wrong = result.get("state") == "WRONG"
    return "wrong" if wrong else seconds(result.get("median_seconds"))


IN_README = (
    "bio-human-ppi-snap-pathways",
    "bio-breast-coexpress",
    "rmat-14x8",
    "road-100x100",
)
PEERS = ("igraph", "networkit", "graph-tool", "sparsebc")


def peers(files):
    """Rows of seconds beside other libraries."""
    yield ("graph", "measure", "nodes", "sources", *PEERS, "times")
    for case in cases(files):
        times = [taken(case["results"].get(name, {})) for name in PEERS]
        kind = f"{case['measure']}, by length" if case["weighted"] else case["measure"]
        size = f"{case['nodes']:,}", f"{case['sources']:,}"
        yield (case["graph"].removesuffix("w"), kind, *size, *times, f"{case['ratio']:.0f}")


def wrong(found):
    """Number of scores of a peer that differ from ours by more than its reals explain."""
    limit = "1e-05" if found.get("dtype") == "float32" else "1e-09"
    beyond, off = found.get("beyond", {}), found.get("deviation")
    if not beyond or (off is not None and off <= float(limit)):
        return 0
    return beyond.get(limit, beyond["1e-06"])


def gpu(name):
    """Rows of seconds on a GPU, beside cuGraph, and the number of its scores that are wrong."""
    yield (
        *("graph", "measure", "arcs", "sources", "sparsebc", "cuGraph"),
        *("sparsebc, on the device", "cuGraph, on the device", "wrong", "missing"),
    )
    for case in cases(name):
        ours = case["results"]["sparsebc"]["median_seconds"]
        other = case["results"].get("cugraph", {})
        theirs = other.get("median_seconds", {})
        failed = "failed" if other.get("state") == "failed" else "–"
        yield (
            *(case["graph"].partition(":")[0], case["measure"].replace("_", " ")),
            *(f"{case['arcs']:,}", f"{case['sources']:,}" + " near" * ("ball" in case["graph"])),
            seconds(ours["host"]),
            seconds(theirs["host"]) if "host" in theirs else failed,
            seconds(ours["device"]),
            seconds(theirs["prebuilt"]) if "prebuilt" in theirs else failed,
            f"{wrong(other):,} of {other['scores']:,}" if "scores" in other else "–",
            f"{other['missing']:,}" if "missing" in other else "–",
        )


def estimates(files):
    """Rows of seconds and largest errors, ours and KADABRA's."""
    yield "graph", "nodes", "epsilon", "sparsebc", "error", "KADABRA", "error"
    found = {}
    for case in cases(files):
        row = found.setdefault((case["graph"], f"{case['nodes']:,}", str(case["epsilon"])), {})
        row[case["library"]] = seconds(case["median_seconds"]), f"{case['error']:.2g}"
    for head, row in found.items():
        yield (*head, *row["sparsebc"], *row["KADABRA"])


def networkx(files):
    """Rows of seconds as NetworkX's backend, and how many times as long NetworkX takes itself."""
    measures = list(dict.fromkeys(case["measure"] for case in cases(files)))
    yield ("nodes", "edges", *(word for name in measures for word in (name, "times")))
    found = {}
    for case in cases(files):
        row = found.setdefault((f"{case['nodes']:,}", f"{case['edges']:,}"), {})
        row[case["measure"]] = seconds(case["sparsebc"]), f"{case['ratio']:,.0f}"
    for head, row in found.items():
        yield (*head, *(word for name in measures for word in row[name]))


def readme():
    """Cells of README's table: the peers, ours, and on a GPU cuGraph and ours; "" what has none."""
    on_gpu = {
        case["graph"]: [
            case["results"].get(name, {}).get("median_seconds", {}).get("host")
            for name in ("cugraph", "sparsebc")
        ]
        for case in cases("headline-nvidia-h200-2026-11-28.json")
        if case["measure"] == "betweenness"
    }
    for case in cases("cpu-2026-11-22.json"):
        if case["graph"] in IN_README:
            times = [case["results"].get(name, {}).get("median_seconds") for name in PEERS]
            times += on_gpu.get(case["graph"], [None, None])
            yield case["graph"], [f"{t:.{2 if t < 100 else 3}g}" if t else "" for t in times]


def said():
    """Pages and what they say in a sentence, with the numbers of results."""
    ratios = [
        case["ratio"]
        for case in cases("networkx-2026-11-22.json")
        if case["measure"] == "betweenness" and case["nodes"] >= 2000
    ]
    least, most = (round(ratio, -2) for ratio in (min(ratios), max(ratios)))
    yield "README.md", f"{least:,.0f} to {most:,.0f} times as fast as NetworkX"
    plain, weights = (cases(f"{name}-2026-11-29.json") for name in ("coverage", "coverage-weights"))
    graphs, runs = len({case["graph"] for case in plain}), sum(case["runs"] for case in plain)
    missed = sum(case["misses"] for case in plain)
    error = max(case["error"] for case in plain)
    yield "approximation.rst", f"On {graphs} graphs, {runs:,} runs"
    yield "approximation.rst", f"had {missed or 'no'} score outside its half-width"
    yield "approximation.rst", f"an error of {error:.3f} at most"
    runs, missed = (sum(case[name] for case in weights) for name in ("runs", "misses"))
    yield "approximation.rst", f"{missed} of {runs:,} runs had one, where {0.1 * runs:,.0f} might"
    (fast,) = (
        case["seconds"]
        for case in cases("estimates-rmat24-2026-11-29.json")
        if (case["epsilon"], case["matrix"]) == (0.001, "host")
    )
    yield "performance.rst", f"takes {fast:.1f} s to within 0.001"
    gains = [
        case["gpus"]["2"]["ratio"]
        for case in cases("scaling-2gpu-2026-11-27.json")
        if "betweenness" in case["measure"] and case["gpus"]["1"]["median_seconds"] > 0.2
    ]
    gained = f"{min(gains):.1f} to {max(gains):.1f} times as fast"
    yield "scaling.rst", f"longer ones of betweenness are {gained} on two H100s"


TIMES = {"peers": peers, "gpu": gpu, "estimates": estimates, "networkx": networkx}


def times(match):
    """The table that a line asks for."""
    head, *rows = TIMES[match[1]](match[2])
    return table(rows, head)


def fill(page):
    """The text of a page, with its tables."""
    page = re.sub(rf"^\.\. ({'|'.join(TIMES)}):: (.+)$", times, page, flags=re.M)
    page = re.sub(r"^\.\. map::$", lambda _: "\n".join(map_of_files()), page, flags=re.M)
    page = re.sub(
        r"^\.\. results::$", lambda _: table(results(), ("file", "quoted by")), page, flags=re.M
    )
    return re.sub(r"^\.\. kernels::$", lambda _: table(kernels(), COLUMNS), page, flags=re.M)
