"""The command ``sparsebc approximate``."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

from .. import approximate_betweenness
from ..engines import devices
from ..io.files import write_table
from .main import (
    NETWORK,
    add_run_options,
    check_writable,
    integer,
    load,
    naming,
    run_options,
    show,
    table,
)


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "approximate",
        help="betweenness of every node to within a given error",
        description="Betweenness centrality from sampled nodes: with the probability asked for, "
        "every score is as close to the exact one as asked for. Samples are drawn until that is "
        "proved. Every edge has length 1, unless --weighted says that the weights are lengths.",
        epilog="example: sparsebc approximate power-grid-europe --epsilon 0.05 --seed 1",
    )
    add = parser.add_argument
    add("network", metavar="FILE|DATASET", help=NETWORK)
    add("--directed", action="store_true", help="edges lead from source to target only")
    add("--weighted", action="store_true",
        help="weights are lengths: the shortest path by length")  # fmt: skip
    add("--epsilon", type=_share, required=True,
        help="largest error of a score, between 0 and 1")  # fmt: skip
    add("--delta", type=_share, default=0.1,
        help="probability of a larger one, between 0 and 1 (default: 0.1)")  # fmt: skip
    add("--rank", type=integer(1), metavar="N",
        help="stop once the N nodes of the highest scores are known in their order")  # fmt: skip
    add("--seed", type=integer(0), help="seed of the draw; with it, the draw is repeatable")
    add("--top", type=integer(0), default=10, metavar="N",
        help="nodes to print, highest score first; 0 prints all (default: 10)")  # fmt: skip
    add("-o", "--output", type=Path, metavar="CSV",
        help="write the scores and half-widths of all nodes to a file")  # fmt: skip
    add_run_options(parser)
    parser.set_defaults(command=_approximate)


def _share(text: str) -> float:
    """Argument type: numbers between 0 and 1."""
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"expected a number between 0 and 1, got {text!r}")
    return value


def _approximate(args: argparse.Namespace) -> None:
    if args.output:
        check_writable(args.output)
    (matrix, names), directed = load(args.network, args.directed)
    device = devices.select(args.device).name
    begun = time.perf_counter()
    with naming(matrix, names):
        near = approximate_betweenness(
            matrix,
            epsilon=args.epsilon,
            delta=args.delta,
            top=args.rank,
            rng=args.seed,
            directed=directed,
            weighted=args.weighted,
            **run_options(args),
        )
    seconds = time.perf_counter() - begun
    if args.output:
        scores = {"betweenness": near.scores, "half_width": near.half_widths}
        write_table(args.output, {"node": names}, scores)
    kind = ("directed" if directed else "undirected") + (", by length" if args.weighted else "")
    bound = f"within {near.half_widths.max():.2g} with probability {1 - args.delta:g}"
    head = [
        f"{args.network}: {len(names)} nodes, {kind}; {seconds:.2f} s on {device}",
        f"all {near.population} sources; every score exact"
        if near.exact
        else f"{near.samples} of {near.population} sources; every score {bound}",
    ]
    certain = set() if near.ranking is None else set(near.ranking[near.certain].tolist())
    order = np.argsort(-near.scores, kind="stable")[: args.top or len(names)]
    rows = [
        (
            str(rank),
            names[v],
            f"{near.scores[v]:.6f}",
            f"{near.half_widths[v]:.6f}",
            *(["yes" if v in certain else ""] if args.rank else []),
        )
        for rank, v in enumerate(order, 1)
    ]
    titles = ("rank", "node", "betweenness", "half-width", *(["certain"] if args.rank else []))
    tail = ["", f"scores of all nodes: {args.output}"] if args.output else []
    show([*head, "", *table(titles, rows, "><<<<"[: len(titles)]), *tail])
