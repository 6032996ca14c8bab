"""The command ``sparsebc approximate``."""

from __future__ import annotations

import argparse
from contextlib import nullcontext
from typing import Any

from . import common, resume
from .subgraph import positive


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = common.add_command(
        commands,
        "approximate",
        _approximate,
        help="betweenness of every node to within a given error, or in a given time",
        description="Betweenness centrality from sampled nodes: with the probability asked for, "
        "every score is as close to the exact one as asked for, or as the time allows. Samples are "
        "drawn until that is proved, or the time is up. Every edge has length 1, unless --weighted "
        "or --strength says what the weights are.",
        example="sparsebc approximate power-grid-europe --epsilon 0.05 --seed 1",
    )
    add = parser.add_argument
    common.add_network(parser)
    common.add_weights(parser)
    add("--epsilon", type=_share,
        help="largest error of a score, between 0 and 1")  # fmt: skip
    add("--seconds", type=positive,
        help="stop after this time, with the error reached by then; with --checkpoint the time "
        "of all runs together")  # fmt: skip
    add("--delta", type=_share, default=0.1,
        help="probability of a larger one, between 0 and 1 (default: 0.1)")  # fmt: skip
    add("--rank", type=common.integer(1), metavar="N",
        help="stop once the N nodes of the highest scores are known in their order")  # fmt: skip
    add("--seed", type=common.integer(0), help="seed of the draw; with it, the draw is repeatable")
    common.add_top(parser)
    common.add_output(parser, "the scores and half-widths of all nodes", networks=True)
    common.add_positions(parser)
    common.add_run_options(parser)
    common.add_checkpoint(parser, parts=False, draws=True)
    common.add_dry_run(parser)


def _share(text: str) -> float:
    """Argument type: numbers between 0 and 1."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"expected a number between 0 and 1, got {text!r}")
    return value


def _approximate(args: argparse.Namespace) -> None:
    if args.epsilon is None and args.seconds is None:
        args.usage_error("one of --epsilon and --seconds is needed: the error, or the time")
    common.check_checkpoint(args)
    from . import explain, outputs, page, provenance
    from .computation import Computation

    page.check(args)
    provenance.draw_seed(args)
    task = Computation(args, outputs.ALL)
    if args.dry_run:
        explain.show(args, task.network, ["betweenness"], {})
        return
    import numpy as np

    from .. import approximate_betweenness, io
    from .ranking import records
    from .table import table

    names = task.names
    places = page.positions(args.positions, names)
    stopped: BaseException | None = None
    # With a checkpoint, signals are heard already, where it is kept.
    signals = resume.stopped_by_signals() if args.checkpoint is None else nullcontext()
    with task.running(of_paths=True) as A, signals:
        try:
            near = approximate_betweenness(
                A,
                epsilon=args.epsilon,
                delta=args.delta,
                top=args.rank,
                seconds=args.seconds,
                rng=args.seed,
                **task.graph,
                **common.run_options(args),
            )
        except (KeyboardInterrupt, resume.Stopped) as stop:
            near, stopped = _so_far(stop), stop
    scores = {"betweenness": near.scores, "half_width": near.half_widths}
    if stopped is not None:
        task.notes.append(
            "it was stopped early: these are the half-widths that were reached by then"
        )
    task.provenance["samples"] = near.samples
    if not near.exact:
        task.notes.append(provenance.on_estimate(args, near.samples, near.population))
        task.provenance["estimate"] = True

    def write_page(path: Any, **how: Any) -> None:
        widths = {"betweenness": near.half_widths}
        measured = {"betweenness": near.scores}
        page.write(
            args, path, task.network, places, measured, task.all_notes, half_widths=widths, **how
        )

    task.write(
        lambda place, **how: io.write_scores(place, scores, names, **how),
        task.network_writer(nodes=scores),
        write_page,
    )
    bound = f"within {near.half_widths.max():.2g} with probability {1 - args.delta:g}"
    head = (
        f"all {near.population} sources; every score exact"
        if near.exact
        else f"{near.samples} of {near.population} sources; every score {bound}"
    )
    certain = set() if near.ranking is None else set(near.ranking[near.certain].tolist())
    order = np.argsort(-near.scores, kind="stable")[: args.top or len(names)]
    rows = [
        (
            str(rank),
            names[v],
            f"{near.scores[v]:.6f}",
            f"{near.half_widths[v]:.6f}",
            *(["yes" if v in certain else ""] if args.rank else []),
        )
        for rank, v in enumerate(order, 1)
    ]
    titles = ("rank", "node", "betweenness", "half-width", *(["certain"] if args.rank else []))
    lines = table(titles, rows, "><<<<"[: len(titles)])

    def record() -> dict[str, Any]:
        return {
            **{"sources": near.samples, "population": near.population, "exact": near.exact},
            **({} if stopped is None else {"stopped": True}),
            "ranking": records({"node": names}, scores, {}, args.top or len(names)),
        }

    task.tell(lines, {"scores of all nodes": args.output}, record, head)
    if stopped is not None:
        raise stopped


def _so_far(stop: BaseException) -> Any:
    """The estimate that a search had when it was stopped; if it had none, it is as any other."""
    near = getattr(stop, "approximation", None)
    if near is None or not near.samples:
        raise stop
    return near
