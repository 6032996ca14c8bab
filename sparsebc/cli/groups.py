"""The command ``sparsebc group``: betweenness of groups of nodes, and a prominent group."""

from __future__ import annotations

import argparse
import time
from typing import Any

from .common import (
    add_checkpoint,
    add_network,
    add_output,
    add_reports,
    add_weights,
    add_workers,
    check_checkpoint,
    checkpoint_options,
    device,
    integer,
    use_of_weights,
    worker_options,
)


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "group",
        help="betweenness of groups of nodes, or a group of high betweenness",
        description="Group betweenness: of the shortest paths between two nodes outside of a "
        "group, the share that meets it, on average over all pairs. --prominent looks for a group "
        "instead, one node after the other. Every edge has length 1, unless --weighted or "
        "--strength says what the weights are.",
        epilog="example: sparsebc group karate --nodes 1 34 --nodes 2 3 33",
    )
    add = parser.add_argument
    add_network(parser)
    add_weights(parser)
    add("--nodes", nargs="+", action="append", metavar="NODE",
        help="a group; again for another; @FILE stands for the nodes in a file, one a line; put "
        "FILE|DATASET first")  # fmt: skip
    add("--prominent", type=integer(1), metavar="SIZE",
        help="look for a group of this size that meets many paths, ends counted")  # fmt: skip
    add("--raw", action="store_true", help="sum over the pairs, not the average")
    add("--endpoints", action="store_true",
        help="count the pairs that begin or end in the group as well")  # fmt: skip
    add_output(parser, "the groups with their scores")
    add("--device", type=device,
        help="where to compute: cpu, reference, cuda, cuda:1 (default: a GPU if there is "
        "one)")  # fmt: skip
    add_workers(parser)
    add_reports(parser)
    add_checkpoint(parser, parts=False)
    parser.set_defaults(command=_group, usage_error=parser.error, k=None, dry_run=False)


def _group(args: argparse.Namespace) -> None:
    if (args.nodes is None) == (args.prominent is None):
        args.usage_error("one of --nodes and --prominent is needed: the groups, or a size")
    if args.prominent and args.endpoints:
        args.usage_error("--prominent counts ends in any case: leave out --endpoints")
    check_checkpoint(args)
    if args.prominent and args.checkpoint is not None:
        args.usage_error("--prominent keeps none of its rounds: leave out --checkpoint")
    from . import outputs, provenance
    from .inputs import calling, lengths, numbers, on_weights, summary
    from .table import table

    network, origin = provenance.load(args)
    from .. import group_betweenness, io, prominent_group
    from ..engines import devices

    use = use_of_weights(args)
    names = network.names
    groups = [numbers("nodes", some, network) or [] for some in args.nodes or ()]
    asked: dict[str, Any] = {
        "directed": network.directed,
        "weighted": use is not None,
        "normalized": not args.raw,
    }
    run = worker_options(args)
    begun = time.perf_counter()
    with calling(network, use):
        A, name = lengths(network, use), devices.select(args.device).name
        if args.prominent:
            found = prominent_group(A, args.prominent, **asked, **run)
            listed, scores = [names[v] for v in found.nodes], found.scores
            title = "node"
        else:
            run |= checkpoint_options(args)
            scores = group_betweenness(A, groups, endpoints=args.endpoints, **asked, **run)
            listed, title = [" ".join(names[v] for v in group) for group in groups], "group"
    seconds = time.perf_counter() - begun
    head, facts = summary(network, use, seconds, name)
    notes = [*network.notes, *on_weights(network, use)]
    if args.prominent:
        share = float(scores[-1] / found.bound) if found.bound else 1.0
        notes.append(f"no group of {args.prominent} scores above {found.bound:.6g}; this one has "
                     f"{share:.1%} of that")  # fmt: skip
        facts["bound"] = found.bound
    rows = [
        (str(rank), name, f"{score:.6g}")
        for rank, (name, score) in enumerate(zip(listed, scores, strict=True), 1)
    ]
    number = "step" if args.prominent else "number"
    lines = table((number, title, "score"), rows, "><<")
    origin["device"] = name
    outputs.write(
        args,
        origin,
        lambda place, **how: io.write_table(place, {title: listed}, {"score": scores}, **how),
    )

    def record() -> dict[str, Any]:
        pairs = zip(listed, scores.tolist(), strict=True)
        found = [{title: name, "score": score} for name, score in pairs]
        return {**facts, "provenance": origin, "groups": found}

    outputs.tell(args, [head, "", *lines], notes, {"scores": args.output}, record)
