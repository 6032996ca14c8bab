"""The commands ``sparsebc bfs``, ``sparsebc paths`` and ``sparsebc components``."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import common

if TYPE_CHECKING:
    from .inputs import Input


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
        "sparsebc paths power-grid-europe --sources 1 --weighted -o paths.csv",
    )
    for parser, what in (
        (levels, "the level of each node from each source, one a line,"),
        (paths, "distance and predecessor of each node from each source, one a line,"),
    ):
        parser.add_argument("--sources", nargs="+", action="extend", metavar="NODE", required=True,
            help="where to start; put FILE|DATASET first")  # fmt: skip
        common.add_output(parser, what)
        common.add_workers(parser)
        common.add_reports(parser)
    common.add_weights(paths)
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
    common.add_top(parser, "components", "the largest first")
    parser.set_defaults(quiet=False)
    common.add_output(parser, "the component of each node")


def _parser(
    commands: Any, name: str, command: Any, summary: str, description: str, example: str
) -> Any:
    parser = common.add_command(commands, name, command, summary, description, example)
    common.add_network(parser)
    parser.add_argument(
        "--device",
        type=common.device,
        help="where to search: cpu, cuda, cuda:1 (default: a GPU if there is one)",
    )
    return parser


def _bfs(args: argparse.Namespace) -> None:
    from .inputs import calling

    network, sources, origin = _problem(args)
    from .. import bfs

    with calling(network):
        levels = bfs(
            network.matrix, sources, directed=network.directed, **common.worker_options(args)
        )
    _report(args, network, sources, {"level": levels}, levels >= 0, "levels", origin)


def _paths(args: argparse.Namespace) -> None:
    from .inputs import calling, lengths

    network, sources, origin = _problem(args)
    import numpy as np

    from .. import shortest_paths

    use = common.use_of_weights(args)
    with calling(network, use):
        distances, predecessors = shortest_paths(
            lengths(network, use),
            sources,
            directed=network.directed,
            weighted=use is not None,
            **common.worker_options(args),
        )
    found = {"distance": distances}
    if args.output:
        named = np.array([*network.names, ""], dtype=object)
        found["predecessor"] = named[np.where(predecessors < 0, len(named) - 1, predecessors)]
    _report(args, network, sources, found, np.isfinite(distances), "farthest", origin)


def _components(args: argparse.Namespace) -> None:
    from . import outputs
    from .inputs import calling
    from .table import table

    network, _, origin = _problem(args)
    import numpy as np

    from .. import connected_components, io

    names = network.names
    if args.strong and not network.directed:
        args.usage_error("--strong has an effect only with --directed")
    with calling(network):
        count, labels = connected_components(
            network.matrix,
            directed=network.directed,
            connection="strong" if args.strong else "weak",
            device=args.device,
        )
    outputs.write(
        args,
        origin,
        lambda place, **how: io.write_scores(place, {"component": labels}, names, **how),
    )
    sizes = np.bincount(labels, minlength=count)
    first = np.unique(labels, return_index=True)[1]
    largest = np.argsort(-sizes, kind="stable")[: args.top or count]
    rows = [(str(label), str(sizes[label]), names[first[label]]) for label in largest]
    plural = "" if count == 1 else "s"
    head = f"{network.label}: {len(names)} nodes, {count} component{plural}"
    lines = table(("component", "nodes", "first"), rows, ">><")

    def record() -> dict[str, Any]:
        return {
            **{"network": network.label, "nodes": len(names), "components": count},
            "largest": [
                {"component": int(k), "nodes": int(sizes[k]), "first": names[first[k]]}
                for k in largest
            ],
            "provenance": origin,
        }

    outputs.tell(args, [head, "", *lines], network.notes, {"components": args.output}, record)


def _problem(args: argparse.Namespace) -> tuple[Input, list[int], dict[str, Any]]:
    """Network, sources and provenance, once it is known that the output can be written."""
    from . import provenance
    from .inputs import numbers

    network, origin = provenance.load(args)
    sources = numbers("sources", getattr(args, "sources", None), network) or []
    return network, sources, origin


def _report(
    args: argparse.Namespace,
    network: Input,
    numbers: list[int],
    found: Mapping[str, Any],
    reached: Any,
    title: str,
    origin: Mapping[str, Any],
) -> None:
    """For each source, how many other nodes it reaches and how far the farthest is; the file."""
    import numpy as np

    from .. import io
    from . import outputs
    from .table import table

    sources = [network.names[v] for v in numbers]
    outputs.write(
        args,
        origin,
        lambda place, **how: io.write_pairs(place, found, sources, network.names, **how),
    )
    farthest = np.where(reached, next(iter(found.values())), 0).max(axis=1)
    rows = [
        (source, str(count - 1), f"{far:.6g}")
        for source, count, far in zip(sources, reached.sum(axis=1), farthest, strict=True)
    ]
    head = f"{network.label}: {len(network.names)} nodes"
    lines = table(("source", "reached", title), rows, "<>>")

    def record() -> dict[str, Any]:
        counts = zip(sources, reached.sum(axis=1).tolist(), farthest.tolist(), strict=True)
        return {
            **{"network": network.label, "nodes": len(network.names)},
            "searches": [
                {"source": source, "reached": count - 1, title: far}
                for source, count, far in counts
            ],
            "provenance": origin,
        }

    written = {", ".join(found): args.output}
    outputs.tell(args, [head, "", *lines], network.notes, written, record)
