"""The command ``sparsebc group``: betweenness of groups of nodes, and a prominent group."""

from __future__ import annotations

import argparse
from typing import Any

from . import common


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = common.add_command(
        commands,
        "group",
        _group,
        help="betweenness of groups of nodes, or a group of high betweenness",
        description="Group betweenness: of the shortest paths between two nodes outside of a "
        "group, the share that meets it, on average over all pairs. --prominent looks for a group "
        "instead, one node after the other. Every edge has length 1, unless --weighted or "
        "--strength says what the weights are.",
        example="sparsebc group karate --nodes 1 34 --nodes 2 3 33",
        k=None,
        dry_run=False,
    )
    add = parser.add_argument
    common.add_network(parser)
    common.add_weights(parser)
    add("--nodes", nargs="+", action="append", metavar="NODE",
        help="a group; again for another; @FILE stands for the nodes in a file, one a line; put "
        "FILE|DATASET first")  # fmt: skip
    add("--prominent", type=common.integer(1), metavar="SIZE",
        help="look for a group of this size that meets many paths, ends counted")  # fmt: skip
    common.add_raw(parser)
    add("--endpoints", action="store_true",
        help="count the pairs that begin or end in the group as well")  # fmt: skip
    common.add_output(parser, "the groups with their scores")
    add("--device", type=common.device,
        help="where to compute: cpu, reference, cuda, cuda:1 (default: a GPU if there is "
        "one)")  # fmt: skip
    common.add_workers(parser)
    common.add_reports(parser)
    common.add_checkpoint(parser, parts=False)


def _group(args: argparse.Namespace) -> None:
    if (args.nodes is None) == (args.prominent is None):
        args.usage_error("one of --nodes and --prominent is needed: the groups, or a size")
    if args.prominent and args.endpoints:
        args.usage_error("--prominent counts ends in any case: leave out --endpoints")
    common.check_checkpoint(args)
    if args.prominent and args.checkpoint is not None:
        args.usage_error("--prominent keeps none of its rounds: leave out --checkpoint")
    from .computation import Computation
    from .inputs import numbers
    from .table import table

    task = Computation(args)
    from .. import group_betweenness, io, prominent_group

    names = task.names
    groups = [numbers("nodes", some, task.network) or [] for some in args.nodes or ()]
    asked: dict[str, Any] = {**task.graph, "normalized": not args.raw}
    asked |= common.worker_options(args)
    facts: dict[str, Any] = {}
    with task.running() as A:
        if args.prominent:
            found = prominent_group(A, args.prominent, **asked)
            listed, scores = [names[v] for v in found.nodes], found.scores
            title = "node"
        else:
            asked |= common.checkpoint_options(args)
            scores = group_betweenness(A, groups, endpoints=args.endpoints, **asked)
            listed, title = [" ".join(names[v] for v in group) for group in groups], "group"
    if args.prominent:
        share = float(scores[-1] / found.bound) if found.bound else 1.0
        task.notes.append(f"no group of {args.prominent} scores above {found.bound:.6g}; this one "
                          f"has {share:.1%} of that")  # fmt: skip
        facts["bound"] = found.bound
    rows = [
        (str(rank), name, f"{score:.6g}")
        for rank, (name, score) in enumerate(zip(listed, scores, strict=True), 1)
    ]
    number = "step" if args.prominent else "number"
    task.write(
        lambda place, **how: io.write_table(place, {title: listed}, {"score": scores}, **how)
    )

    def record() -> dict[str, Any]:
        pairs = zip(listed, scores.tolist(), strict=True)
        return {**facts, "groups": [{title: name, "score": score} for name, score in pairs]}

    task.tell(table((number, title, "score"), rows, "><<"), {"scores": args.output}, record)
