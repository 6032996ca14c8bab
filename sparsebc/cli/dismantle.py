"""The command ``sparsebc dismantle``: what falls apart if the highest goes first."""

from __future__ import annotations

import argparse
from typing import Any

from . import common


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = common.add_command(
        commands,
        "dismantle",
        _dismantle,
        help="remove the node or edge of highest betweenness, again and again",
        description="Removes the node of highest betweenness, or the edge, scores what is left "
        "anew, and goes on: in which order, for which scores, and how large the largest component "
        "is after each step. Every edge has length 1, unless --weighted or --strength says what "
        "the weights are.",
        example="sparsebc dismantle power-grid-europe --steps 20 -o attack.csv",
    )
    add = parser.add_argument
    common.add_network(parser)
    common.add_weights(parser)
    add("--steps", type=common.integer(1), default=10, metavar="N",
        help="how many to remove (default: 10)")  # fmt: skip
    add("--edges", action="store_true", help="remove edges, by edge betweenness")
    add("--once", action="store_true", help="by the scores of the whole network, not anew")
    common.add_output(parser, "the steps")
    common.add_run_options(parser)


def _dismantle(args: argparse.Namespace) -> None:
    from .computation import Computation
    from .table import table

    task = Computation(args)
    from .. import dismantle, io

    names = task.names
    with task.running() as A:
        found = dismantle(
            A,
            "edge_betweenness" if args.edges else "betweenness",
            steps=args.steps,
            recompute=not args.once,
            **task.graph,
            **common.run_options(args),
        )
    ends = found.order.reshape(len(found.order), -1).T
    titles = ("source", "target") if args.edges else ("node",)
    removed = {title: [names[v] for v in nodes] for title, nodes in zip(titles, ends, strict=True)}
    rows = [
        (str(step), *ends, f"{score:.6g}", str(left))
        for step, (*ends, score, left) in enumerate(
            zip(*removed.values(), found.scores, found.largest, strict=True), 1
        )
    ]
    sides = ">" + "<" * (len(titles) + 1) + ">"
    lines = table(("step", *titles, "score", "largest component"), rows, sides)
    values = {"score": found.scores, "largest component": found.largest}
    task.write(lambda place, **how: io.write_table(place, removed, values, **how))

    def record() -> dict[str, Any]:
        columns = {**removed, **{title: found.tolist() for title, found in values.items()}}
        steps = zip(*columns.values(), strict=True)
        return {"steps": [dict(zip(columns, step, strict=True)) for step in steps]}

    task.tell(lines, {"steps": args.output}, record)
