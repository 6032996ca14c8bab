"""The commands of the measures, such as ``sparsebc betweenness``."""

from __future__ import annotations

import argparse
import time
from contextlib import nullcontext
from typing import Any

from . import node_values
from .common import (
    add_checkpoint,
    add_cutoff,
    add_dry_run,
    add_network,
    add_output,
    add_positions,
    add_run_options,
    add_weights,
    check_checkpoint,
    integer,
    run_options,
    use_of_weights,
)

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
        aliases=["edge_betweenness"] if of_edges else [],
        help=summary,
        description=f"{description} Every edge has length 1, unless --weighted or --strength "
        "says what the weights are.",
        epilog=f"example: sparsebc {measure} edges.csv --directed -o scores.csv",
    )
    add = parser.add_argument
    add_network(parser)
    add_weights(parser)
    is_average = of_edges or measure == "betweenness"
    if is_average:
        add("--raw", action="store_true", help="sum over the pairs, not the average")
    if measure == "betweenness":
        add("--endpoints", action="store_true", help="count each path at its two ends as well")
    if measure == "eccentricity":
        add("--reachable-only", action="store_true",
            help="the farthest of the nodes that a node reaches, not inf")  # fmt: skip
    if not of_edges:
        add("--measures", type=_measures, default=(), metavar="A,B,C",
            help=f"more columns from the same traversals: {', '.join(OF_NODES)}")  # fmt: skip
    add_cutoff(parser)
    chosen = (("sources", "begin"), ("targets", "end"))
    divided = "; scores are divided by all pairs, unless --raw" if is_average else ""
    for name, verb in chosen[:1] if measure in OF_DISTANCES else chosen:
        add(f"--{name}", nargs="+", action="extend", metavar="NODE",
            help=f"only paths that {verb} at the nodes named; put FILE|DATASET first"
            f"{divided}")  # fmt: skip
    if measure not in OF_DISTANCES:
        for name, verb in chosen:
            add(f"--{name[:-1]}-weights", metavar=node_values.VALUES,
                help=f"pairs count by this number of the node where they {verb}, "
                f"{node_values.FROM}")  # fmt: skip
    add("--k", type=integer(1), help="estimate from K sources, drawn at random")
    add("--seed", type=integer(0), help="seed of that draw; with it, the draw is repeatable")
    add("--top", type=integer(0), default=10, metavar="N",
        help=f"{things} to print, highest score first; 0 prints all (default: 10)")  # fmt: skip
    add_output(parser, f"the scores of all {things}", networks=True)
    add_positions(parser)
    if not of_edges:
        add("--plot", metavar="IMAGE",
            help="draw degree against score, the printed nodes labelled (with --top 0: ten); the "
            "suffix decides the format; needs Matplotlib")  # fmt: skip
    add_run_options(parser)
    add_dry_run(parser)
    if measure not in OF_DISTANCES:
        add_checkpoint(parser)
    parser.set_defaults(command=_measure, measure=measure, usage_error=parser.error)
    if of_edges:
        parser.set_defaults(plot=None, measures=())
    if measure in OF_DISTANCES:
        parser.set_defaults(targets=None, source_weights=None, target_weights=None)


def _measures(text: str) -> tuple[str, ...]:
    """Argument type: names of measures of nodes, between commas."""
    names = tuple(name.strip() for name in text.split(","))
    for name in names:
        if name not in OF_NODES:
            raise argparse.ArgumentTypeError(f"expected some of {','.join(OF_NODES)}, got {name!r}")
    return names


def _measure(args: argparse.Namespace) -> None:
    if args.k and (args.sources or args.targets):
        args.usage_error("--k draws its own sources: leave out --k, or --sources and --targets")
    if args.k and (args.source_weights or args.target_weights):
        args.usage_error("--k samples pairs that count one each: leave out --k, or the weights")
    if args.seed is not None and not args.k:
        args.usage_error("--seed has an effect only with --k")
    check_checkpoint(args)
    from . import ahead, explain, merge, outputs, page, plot, provenance
    from .inputs import calling, counted, lengths, numbers, on_cutoffs, on_weights, summary

    page.check(args)
    if args.k:
        provenance.draw_seed(args)
    network, facts = provenance.load(args, outputs.ALL)
    import numpy as np

    from .. import centralities, compute_part, eccentricity, io
    from ..engines import devices
    from ..graph.read_matrix import canonical
    from .ranking import by_cutoff, edges, ranking, records

    matrix, names, directed = network.matrix, network.names, network.directed
    places = page.positions(args.positions, names)
    use = use_of_weights(args)
    titles = [name.replace("-", "_") for name in dict.fromkeys((args.measure, *args.measures))]
    options: dict[str, Any] = {
        "directed": directed,
        "weighted": use is not None,
        "sources": numbers("sources", args.sources, network),
        "k": args.k,
        "rng": args.seed,
    }
    if args.cutoff:
        numbers_of = [float(one) for one in args.cutoff]
        options["cutoff"] = numbers_of if len(numbers_of) > 1 else numbers_of[0]
    flags: dict[str, Any] = {"targets": numbers("targets", args.targets, network)}
    if "raw" in args:
        flags["normalized"] = not args.raw
    if "endpoints" in args:
        flags["endpoints"] = args.endpoints
    told: list[str] = []
    for option in ("source-weights", "target-weights"):
        table = getattr(args, option.replace("-", "_"))
        if table is not None:
            flags[option.replace("-", "_")] = node_values.read(option, table, network, told)
    reachable_only = getattr(args, "reachable_only", False)
    if args.dry_run:
        explain.show(args, network, titles, options | flags)
        return

    of_paths = [name for name in titles if name not in OF_DISTANCES]
    with calling(network, use):
        device = devices.select(args.device).name
        A = lengths(network, use)
        begun = time.perf_counter()
        run = run_options(args)
        if getattr(args, "part", None) is not None:
            count = compute_part(A, of_paths, args.part, **options, **flags, **run)
            merge.tell_part(args, network, count, time.perf_counter() - begun, device)
            return
        asked = [name for name in titles if not (reachable_only and name == "eccentricity")]
        # With an executor, workers compile for themselves.
        is_here = of_paths and use is None and device == "cpu" and args.executor is None
        with ahead.compiling_ahead(args.dtype) if is_here else nullcontext():
            found = centralities(A, asked, **options, **flags, **run) if asked else {}
        if reachable_only:
            del run["dtype"]
            found["eccentricity"] = eccentricity(A, reachable_only=True, **options, **run)
        seconds = time.perf_counter() - begun
    found = by_cutoff({name: found[name] for name in titles}, args.cutoff)
    measured: dict[str, Any] = dict(found)

    graph = canonical(matrix, directed=directed)
    degrees = graph.outgoing.degrees + (graph.incoming.degrees if directed else 0)
    count = graph.arcs if directed else graph.arcs // 2
    head, told_of_run = summary(network, use, seconds, device, edges=count)
    by_values = [*on_cutoffs(args.cutoff, use), *on_weights(network, use)]
    notes = [*network.notes, *told, *by_values]
    if args.measure in ("betweenness", "edge-betweenness"):
        notes += provenance.on_pairs(args, network)
    if args.k and args.k < len(names):
        notes.append(provenance.on_estimate(args, args.k, len(names)))
        facts["estimate"] = True
    facts["device"] = device
    things = "nodes"
    written: dict[str, Any] = {}
    extra: dict[str, list[str]] = {}
    if args.measure == "edge-betweenness":
        things = "edges"
        stored = counted(network, use)
        for title, matrix in found.items():
            columns, weights, measured[title] = edges(matrix, stored, names, directed=directed)
        written["weight"] = weights
    else:
        columns = {"node": list(names)}
        extra = {"degree": [str(degree) for degree in degrees]}
        far = [scores for title, scores in found.items() if title.startswith("eccentricity")]
        if np.isinf(far).any():
            notes.append(
                "eccentricity is inf where a node does not reach all others; the command "
                "eccentricity with --reachable-only counts those that it reaches"
            )
    outputs.write(
        args,
        facts,
        lambda place, **how: io.write_table(place, columns, {**written, **measured}, **how),
        lambda path, **how: io.write_network(
            path, counted(network, use), names, directed=directed, **{things: found}, **how
        ),
        lambda path, **how: page.write(args, path, network, places, found, notes, **how),
    )
    scores = next(iter(measured.values()))
    if args.plot is not None:
        outputs.keep(
            args.plot,
            lambda path: plot.degree_against_score(
                path, degrees, scores, names, top=args.top or 10, label=args.measure
            ),
        )
    shown = columns, measured, extra, args.top or len(scores)
    lines = [] if args.json else ranking(*shown)
    files = {f"scores of all {things}": args.output, "plot": args.plot}

    def record() -> dict[str, Any]:
        return {**told_of_run, "ranking": records(*shown), "provenance": facts}

    outputs.tell(args, [head, "", *lines], notes, files, record)
