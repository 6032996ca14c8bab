"""The command ``sparsebc explain``."""

from collections.abc import Sequence
from typing import Any

from . import outputs
from .errors import refusing
from .task import Task

OF_PATHS = ("betweenness", "edge_betweenness", "stress")
# Arguments of measures that `sparsebc.explain` does not take.
LEFT_OUT = ("checkpoint", "checkpoint_every", "normalized", "reachable_only", "progress")
OF_ESTIMATES = ("epsilon", "delta", "seconds", "top", "samples", "rng")


def explain(task: Task) -> None:
    """Print the plan of a measure, without computing it."""
    show(task, [task.given.measure.replace("-", "_")])


def show(task: Task, measures: Sequence[str]) -> None:
    """Print the plan of each measure, with those options of the command that the measure takes."""
    from .. import explain

    left_out = {*LEFT_OUT, *(OF_ESTIMATES if task.given.delta else ())}
    plans: list[Any] = []
    with refusing(task.network.in_words):
        A = task.network.lengths()
        for measure in measures:
            without = {*left_out, *(() if measure in OF_PATHS else ("targets",))}
            without |= {*(() if measure == "betweenness" else ("endpoints",))}
            options = {name: task.keywords[name] for name in task.keywords if name not in without}
            plans.append(explain(A, measure, **options))  # type: ignore[arg-type]
    label = task.network.label
    outputs.tell(
        task.given,
        lambda: [
            f"{label}: a plan, nothing is computed",
            *(line for plan in plans for line in ("", *str(plan).split("\n"))),
        ],
        lambda: {"network": label, "plans": [plan.to_dict() for plan in plans]},
        [*task.notes, *task.network.on_cutoffs(), *task.network.on_weights()],
        {},
    )
