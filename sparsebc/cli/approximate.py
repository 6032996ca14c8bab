"""The command ``sparsebc approximate``."""

from __future__ import annotations

import argparse
import time
from contextlib import nullcontext
from typing import Any

from . import resume
from .common import (
    add_checkpoint,
    add_dry_run,
    add_network,
    add_output,
    add_positions,
    add_run_options,
    add_weights,
    check_checkpoint,
    integer,
    run_options,
    use_of_weights,
)
from .part import positive


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "approximate",
        help="betweenness of every node to within a given error, or in a given time",
        description="Betweenness centrality from sampled nodes: with the probability asked for, "
        "every score is as close to the exact one as asked for, or as the time allows. Samples are "
        "drawn until that is proved, or the time is up. Every edge has length 1, unless --weighted "
        "or --strength says what the weights are.",
        epilog="example: sparsebc approximate power-grid-europe --epsilon 0.05 --seed 1",
    )
    add = parser.add_argument
    add_network(parser)
    add_weights(parser)
    add("--epsilon", type=_share,
        help="largest error of a score, between 0 and 1")  # fmt: skip
    add("--seconds", type=positive,
        help="stop after this time, with the error reached by then; with --checkpoint the time "
        "of all runs together")  # fmt: skip
    add("--delta", type=_share, default=0.1,
        help="probability of a larger one, between 0 and 1 (default: 0.1)")  # fmt: skip
    add("--rank", type=integer(1), metavar="N",
        help="stop once the N nodes of the highest scores are known in their order")  # fmt: skip
    add("--seed", type=integer(0), help="seed of the draw; with it, the draw is repeatable")
    add("--top", type=integer(0), default=10, metavar="N",
        help="nodes to print, highest score first; 0 prints all (default: 10)")  # fmt: skip
    add_output(parser, "the scores and half-widths of all nodes", networks=True)
    add_positions(parser)
    add_run_options(parser)
    add_checkpoint(parser, parts=False, draws=True)
    add_dry_run(parser)
    parser.set_defaults(command=_approximate, usage_error=parser.error)


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
    check_checkpoint(args)
    from . import ahead, explain, outputs, page, provenance
    from .inputs import calling, counted, lengths, on_weights, summary

    page.check(args)
    provenance.draw_seed(args)
    network, facts = provenance.load(args, outputs.ALL)
    if args.dry_run:
        explain.show(args, network, ["betweenness"], {})
        return
    import numpy as np

    from .. import approximate_betweenness, io
    from ..engines import devices
    from .ranking import records
    from .table import table

    names, use = network.names, use_of_weights(args)
    places = page.positions(args.positions, names)
    stopped: BaseException | None = None
    # With a checkpoint, signals are heard already, where it is kept.
    signals = resume.stopped_by_signals() if args.checkpoint is None else nullcontext()
    with calling(network, use), signals:
        device = devices.select(args.device).name
        is_here = use is None and device == "cpu" and args.executor is None
        begun = time.perf_counter()
        try:
            with ahead.compiling_ahead(args.dtype) if is_here else nullcontext():
                near = approximate_betweenness(
                    lengths(network, use),
                    epsilon=args.epsilon,
                    delta=args.delta,
                    top=args.rank,
                    seconds=args.seconds,
                    rng=args.seed,
                    directed=network.directed,
                    weighted=use is not None,
                    **run_options(args),
                )
        except (KeyboardInterrupt, resume.Stopped) as stop:
            near, stopped = _so_far(stop), stop
        seconds = time.perf_counter() - begun
    scores = {"betweenness": near.scores, "half_width": near.half_widths}
    notes = [*network.notes, *on_weights(network, use)]
    if stopped is not None:
        notes.append("it was stopped early: these are the half-widths that were reached by then")
    facts |= {"device": device, "samples": near.samples}
    if not near.exact:
        notes.append(provenance.on_estimate(args, near.samples, near.population))
        facts["estimate"] = True
    outputs.write(
        args,
        facts,
        lambda place, **how: io.write_scores(place, scores, names, **how),
        lambda path, **how: io.write_network(
            path, counted(network, use), names, scores, directed=network.directed, **how
        ),
        lambda path, **how: page.write(
            args,
            path,
            network,
            places,
            {"betweenness": near.scores},
            notes,
            half_widths={"betweenness": near.half_widths},
            **how,
        ),
    )
    first, told = summary(network, use, seconds, device)
    bound = f"within {near.half_widths.max():.2g} with probability {1 - args.delta:g}"
    head = [
        first,
        f"all {near.population} sources; every score exact"
        if near.exact
        else f"{near.samples} of {near.population} sources; every score {bound}",
    ]
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
    files = {"scores of all nodes": args.output}

    def record() -> dict[str, Any]:
        return {
            **told,
            **{"sources": near.samples, "population": near.population, "exact": near.exact},
            **({} if stopped is None else {"stopped": True}),
            "ranking": records({"node": names}, scores, {}, args.top or len(names)),
            "provenance": facts,
        }

    outputs.tell(args, [*head, "", *lines], notes, files, record)
    if stopped is not None:
        raise stopped


def _so_far(stop: BaseException) -> Any:
    """The estimate that a search had when it was stopped; if it had none, it is as any other."""
    near = getattr(stop, "approximation", None)
    if near is None or not near.samples:
        raise stop
    return near
