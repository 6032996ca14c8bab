"""The commands of the measures, such as ``sparsebc betweenness``."""

from __future__ import annotations

import argparse
from typing import Any

from . import common, node_values

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
    common.add_network(parser)
    common.add_weights(parser)
    is_average = of_edges or measure == "betweenness"
    if is_average:
        common.add_raw(parser)
    if measure == "betweenness":
        add("--endpoints", action="store_true", help="count each path at its two ends as well")
    if measure == "eccentricity":
        add("--reachable-only", action="store_true",
            help="the farthest of the nodes that a node reaches, not inf")  # fmt: skip
    if not of_edges:
        add("--measures", type=_measures, default=(), metavar="A,B,C",
            help=f"more columns from the same traversals: {', '.join(OF_NODES)}")  # fmt: skip
    common.add_cutoff(parser)
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
    add("--k", type=common.integer(1), help="estimate from K sources, drawn at random")
    add("--seed", type=common.integer(0), help="seed of that draw; with it, the draw is repeatable")
    common.add_top(parser, things)
    common.add_output(parser, f"the scores of all {things}", networks=True)
    common.add_positions(parser)
    if not of_edges:
        add("--plot", metavar="IMAGE",
            help="draw degree against score, the printed nodes labelled (with --top 0: ten); the "
            "suffix decides the format; needs Matplotlib")  # fmt: skip
    common.add_run_options(parser)
    common.add_dry_run(parser)
    if measure not in OF_DISTANCES:
        common.add_checkpoint(parser)
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
    common.check_checkpoint(args)
    from . import explain, merge, outputs, page, plot, provenance
    from .computation import Computation
    from .inputs import counted, numbers, on_cutoffs

    page.check(args)
    if args.k:
        provenance.draw_seed(args)
    task = Computation(args, outputs.ALL)
    import numpy as np

    from .. import centralities, compute_part, eccentricity, io
    from ..graph.read_matrix import canonical
    from .ranking import by_cutoff, edges, ranking, records

    network, names, directed, use = task.network, task.names, task.network.directed, task.use
    places = page.positions(args.positions, names)
    titles = [name.replace("-", "_") for name in dict.fromkeys((args.measure, *args.measures))]
    options: dict[str, Any] = {
        **task.graph,
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
    for option in ("source-weights", "target-weights"):
        table = getattr(args, option.replace("-", "_"))
        if table is not None:
            flags[option.replace("-", "_")] = node_values.read(option, table, network, task.notes)
    reachable_only = getattr(args, "reachable_only", False)
    if args.dry_run:
        explain.show(args, network, titles, options | flags)
        return

    task.notes += on_cutoffs(args.cutoff, use)
    part = getattr(args, "part", None)
    of_paths = [name for name in titles if name not in OF_DISTANCES]
    with task.running(of_paths=bool(of_paths) and part is None) as A:
        run = common.run_options(args)
        if part is not None:
            count = compute_part(A, of_paths, part, **options, **flags, **run)
        else:
            asked = [name for name in titles if not (reachable_only and name == "eccentricity")]
            found = centralities(A, asked, **options, **flags, **run) if asked else {}
            if reachable_only:
                del run["dtype"]
                found["eccentricity"] = eccentricity(A, reachable_only=True, **options, **run)
    if part is not None:
        merge.tell_part(args, network, count, task.seconds, task.device)
        return
    found = by_cutoff({name: found[name] for name in titles}, args.cutoff)
    measured: dict[str, Any] = dict(found)

    graph = canonical(network.matrix, directed=directed)
    degrees = graph.outgoing.degrees + (graph.incoming.degrees if directed else 0)
    count = graph.arcs if directed else graph.arcs // 2
    if args.measure in ("betweenness", "edge-betweenness"):
        task.notes += provenance.on_pairs(args, network)
    if args.k and args.k < len(names):
        task.notes.append(provenance.on_estimate(args, args.k, len(names)))
        task.provenance["estimate"] = True
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
            task.notes.append(
                "eccentricity is inf where a node does not reach all others; the command "
                "eccentricity with --reachable-only counts those that it reaches"
            )
    task.write(
        lambda place, **how: io.write_table(place, columns, {**written, **measured}, **how),
        task.network_writer(**{things: found}),
        lambda path, **how: page.write(args, path, network, places, found, task.all_notes, **how),
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
    task.tell(
        lines,
        {f"scores of all {things}": args.output, "plot": args.plot},
        lambda: {"ranking": records(*shown)},
        edges=count,
    )
