"""The commands of the measures, such as ``sparsebc betweenness``."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from .. import centralities, strength_to_distance
from ..engines import devices
from ..graph.read_matrix import canonical
from ..io.files import write_table
from .main import (
    NETWORK,
    add_run_options,
    check_writable,
    integer,
    load,
    naming,
    numbers,
    run_options,
    show,
    table,
)

# Values of --strength, and their names in `strength_to_distance`; no argument may begin with "-".
STRENGTHS = {"reciprocal": "reciprocal", "log": "-log"}

MEASURES = {
    "betweenness": (
        "betweenness centrality of every node",
        "Betweenness centrality: of the shortest paths between two other nodes, the share that "
        "leads through a node, on average over all pairs.",
    ),
    "edge-betweenness": (
        "betweenness centrality of every edge",
        "Edge betweenness: of the shortest paths between two nodes, the share that takes an edge, "
        "on average over all pairs.",
    ),
    "stress": (
        "number of shortest paths through every node",
        "Stress centrality: the number of shortest paths between two other nodes that lead through "
        "a node.",
    ),
    "closeness": (
        "one over the mean distance to every node",
        "Closeness: one over the mean distance of a node from the others that reach it, times "
        "their share of all.",
    ),
    "harmonic": (
        "sum of one over the distances to every node",
        "Harmonic centrality: the sum of one over the distances of a node from all others.",
    ),
    "eccentricity": (
        "distance of every node to the farthest",
        "Eccentricity: how far the farthest other node is from a node; inf where it does not reach "
        "them all.",
    ),
}
OF_DISTANCES = ("closeness", "harmonic", "eccentricity")
OF_NODES = tuple(measure for measure in MEASURES if measure != "edge-betweenness")


def add(commands: Any) -> None:
    """Add a command for each measure to the parser."""
    for measure in MEASURES:
        _add_measure(commands, measure)


def _add_measure(commands: Any, measure: str) -> None:
    summary, description = MEASURES[measure]
    of_edges = measure == "edge-betweenness"
    things = "edges" if of_edges else "nodes"
    parser = commands.add_parser(
        measure,
        help=summary,
        description=f"{description} Every edge has length 1, unless --weighted or --strength "
        "says what the weights are.",
        epilog=f"example: sparsebc {measure} edges.csv --directed -o scores.csv",
    )
    add = parser.add_argument
    add("network", metavar="FILE|DATASET", help=NETWORK)
    add("--directed", action="store_true", help="edges lead from source to target only")
    add("--weighted", action="store_true", help="weights are lengths: the shortest path by length")
    add("--strength", choices=STRENGTHS,
        help="weights are strengths, such as confidences: an edge is 1/weight long, or "
        "-log(weight) for probabilities below 1")  # fmt: skip
    if of_edges or measure == "betweenness":
        add("--raw", action="store_true", help="sum over the pairs, not the average")
    if measure == "betweenness":
        add("--endpoints", action="store_true", help="count each path at its two ends as well")
    if not of_edges:
        add("--measures", type=_measures, default=(), metavar="A,B,C",
            help=f"more columns from the same traversals: {', '.join(OF_NODES)}")  # fmt: skip
    chosen = (("sources", "begin"), ("targets", "end"))
    for name, verb in chosen[:1] if measure in OF_DISTANCES else chosen:
        add(f"--{name}", nargs="+", action="extend", metavar="NODE",
            help=f"only paths that {verb} at the nodes named; put FILE|DATASET first")  # fmt: skip
    add("--k", type=integer(1), help="estimate from K sources, drawn at random")
    add("--seed", type=integer(0), help="seed of that draw; with it, the draw is repeatable")
    add("--top", type=integer(0), default=10, metavar="N",
        help=f"{things} to print, highest score first; 0 prints all (default: 10)")  # fmt: skip
    add("-o", "--output", type=Path, metavar="CSV",
        help=f"write the scores of all {things} to a file")  # fmt: skip
    if not of_edges:
        add("--plot", type=Path, metavar="IMAGE",
            help="draw degree against score, the printed nodes labelled (with --top 0: ten); the "
            "suffix decides the format; needs Matplotlib")  # fmt: skip
    add_run_options(parser)
    parser.set_defaults(command=_measure, measure=measure, usage_error=parser.error)
    if of_edges:
        parser.set_defaults(plot=None, measures=())
    if measure in OF_DISTANCES:
        parser.set_defaults(targets=None)


def _measures(text: str) -> tuple[str, ...]:
    """Argument type: names of measures of nodes, between commas."""
    names = tuple(text.split(","))
    for name in names:
        if name not in OF_NODES:
            raise argparse.ArgumentTypeError(f"expected some of {','.join(OF_NODES)}, got {name!r}")
    return names


def _measure(args: argparse.Namespace) -> None:
    if args.k and (args.sources or args.targets):
        args.usage_error("--k draws its own sources: leave out --k, or --sources and --targets")
    if args.seed is not None and not args.k:
        args.usage_error("--seed has an effect only with --k")
    for path in filter(None, (args.output, args.plot)):
        check_writable(path)
    if args.plot:
        from . import plot

        plot.check(args.plot)
    (matrix, names), directed = load(args.network, args.directed)
    if args.strength:
        with naming(matrix, names):
            matrix = strength_to_distance(matrix, STRENGTHS[args.strength])
    weighted = args.weighted or args.strength is not None
    device = devices.select(args.device).name
    titles = [name.replace("-", "_") for name in dict.fromkeys((args.measure, *args.measures))]
    flags: dict[str, Any] = {"weighted": weighted}
    if "raw" in args:
        flags["normalized"] = not args.raw
    if "endpoints" in args:
        flags["endpoints"] = args.endpoints

    begun = time.perf_counter()
    with naming(matrix, names):
        measured = centralities(
            matrix,
            titles,
            directed=directed,
            **flags,
            sources=numbers("sources", args.sources, names),
            targets=numbers("targets", args.targets, names),
            k=args.k,
            rng=args.seed,
            **run_options(args),
        )
    seconds = time.perf_counter() - begun

    graph = canonical(matrix, directed=directed)
    degrees = graph.outgoing.degrees + (graph.incoming.degrees if directed else 0)
    edges = graph.arcs if directed else graph.arcs // 2
    kind = ("directed" if directed else "undirected") + (", by length" if weighted else "")
    head = f"{args.network}: {graph.n} nodes, {edges} edges, {kind}; {seconds:.2f} s on {device}"
    if args.measure == "edge-betweenness":
        ends, measured[titles[0]] = _edges(measured[titles[0]], names, directed)
        columns = {"node": ends[0], "other node": ends[1]}
        extra: dict[str, Sequence[str]] = {}
    else:
        columns = {"node": names}
        extra = {"degree": [str(degree) for degree in degrees]}
    if args.output:
        write_table(args.output, columns, measured)
    scores = measured[titles[0]]
    if args.plot:
        plot.degree_against_score(
            args.plot, degrees, scores, names, top=args.top or 10, label=args.measure
        )
    things = "edges" if args.measure == "edge-betweenness" else "nodes"
    written = {f"scores of all {things}": args.output, "plot": args.plot}
    tail = [f"{what}: {path}" for what, path in written.items() if path]
    ranking = _ranking(columns, measured, extra, args.top or len(scores))
    show([head, "", *ranking, *([""] if tail else []), *tail])


def _edges(
    scores: scipy.sparse.csr_array, names: Sequence[str], directed: bool
) -> tuple[tuple[list[str], list[str]], NDArray[np.float64]]:
    """Names of the ends of each edge, an undirected one once, and its score."""
    coo = scores.tocoo()
    once = slice(None) if directed else coo.row < coo.col
    ends = ([names[v] for v in nodes[once]] for nodes in (coo.row, coo.col))
    return (next(ends), next(ends)), coo.data[once]


def _ranking(
    what: Mapping[str, Sequence[str]],
    measured: Mapping[str, NDArray[Any]],
    extra: Mapping[str, Sequence[str]],
    top: int,
) -> list[str]:
    """Table of the `top` rows, highest score of the first measure first; ties keep their order."""
    order = np.argsort(-next(iter(measured.values())), kind="stable")[:top]
    aligned = [_aligned(scores[order]) for scores in measured.values()]
    rows = [
        (
            str(rank),
            *(column[i] for column in what.values()),
            *scores,
            *(column[i] for column in extra.values()),
        )
        for rank, (i, *scores) in enumerate(zip(order, *aligned, strict=True), 1)
    ]
    sides = ">" + "<" * (len(what) + len(measured)) + ">" * len(extra)
    return table(("rank", *what, *measured, *extra), rows, sides)


def _aligned(scores: NDArray[np.float64]) -> list[str]:
    """Six digits each, the decimal points below each other."""
    digits = [f"{score:#.6g}".partition(".") for score in scores]
    whole = max((len(before) for before, *_ in digits), default=0)
    return [before.rjust(whole) + point + after for before, point, after in digits]
