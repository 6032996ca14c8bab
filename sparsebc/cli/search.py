"""The commands ``sparsebc bfs``, ``sparsebc paths`` and ``sparsebc components``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import bfs, connected_components, io, shortest_paths
from .main import NETWORK, check_writable, device, integer, load, naming, numbers, show, table


def add(commands: Any) -> None:
    """Add the three commands to the parser."""
    levels = _parser(
        commands,
        "bfs",
        _bfs,
        "number of edges from some nodes to all",
        "Breadth-first searches: the number of edges on a shortest path from each source to every "
        "node.",
        "sparsebc bfs karate --sources 1 34 -o levels.csv",
    )
    paths = _parser(
        commands,
        "paths",
        _paths,
        "shortest paths from some nodes to all",
        "Shortest paths from each source to every node: their lengths, and the node before the "
        "last.",
        "sparsebc paths power-grid-europe --sources 1 --weighted -o distances.csv",
    )
    for parser, what in ((levels, "levels"), (paths, "distances")):
        parser.add_argument("--sources", nargs="+", action="extend", metavar="NODE", required=True,
            help="where to start; put FILE|DATASET first")  # fmt: skip
        parser.add_argument("-o", "--output", type=Path, metavar="CSV",
            help=f"write the {what}: a line for each source, a column for each node")  # fmt: skip
        parser.add_argument("--workers", type=integer(1), help="threads (default: one per CPU)")
        parser.add_argument("--quiet", action="store_true", help="show no progress bar")
    paths.add_argument("--weighted", action="store_true", help="weights are lengths of edges")
    paths.add_argument("--predecessors", type=Path, metavar="CSV",
        help="write the node before the last of each path, in the same layout")  # fmt: skip
    parser = _parser(
        commands,
        "components",
        _components,
        "sets of nodes that paths join",
        "Connected components, the largest first.",
        "sparsebc components edges.csv --directed --strong -o components.csv",
    )
    parser.add_argument("--strong", action="store_true",
        help="nodes that reach each other along the edges; needs a directed network")  # fmt: skip
    parser.add_argument("--top", type=integer(0), default=10, metavar="N",
        help="components to print, the largest first; 0 prints all (default: 10)")  # fmt: skip
    parser.add_argument("-o", "--output", type=Path, metavar="CSV",
        help="write the component of each node")  # fmt: skip


def _parser(
    commands: Any, name: str, command: Any, summary: str, description: str, example: str
) -> Any:
    parser = commands.add_parser(
        name, help=summary, description=description, epilog=f"example: {example}"
    )
    parser.add_argument("network", metavar="FILE|DATASET", help=NETWORK)
    parser.add_argument(
        "--directed", action="store_true", help="edges lead from source to target only"
    )
    parser.add_argument(
        "--device",
        type=device,
        help="where to search: cpu, cuda, cuda:1 (default: a GPU if there is one)",
    )
    parser.set_defaults(command=command, usage_error=parser.error)
    return parser


def _bfs(args: argparse.Namespace) -> None:
    matrix, names, directed, sources = _problem(args, [args.output])
    levels = bfs(matrix, sources, directed=directed, **_options(args))
    if args.output:
        io.write_matrix(args.output, levels, args.sources, names)
    _report(args, levels, levels >= 0, "levels", {"levels": args.output})


def _paths(args: argparse.Namespace) -> None:
    matrix, names, directed, sources = _problem(args, [args.output, args.predecessors])
    with naming(matrix, names):
        distances, predecessors = shortest_paths(
            matrix, sources, directed=directed, weighted=args.weighted, **_options(args)
        )
    if args.output:
        io.write_matrix(args.output, distances, args.sources, names)
    if args.predecessors:
        named = np.array([*names, ""], dtype=object)
        before = named[np.where(predecessors < 0, len(names), predecessors)]
        io.write_matrix(args.predecessors, before, args.sources, names)
    files = {"distances": args.output, "predecessors": args.predecessors}
    _report(args, distances, np.isfinite(distances), "farthest", files)


def _components(args: argparse.Namespace) -> None:
    matrix, names, directed, _ = _problem(args, [args.output])
    if args.strong and not directed:
        args.usage_error("--strong has an effect only with --directed")
    count, labels = connected_components(
        matrix,
        directed=directed,
        connection="strong" if args.strong else "weak",
        device=args.device,
    )
    if args.output:
        io.write_scores(args.output, {"component": labels}, names)
    sizes = np.bincount(labels, minlength=count)
    first = np.unique(labels, return_index=True)[1]
    largest = np.argsort(-sizes, kind="stable")[: args.top or count]
    rows = [(str(label), str(sizes[label]), names[first[label]]) for label in largest]
    plural = "" if count == 1 else "s"
    head = f"{args.network}: {len(names)} nodes, {count} component{plural}"
    _print(head, table(("component", "nodes", "first"), rows, ">><"), {"components": args.output})


def _problem(
    args: argparse.Namespace, files: Sequence[Path | None]
) -> tuple[Any, Sequence[str], bool, list[int]]:
    """Matrix, names, direction and sources, once it is known that the files can be written."""
    for path in filter(None, files):
        check_writable(path)
    (matrix, names), directed = load(args.network, args.directed)
    return matrix, names, directed, numbers("sources", getattr(args, "sources", None), names) or []


def _options(args: argparse.Namespace) -> dict[str, Any]:
    options = {"device": args.device, "workers": args.workers}
    return {**options, "progress": sys.stderr.isatty() and not args.quiet}


def _report(
    args: argparse.Namespace,
    values: NDArray[Any],
    reached: NDArray[np.bool_],
    title: str,
    files: dict[str, Path | None],
) -> None:
    """For each source, how many other nodes it reaches and how far the farthest is."""
    farthest = np.where(reached, values, 0).max(axis=1)
    rows = [
        (source, str(count - 1), f"{far:.6g}")
        for source, count, far in zip(args.sources, reached.sum(axis=1), farthest, strict=True)
    ]
    head = f"{args.network}: {values.shape[1]} nodes"
    _print(head, table(("source", "reached", title), rows, "<>>"), files)


def _print(head: str, lines: list[str], files: dict[str, Path | None]) -> None:
    tail = [f"{what}: {path}" for what, path in files.items() if path]
    show([head, "", *lines, *([""] if tail else []), *tail])
