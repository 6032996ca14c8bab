"""Tables that are made from the sources and from results of benchmarks.

A page asks for one by a line of its own: ``.. map::`` (which file holds what), ``.. kernels::``
(which kernel runs when), ``.. results::`` (which page quotes which result), and
``.. peers:: FILE``, ``.. backend:: FILE``, ``.. gpu:: FILE`` and ``.. estimates:: FILE`` for the
times in files of ``benchmarks/results``.
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
OF_LENGTH = {None: "any", True: "by length", False: "by edges"}
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
                f"*{kernel.name}*: {kernel.summary}",
                kernel.graph or OF_LENGTH[kernel.by_length],
                kernel.counts,
                files,
            )


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


def result(name):
    """A file of results."""
    return json.loads((RESULTS / name).read_text())


def seconds(value):
    """Seconds in three digits; of None, a dash."""
    return "–" if value is None else f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


IN_README = {
    "bio-human-ppi-snap-pathways": "SNAP human proteins",
    "bio-breast-coexpress": "co-expression",
    "rmat-14x8": "R-MAT",
    "road-100x100": "road grid",
}
PEERS = ("networkx", "igraph", "networkit", "rustworkx", "graph-tool")
ON_A_GPU = ("cugraph", "sparsebc")


def wrong(found):
    """Number of scores of a peer that differ from ours by more than its reals explain."""
    limit = "1e-05" if found.get("dtype") == "float32" else "1e-09"
    beyond, off = found.get("beyond", {}), found.get("deviation")
    if not beyond or (off is not None and off <= float(limit)):
        return 0
    return beyond.get(limit, beyond["1e-06"])


def on_cpu(case, name):
    """Seconds of a library from all sources, scaled from those that it ran from; or None."""
    found = case["results"][name]
    taken = found["median_seconds"].get("host")
    return taken and taken * case["sources"] / found.get("sources", case["sources"])


def stopped(found):
    """Seconds after which a library was stopped before it had scores; or None."""
    after = re.match(r"killed after (\d+) s", found.get("note", ""))
    return int(after[1]) if after and "host" not in found["median_seconds"] else None


def told(case, name):
    """Seconds of a library, or "wrong"; with a sign if they are scaled, or it was stopped."""
    found = case["results"][name]
    if stopped(found):
        return f">{stopped(found)}"
    scaled = "≈" * (found.get("sources", case["sources"]) < case["sources"])
    return "wrong" if wrong(found) else scaled + seconds(on_cpu(case, name))


def times_of_fastest(case):
    """How many times as long the fastest library with right values takes, at least."""
    found = {peer: case["results"][peer] for peer in PEERS}
    least = {
        peer: stopped(result) or on_cpu(case, peer)
        for peer, result in found.items()
        if not wrong(result)
    }
    peer = min((peer for peer in least if least[peer]), key=least.get)
    return ">" * bool(stopped(found[peer])) + f"{least[peer] / on_cpu(case, 'sparsebc'):.2g}"


def on_cpus(cases):
    """Cases of a file that have peers of a CPU."""
    return [case for case in cases if "igraph" in case.get("results", {})]


def peers(name):
    """Rows of seconds beside other libraries."""
    yield ("graph", "measure", "nodes", *PEERS, "sparsebc", "times")
    for case in on_cpus(result(name)["cases"]):
        kind = case["measure"].replace("_", " ") + ", by length" * case["weighted"]
        yield (
            case["graph"].removesuffix("w"),
            kind,
            f"{case['nodes']:,}",
            *(told(case, peer) for peer in (*PEERS, "sparsebc")),
            times_of_fastest(case),
        )


def backend(name):
    """Rows of seconds as a backend of NetworkX, and how many times as long NetworkX takes."""
    yield "graph", "measure", "nodes", "edges", "sparsebc", "NetworkX", "times"
    for case in on_cpus(result(name)["cases"]):
        ours = case["results"]["networkx"]["median_seconds"].get("backend")
        kind = case["measure"].replace("_", " ") + ", by length" * case["weighted"]
        yield (
            *(case["graph"].removesuffix("w"), kind, f"{case['nodes']:,}"),
            f"{case['arcs'] // (1 if case['directed'] else 2):,}",
            *(seconds(ours), told(case, "networkx")),
            f"{on_cpu(case, 'networkx') / ours:,.0f}",
        )


def gpu(name):
    """Rows of seconds on a GPU, beside cuGraph, and the number of its scores that are wrong."""
    yield (
        *("graph", "measure", "arcs", "sources", "sparsebc", "cuGraph"),
        *("sparsebc, on the device", "cuGraph, on the device", "wrong", "missing"),
    )
    for case in result(name)["cases"]:
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


def estimates(name):
    """Rows of seconds and largest errors, ours and KADABRA's."""
    yield "graph", "nodes", "epsilon", "sparsebc", "error", "KADABRA", "error"
    found = {}
    rows = (row for case in result(name)["cases"] for row in case.get("estimates", ()))
    for case in rows:
        row = found.setdefault((case["graph"], f"{case['nodes']:,}", str(case["epsilon"])), {})
        row[case["library"]] = seconds(case["median_seconds"]), f"{case['error']:.2g}"
    for head, row in found.items():
        yield (*head, *row["sparsebc"], *row["KADABRA"])


def readme():
    """Rows of README's table: the peers, ours, cuGraph, and ours on a GPU, as performance has."""
    page = (DOCS / "performance.rst").read_text("utf-8")
    on_two_cores, on_a_gpu = (re.search(rf"{kind}:: (.+)", page)[1] for kind in ("peers", "gpu"))
    exact = {
        case["graph"]: [case["results"].get(name, {"median_seconds": {}}) for name in ON_A_GPU]
        for case in result(on_a_gpu)["cases"]
        if case["measure"] == "betweenness"
    }
    here = {case["case"]: case for case in on_cpus(result(on_two_cores)["cases"])}
    for graph in IN_README:
        if case := here.get(f"betweenness {graph}"):
            cells = [told(case, name) for name in PEERS if name != "rustworkx"]
            there = exact.get(graph, [{"median_seconds": {}}] * len(ON_A_GPU))
            cells += [told(case, "sparsebc")]
            cells += [
                "wrong" if wrong(found) else seconds(found["median_seconds"].get("host"))
                for found in there
            ]
            size = f"{case['nodes']:,}", f"{case['arcs'] // 2:,}"
            yield "| " + " | ".join((IN_README[graph], *size, *cells)) + " |"


def said():
    """Pages and what they say in a sentence, with the numbers of results."""
    plain, weights = (
        result(f"{name}-2026-11-29.json")["cases"] for name in ("coverage", "coverage-weights")
    )
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
        for case in result("estimates-rmat24-2026-11-29.json")["cases"]
        if (case["epsilon"], case["matrix"]) == (0.001, "host")
    )
    yield "performance.rst", f"takes {fast:.1f} s to within 0.001"
    gains = [
        case["gpus"]["2"]["ratio"]
        for case in result("scaling-2gpu-2026-11-27.json")["cases"]
        if "betweenness" in case["measure"] and case["gpus"]["1"]["median_seconds"] > 0.2
    ]
    gained = f"{min(gains):.1f} to {max(gains):.1f} times as fast"
    yield "scaling.rst", f"longer ones of betweenness are {gained} on two H100s"


TIMES = {"peers": peers, "backend": backend, "gpu": gpu, "estimates": estimates}


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
