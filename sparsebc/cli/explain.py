"""The command ``sparsebc explain``, and what ``--dry-run`` shows."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import common

if TYPE_CHECKING:
    from .inputs import Input

OF_PATHS = ("betweenness", "edge_betweenness", "stress")
MEASURES = ("betweenness", "edge-betweenness", "stress", "closeness", "harmonic", "eccentricity")


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = common.add_command(
        commands,
        "explain",
        _explain,
        help="say what a measure would do, and how long it would take",
        description="What a measure would do, without doing it: the graph, the reductions and what "
        "they leave, kernels, memory, and the time to expect, from a few blocks of the run.",
        example="sparsebc explain power-grid-europe --measure closeness",
    )
    common.add_network(parser)
    common.add_weights(parser)
    add = parser.add_argument
    add("--measure", choices=MEASURES, default="betweenness",
        help="what would be computed (default: betweenness)")  # fmt: skip
    add("--k", type=common.integer(1), help="as if estimated from K sources, drawn at random")
    add("--seed", type=common.integer(0), help="seed of that draw")
    common.add_cutoff(parser)
    add("--json", action="store_true", help="print JSON in place of the table")
    common.add_run_options(parser)


def _explain(args: argparse.Namespace) -> None:
    if args.seed is not None and not args.k:
        args.usage_error("--seed has an effect only with --k")
    from .inputs import load

    cutoff = [float(one) for one in args.cutoff] or None
    options = {"cutoff": cutoff, "k": args.k, "rng": args.seed}
    show(args, load(args), [args.measure.replace("-", "_")], options)


def show(
    args: argparse.Namespace, network: Input, measures: Sequence[Any], options: dict[str, Any]
) -> None:
    """Print the plan of each measure with these options, those of pairs where it has pairs."""
    from .. import explain
    from . import outputs
    from .inputs import calling, lengths, on_cutoffs, on_weights

    use, cutoffs = common.use_of_weights(args), getattr(args, "cutoff", ())
    run = common.run_options(args)
    for name in ("checkpoint", "checkpoint_every", "part"):
        run.pop(name, None)
    run["progress"] = False
    lines: list[str] = []
    record: list[dict[str, Any]] = []
    with calling(network, use):
        A = lengths(network, use)
        for measure in measures:
            skipped = {"directed", "weighted", "normalized"}
            if measure not in OF_PATHS:
                skipped.add("targets")
            if measure != "betweenness":
                skipped.add("endpoints")
            kept = {name: value for name, value in options.items() if name not in skipped}
            by_length = use is not None
            plan = explain(A, measure, directed=network.directed, weighted=by_length, **kept, **run)
            lines += [*str(plan).split("\n"), ""]
            record.append(plan.to_dict())
    outputs.tell(
        args,
        [f"{network.label}: a plan, nothing is computed", "", *lines[:-1]],
        [*network.notes, *on_cutoffs(cutoffs, use), *on_weights(network, use)],
        {},
        lambda: {"network": network.label, "plans": record},
    )
