"""The command ``sparsebc percolation``."""

from __future__ import annotations

import argparse
from typing import Any

from . import common, node_values


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = common.add_command(
        commands,
        "percolation",
        _percolation,
        help="betweenness of every node by the states of the sources",
        description="Percolation centrality: of what spreads along shortest paths, from each node "
        "by how far it is percolated, the share that runs through a node. Every edge has length 1, "
        "unless --weighted or --strength says what the weights are.",
        example="sparsebc percolation contacts.csv --states people.csv:infected",
        k=None,
        dry_run=False,
    )
    add = parser.add_argument
    common.add_network(parser)
    common.add_weights(parser)
    add("--states", required=True, metavar=node_values.VALUES,
        help=f"state of each node, from 0 on, {node_values.FROM}")  # fmt: skip
    common.add_top(parser)
    common.add_output(parser, "the scores of all nodes", networks=True)
    common.add_run_options(parser)
    common.add_checkpoint(parser, parts=False)


def _percolation(args: argparse.Namespace) -> None:
    common.check_checkpoint(args)
    from . import outputs
    from .computation import Computation

    task = Computation(args, outputs.NETWORKS)
    from .. import io, percolation
    from .ranking import ranking, records

    states = node_values.read("states", args.states, task.network, task.notes)
    with task.running() as A:
        scores = percolation(A, states, **task.graph, **common.run_options(args))
    measured, nodes = {"percolation": scores}, {"node": list(task.names)}
    task.write(
        lambda place, **how: io.write_table(place, nodes, {"state": states, **measured}, **how),
        task.network_writer(nodes=measured),
    )
    extra = {"state": [f"{state:g}" for state in states]}
    shown = args.top or len(task.names)
    task.tell(
        [] if args.json else ranking(nodes, measured, extra, shown),
        {"scores of all nodes": args.output},
        lambda: {"ranking": records(nodes, measured, {}, shown)},
    )
