"""Results of commands: columns, units and notes; files, a terminal, rows in a pipe, JSON."""

import argparse
import contextlib
import itertools
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..errors import SparsebcError, imported
from ..io.names import check_texts, check_unique
from ..io.output_file import check_path, suffix_of
from ..io.write import SUFFIXES, Table, pairs_of, table_of
from ..plain_text import as_json
from . import plot
from .commands import NETWORKS, PAGES, PLOTS
from .network import links
from .printing import Cells, show, table
from .query import Query

LINES = 10  # rows on a terminal, unless --top says how many
_LIST = re.compile(r"(--[a-z-]+=)?@")  # begins an argument that names a list


class Result(NamedTuple):
    """What a command found.

    Attributes
    ----------
    table : function
        All rows, with the provenance that it is given.
    shown : dict of str to Cells
        Columns on a terminal.
    said : tuple of str
        Lines below the table.
    title : str
        What was computed, for the head of a page.
    counts, facts : dict
        Numbers of what was read, besides the nodes, and other facts of the JSON object.
    order : array, optional
        Rows by rank; they are ranked as they are by default.
    graph : dict
        ``nodes`` or ``edges`` with columns of scores, for a network or a page.
    page : dict
        Arguments of a page besides them.
    scores : tuple of str
        Columns shown that are scores of a measure; how they are normalized is said first.
    linked : bool
        Whether degrees stand beside the scores, or are plotted against them, and edges are counted.
    stopped : BaseException, optional
        What stopped an estimate early.
    """

    table: Callable[[Mapping[str, Any] | None], Table]
    shown: Mapping[str, Cells]
    said: tuple[str, ...]
    title: str
    counts: Mapping[str, int] = {}
    facts: Mapping[str, Any] = {}
    order: Any = None
    graph: Mapping[str, Any] = {}
    page: Mapping[str, Any] = {}
    scores: tuple[str, ...] = ()
    linked: bool = False
    stopped: BaseException | None = None


def check(given: argparse.Namespace) -> str:
    """Suffix of the output; raise, before the computation, if it could not be written."""
    if given.output is None:
        if sys.stdout is None:
            raise SparsebcError("standard output is closed: use -o FILE to write the scores")
        return ""
    if str(given.output).startswith(("/dev/", "/proc/self/fd/")):
        way = f"leave out -o, and write > {given.output}"
        raise SparsebcError(f"{given.output} is not a file: {way}")
    more = [one for one in given.command.formats if not (given.estimates and one in PLOTS)]
    suffix = suffix_of(given.output, (*SUFFIXES, *more))
    if suffix in PAGES:
        from ..reports import report  # which takes longer to import than a small run

        report.check()
    elif suffix in PLOTS:
        way = "a plot needs Matplotlib, which is not installed: python -m pip install matplotlib"
        imported("matplotlib.backend_bases", way)
    check_path(given.output)
    return suffix


def check_read(query: Query, suffix: str) -> None:
    """Raise, before the computation, if what was read is in the way of the output.

    That are names of nodes which its format cannot hold, and a file that it would replace.
    """
    if not suffix:
        return
    names, output = query.network.names, query.given.output
    check_texts(names, xml=suffix in NETWORKS)
    if suffix in NETWORKS or suffix in PAGES:
        check_unique(names)
    # Lists of numbers and words are read as the line is parsed.
    lists = [one.partition("@")[2] for one in query.given.line if _LIST.match(one)]
    for one in (*query.given.digests, *lists):
        if os.path.exists(output) and os.path.exists(one) and os.path.samefile(output, one):
            found = f"{output} is a file that the command reads"
            raise SparsebcError(f"{found}: give the name of another")


def deliver(query: Query, result: Result, suffix: str) -> None:
    """Write the file of --output, and print what standard output is for.

    What could not be written is kept in a temporary folder, which the error names.
    """
    given = query.given
    if given.output is not None:
        try:
            _write(query, result, suffix, given.output)
        except OSError as error:
            if error.filename is None and error.strerror:
                error.filename = given.output
            folder = Path(tempfile.mkdtemp(prefix="sparsebc-"))
            kept = folder / Path(given.output).name
            try:
                _write(query, result, suffix, kept)
            except Exception:
                shutil.rmtree(folder, ignore_errors=True)
            else:
                error.add_note(f"(the results are kept in {kept})")
            raise
    if sys.stdout is None:
        return
    if given.json:
        _show_json(query, result)
        return
    if sys.stdout.isatty():
        show(_lines(query, result))
    elif given.output is None:
        with _stdout() as file:
            file.writelines(_limited(query, result, None).lines("\t"))
    elif given.top and suffix not in PLOTS:
        query.notes.append(f"{given.output} has all rows: -n is for what is printed")
    if query.notes and not given.quiet:
        show([f"note: {note}" for note in query.notes], aside=True)


def tell_plan(query: Query) -> None:
    """Print the plan of a measure, with those options of the command that the measure takes."""
    from .. import explain

    del query.keywords["progress"]
    plan, label = query.compute(explain, *query.given.measure), query.network.label
    if query.given.json:
        told = {"network": label, "plan": plan.to_dict(), "notes": query.notes}
        show([as_json(told)], json=True)
        return
    show([f"{label}: a plan, nothing is computed", "", *str(plan).split("\n")])
    if query.notes and not query.given.quiet:
        show([f"note: {note}" for note in query.notes], aside=True)


def _write(query: Query, result: Result, suffix: str, path: Any) -> None:
    """Write the table, the network with scores, the page or the plot to a file."""
    network, notes = query.network, {"notes": query.notes} if query.notes else {}
    provenance = query.provenance | notes
    if suffix in NETWORKS:
        from ..io import write_network

        how = {"directed": network.directed, "provenance": provenance, **result.graph}
        write_network(path, network.counted(), network.names, **how)
    elif suffix in PAGES:
        _page(query, path, result)
    elif suffix in PLOTS:
        scores, name = next(iter(result.graph["nodes"].values())), query.given.command.name
        top = query.given.top or LINES
        degrees, _ = links(network.matrix, directed=network.directed)
        plot.degree_against_score(path, degrees, scores, network.names, top=top, label=name)
    else:
        is_told = suffix == ".parquet" or query.given.provenance
        result.table(provenance if is_told else None).write(path)


def _page(query: Query, path: Any, result: Result) -> None:
    """Write the page of a result."""
    from ..reports import content, report

    network, how = query.network, {**result.graph, **result.page}
    listings, notes = how.pop("listings", ()), how.pop("notes", ())
    label = re.sub(r"\.(gz|bz2|xz|zip)$", "", Path(network.label).name)
    titles = (*how.get("nodes", ()), *how.get("edges", ()))
    shown = content.compose(
        network.counted(),
        network.names,
        directed=network.directed,
        positions=network.positions,
        geographic=network.geographic,
        title=f"{result.title} of {label}",
        notes=[*notes, *query.notes],
        listings=[
            (title, {name: values for name, (values, _) in columns.items()}, curve)
            for title, columns, curve in listings
        ],
        provenance=query.provenance,
        units={title: unit for title in titles if (unit := _unit(query, title))},
        **how,
    )
    report.write(path, shown)


@contextlib.contextmanager
def _stdout() -> Iterator[Any]:
    """Standard output in UTF-8; unchanged if it has no descriptor, as in a notebook."""
    sys.stdout.flush()
    try:
        number = sys.stdout.fileno()
    except (AttributeError, OSError):
        yield sys.stdout
        return
    try:
        with open(number, "w", encoding="utf-8", newline="", closefd=False) as file:
            yield file
    except OSError as error:
        error.filename = "standard output"
        raise


def _limited(query: Query, result: Result, provenance: Any) -> Table:
    """Table of all rows, or by rank if --top says how many."""
    rows, top = result.table(provenance), query.given.top
    if top is None:
        return rows
    if result.order is None:
        return rows._replace(rows=itertools.islice(rows.rows, top or None))
    every = list(rows.rows)
    return rows._replace(rows=[every[row] for row in result.order[: top or None]])


def _lines(query: Query, result: Result) -> list[str]:
    """Table of the highest rows, what it is, and the file that was written."""
    given, network, shown, counts = query.given, query.network, result.shown, result.counts
    if result.linked:
        degrees, edges = links(network.matrix, directed=network.directed)
        shown, counts = {**shown, "degree": (degrees, ">")}, {"edges": edges}
    count = len(next(iter(shown.values()))[0])
    order = range(count) if result.order is None else result.order
    order = order[: count if given.top == 0 else given.top or LINES]
    columns: dict[str, Cells] = {
        title: ([values[row] for row in order], spec) for title, (values, spec) in shown.items()
    }
    if result.order is not None:
        columns = {"rank": (range(1, len(order) + 1), ">"), **columns}
    more = [f"{count - len(order)} more rows: -n all"] * (len(order) < count)
    file = [f"all rows: {given.output}"] if given.output is not None else []
    counts = {"nodes": len(network.names), **counts}
    size = ", ".join(f"{number} {what}" for what, number in counts.items())
    kind = "directed" if network.directed else "undirected"
    by = ", by length" if network.use is not None else ""
    place = f"{query.seconds:.2f} s on {query.provenance['device']}"
    summary = f"{network.label}: {size}, {kind}{by}; {place}"
    said = [f"{title.replace('_', ' ')}: {said_of(query, title)}" for title in result.scores]
    return [*table(columns), "", summary, *said, *result.said, *more, *file]


def _show_json(query: Query, result: Result) -> None:
    """Print one object with all rows, in which a number that is not finite is null."""
    found = _limited(query, result, None)
    titles, rows = [title.replace("-", "_") for title in found.types], []
    texts_of = [title for title, kind in found.types.items() if kind.kind == "O"]
    infinite: dict[str, list[Any]] = {}
    for cells in found.rows:
        row = dict(zip(titles, cells, strict=True))
        rows.append(row)
        for title, cell in row.items():
            if isinstance(cell, float) and cell in (np.inf, -np.inf):
                names = [row[one] for one in texts_of if one != "predecessor"]
                infinite.setdefault(title, []).append(names[0] if len(names) == 1 else names)
    network, counts = query.network, result.counts
    if result.linked:
        counts = {"edges": links(network.matrix, directed=network.directed)[1]}
    facts = {
        "network": network.label,
        "nodes": len(network.names),
        "directed": network.directed,
        "by_length": network.use is not None,
        "seconds": query.seconds,
        **counts,
        **result.facts,
    }
    more = {"infinite": infinite} if infinite else {}
    more |= {"file": query.given.output} if query.given.output is not None else {}
    ends = {"notes": query.notes, "provenance": query.provenance}
    show([as_json({**facts, "rows": rows, **more, **ends})], json=True)


# Units of scores; with lengths of edges, "edges" is replaced by "length".
UNITS = {
    "betweenness": "share of all pairs",
    "edge_betweenness": "share of all pairs",
    "percolation": "share of all pairs, weighted by states",
    "stress": "paths",
    "closeness": "1 / edges",
    "harmonic": "1 / edges",
    "eccentricity": "edges",
    "accessibility": "places",
    "nearest": "edges",
    "temporal_betweenness": "share of all pairs",
    "temporal_foremost_betweenness": "share of all pairs",
    "temporal_closeness": "1 / contacts",
    "temporal_reach": "nodes",
    "component_size": "nodes",
    "community_size": "nodes",
}
# How scores are said below a table; the others, by their unit.
SAID = {
    "closeness": "1 / mean distance, times the share of nodes within reach",
    "harmonic": "sum of 1 / distance",
    "eccentricity": "largest distance",
    "nearest": "distance",
}


def parts(
    query: Query, labels: Any, what: str, title: str, said: str, facts: dict[str, Any]
) -> Result:
    """Result of a label for each node, shown as a row for each part, the largest first."""
    names, sizes = np.array(query.network.names, dtype=object), np.bincount(labels)
    order = np.argsort(-sizes, kind="stable")
    first = names[np.unique(labels, return_index=True)[1]]
    shown = {
        what: (order, ">"),
        "nodes": (sizes[order], ">"),
        "first": (first[order], "<"),
    }
    size = {f"{what}_size": sizes[labels]}
    columns = {what: labels, **size}
    return Result(
        partial(table_of, {"node": query.network.names}, columns),
        shown,
        (said,),
        title,
        facts=facts,
        graph={"nodes": columns},
        page={"listings": [(title, shown, ())], "nodes": {**size, what: labels.astype(str)}},
    )


def searches(
    query: Query,
    found: Mapping[str, Any],
    sources: list[str],
    spec: str,
    title: str,
    counts: Mapping[str, int] = {},
) -> Result:
    """Result of a row for each source and node, shown as a row for each source."""
    (name, values), *_ = found.items()
    names = query.network.names
    targets = [names[v] for v in query.keywords.get("targets", range(len(names)))]
    reached = np.isfinite(values)
    shown = {
        "source": (sources, "<"),
        "reached": (reached.sum(axis=1) - np.isin(sources, targets), ">"),
        title: (np.where(reached, values, -np.inf).max(axis=1), spec),
    }
    said = (f"{title}: largest {name} of the nodes reached",)
    return Result(partial(pairs_of, found, sources, targets), shown, said, title, counts)


def ranked(
    named: Mapping[str, Sequence[str]],
    scores: Mapping[str, Any],
    values: Mapping[str, Any] | None = None,
    *,
    by: Any = None,
    beside: Mapping[str, Cells] = {},
    counts: Mapping[str, int] = {},
) -> Result:
    """Result of scores with columns of names, ranked by the first or ``by``; ties keep the order.

    ``values`` are all columns of numbers; ``beside``, columns that only a terminal shows.
    """
    first = next(iter(scores.values())) if by is None else by
    shown: dict[str, Cells] = {title: (column, "<") for title, column in named.items()}
    shown |= {title: (column, "<#.6g") for title, column in scores.items()}
    measures = ", ".join(scores).replace("_", " ")
    values = scores if values is None else values
    return Result(
        partial(table_of, named, values),
        {**shown, **beside},
        (),
        f"{measures[:1].upper()}{measures[1:]}",
        counts,
        order=np.argsort(-first, kind="stable"),
        graph={"nodes": values},
        page={"nodes": scores},
        scores=tuple(scores),
    )


def _unit(query: Query, title: str) -> str:
    """Unit of the scores of a title, such as ``betweenness``, or ``betweenness_400`` by cutoff."""
    unit = max((name for name in UNITS if title.startswith(name)), key=len, default="")
    unit = UNITS.get(unit, "")
    unit = unit.replace("share of all ", "") if query.given.raw else unit
    return unit.replace("edges", "length") if query.network.use is not None else unit


def said_of(query: Query, title: str) -> str:
    """What the scores of a title are, and how they are normalized."""
    name = next((name for name in SAID if title.startswith(name)), "")
    if name and query.network.use is not None:
        return f"{SAID[name]}, by length"
    unit = SAID.get(name) or _unit(query, title)
    return f"sum over {unit}" if query.given.raw else unit


def by_cutoff(query: Query, found: Mapping[str, Any]) -> dict[str, Any]:
    """Results of several cutoffs by title, one for each measure and cutoff: ``name_cutoff``."""
    fields = ("score", "mean", "std", "z", "p", "q", "low", "high")
    by_title: dict[str, Any] = {}
    for name, every in found.items():
        for index, cutoff in enumerate(query.given.cutoff):
            if isinstance(every, list):
                one = every[index]
            elif isinstance(every, np.ndarray):
                one = every[:, index]
            else:
                columns = {field: getattr(every, field)[:, index] for field in fields}
                one = replace(every, **columns)
            by_title[f"{name}_{cutoff}"] = one
    return by_title


def remark(query: Query, found: Mapping[str, Any]) -> None:
    """Note what the scores are of: their denominator, sampling, and infinite eccentricities."""
    given, n, keywords = query.given, len(query.network.names), query.keywords
    weighs = given.source_weights or given.target_weights or given.demand
    if (given.sources or given.targets) and not weighs and "normalized" not in keywords:
        if "--raw" in given.command.options:
            both_ends = given.command.name == "edge-betweenness" or given.endpoints
            pairs = n * (n - 1) if both_ends else (n - 1) * (n - 2)
            pairs //= 1 if query.network.directed else 2
            query.notes.append(
                f"normalized by all {pairs} pairs, not only the selected ones; --raw gives sums"
            )
    if keywords.get("k", n) < n:
        remark_on_estimate(query, f"{given.samples} of {n} sources")
    far = [scores for title, scores in found.items() if title.startswith("eccentricity")]
    if np.isinf(far).any():
        query.notes.append(
            "eccentricity is inf where a node does not reach all others; the command eccentricity "
            "with --reachable-only counts those that it reaches"
        )


def remark_on_estimate(query: Query, samples: str) -> None:
    """Note that scores are estimates, which their provenance then records."""
    query.provenance["estimate"] = True
    drawn = f"drawn with seed {query.given.seed}"
    query.notes.append(f"these are estimates, from {samples} {drawn}; no score is exact")


def marks_of(n: int, groups: Sequence[Any], scores: Any, title: str) -> dict[str, Any]:
    """Columns of nodes: highest score of the groups with the node (else NaN), and their numbers."""
    highest, numbers = np.full(n, np.nan), [""] * n
    for number, (nodes, score) in enumerate(zip(groups, scores, strict=True), 1):
        highest[nodes] = np.fmax(highest[nodes], score)
        for v in nodes:
            numbers[v] = f"{numbers[v]} {number}".lstrip()
    return {"score": highest, title: numbers}
