"""The command ``sparsebc percolation``."""

from __future__ import annotations

import argparse
import time
from typing import Any

from . import node_values
from .common import (
    add_checkpoint,
    add_network,
    add_output,
    add_run_options,
    add_weights,
    check_checkpoint,
    integer,
    run_options,
    use_of_weights,
)


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "percolation",
        help="betweenness of every node by the states of the sources",
        description="Percolation centrality: of what spreads along shortest paths, from each node "
        "by how far it is percolated, the share that runs through a node. Every edge has length 1, "
        "unless --weighted or --strength says what the weights are.",
        epilog="example: sparsebc percolation contacts.csv --states people.csv:infected",
    )
    add = parser.add_argument
    add_network(parser)
    add_weights(parser)
    add("--states", required=True, metavar=node_values.VALUES,
        help=f"state of each node, from 0 on, {node_values.FROM}")  # fmt: skip
    add("--top", type=integer(0), default=10, metavar="N",
        help="nodes to print, highest score first; 0 prints all (default: 10)")  # fmt: skip
    add_output(parser, "the scores of all nodes", networks=True)
    add_run_options(parser)
    add_checkpoint(parser, parts=False)
    parser.set_defaults(command=_percolation, usage_error=parser.error, k=None, dry_run=False)


def _percolation(args: argparse.Namespace) -> None:
    check_checkpoint(args)
    from . import outputs, provenance
    from .inputs import calling, counted, lengths, on_weights, summary

    network, origin = provenance.load(args, outputs.NETWORKS)
    from .. import io, percolation
    from ..engines import devices
    from .ranking import ranking, records

    use, names = use_of_weights(args), network.names
    told: list[str] = []
    states = node_values.read("states", args.states, network, told)
    begun = time.perf_counter()
    with calling(network, use):
        device = devices.select(args.device).name
        scores = percolation(
            lengths(network, use),
            states,
            directed=network.directed,
            weighted=use is not None,
            **run_options(args),
        )
    seconds = time.perf_counter() - begun
    head, facts = summary(network, use, seconds, device)
    notes = [*network.notes, *told, *on_weights(network, use)]
    measured, nodes = {"percolation": scores}, {"node": list(names)}
    origin["device"] = device
    outputs.write(
        args,
        origin,
        lambda place, **how: io.write_table(place, nodes, {"state": states, **measured}, **how),
        lambda path, **how: io.write_network(
            path, counted(network, use), names, measured, directed=network.directed, **how
        ),
    )
    extra = {"state": [f"{state:g}" for state in states]}
    shown = args.top or len(names)
    lines = [] if args.json else ranking(nodes, measured, extra, shown)

    def record() -> dict[str, Any]:
        return {**facts, "ranking": records(nodes, measured, {}, shown), "provenance": origin}

    files = {"scores of all nodes": args.output}
    outputs.tell(args, [head, "", *lines], notes, files, record)
