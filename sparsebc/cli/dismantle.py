"""The command ``sparsebc dismantle``: what falls apart if the highest goes first."""

from __future__ import annotations

import argparse
import time
from typing import Any

from .common import (
    add_network,
    add_output,
    add_run_options,
    add_weights,
    integer,
    run_options,
    use_of_weights,
)


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "dismantle",
        help="remove the node or edge of highest betweenness, again and again",
        description="Removes the node of highest betweenness, or the edge, scores what is left "
        "anew, and goes on: in which order, for which scores, and how large the largest component "
        "is after each step. Every edge has length 1, unless --weighted or --strength says what "
        "the weights are.",
        epilog="example: sparsebc dismantle power-grid-europe --steps 20 -o attack.csv",
    )
    add = parser.add_argument
    add_network(parser)
    add_weights(parser)
    add("--steps", type=integer(1), default=10, metavar="N",
        help="how many to remove (default: 10)")  # fmt: skip
    add("--edges", action="store_true", help="remove edges, by edge betweenness")
    add("--once", action="store_true", help="by the scores of the whole network, not anew")
    add_output(parser, "the steps")
    add_run_options(parser)
    parser.set_defaults(command=_dismantle, usage_error=parser.error)


def _dismantle(args: argparse.Namespace) -> None:
    from . import outputs, provenance
    from .inputs import calling, lengths, on_weights, summary
    from .table import table

    network, origin = provenance.load(args)
    from .. import dismantle, io
    from ..engines import devices

    use, names = use_of_weights(args), network.names
    begun = time.perf_counter()
    with calling(network, use):
        device = devices.select(args.device).name
        found = dismantle(
            lengths(network, use),
            "edge_betweenness" if args.edges else "betweenness",
            steps=args.steps,
            recompute=not args.once,
            directed=network.directed,
            weighted=use is not None,
            **run_options(args),
        )
    seconds = time.perf_counter() - begun
    ends = found.order.reshape(len(found.order), -1).T
    titles = ("source", "target") if args.edges else ("node",)
    removed = {title: [names[v] for v in nodes] for title, nodes in zip(titles, ends, strict=True)}
    head, facts = summary(network, use, seconds, device)
    notes = [*network.notes, *on_weights(network, use)]
    rows = [
        (str(step), *ends, f"{score:.6g}", str(left))
        for step, (*ends, score, left) in enumerate(
            zip(*removed.values(), found.scores, found.largest, strict=True), 1
        )
    ]
    sides = ">" + "<" * (len(titles) + 1) + ">"
    lines = table(("step", *titles, "score", "largest component"), rows, sides)
    values = {"score": found.scores, "largest component": found.largest}
    origin["device"] = device
    outputs.write(args, origin, lambda place, **how: io.write_table(place, removed, values, **how))

    def record() -> dict[str, Any]:
        columns = {**removed, **{title: found.tolist() for title, found in values.items()}}
        steps = zip(*columns.values(), strict=True)
        listed = [dict(zip(columns, step, strict=True)) for step in steps]
        return {**facts, "steps": listed, "provenance": origin}

    outputs.tell(args, [head, "", *lines], notes, {"steps": args.output}, record)
