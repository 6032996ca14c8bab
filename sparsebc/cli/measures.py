"""The commands of the measures, such as ``sparsebc betweenness``, and of percolation."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import io
from ..io.network_file import annotate
from . import outputs, page, plot
from .table import Column
from .task import Task

OF_DISTANCES = ("closeness", "harmonic", "eccentricity")


def measure(task: Task) -> None:
    """Scores of all nodes or edges by the measure of the command, and by those of --measures."""
    given, network, names = task.given, task.network, task.network.names
    measure = given.command.name.replace("-", "_")
    asked = list(dict.fromkeys((measure, *(given.measures or ()))))
    task.notes += network.on_cutoffs()
    of_paths = [name for name in asked if name not in OF_DISTANCES]
    found = task.compute(_scores, asked, by_edges=bool(of_paths))
    found = by_cutoff({name: found[name] for name in asked}, given.cutoff or ())
    task.notes += remarks(task, found)
    from ..matrix.read_matrix import canonical  # once the network is read

    graph = canonical(network.matrix, directed=network.directed)
    degrees = graph.outgoing.degrees + (graph.incoming.degrees if network.directed else 0)
    arcs = graph.arcs if network.directed else graph.arcs // 2
    if measure == "edge_betweenness":
        of = annotate(network.counted(), names, None, found, directed=network.directed)
        apart = of.tails != of.heads  # no path takes a loop
        values = {title: column[apart] for title, column in of.edges.items()}
        things, scores = "edges", {title: values[title] for title in found}
        ends = {"source": of.tails[apart], "target": of.heads[apart]}
        columns = {title: [names[v] for v in nodes] for title, nodes in ends.items()}
        beside = {}
    else:
        things, columns, scores, values = "nodes", {"node": list(names)}, found, found
        beside = {"degree": Column(degrees, ">")}
    draw = partial(page.write, task, scores=found)
    task.write(io.write_table, columns, values, page=draw, **{things: found})
    first = next(iter(scores.values()))
    if given.plot is not None:
        labels = {"top": given.top or 10, "label": given.command.name}
        outputs.keep(
            given.plot,
            lambda path: plot.degree_against_score(path, degrees, first, names, **labels),
        )
    head, record = task.summary(edges=arcs)
    files = {f"scores of all {things}": given.output, "plot": given.plot}
    tell_ranking(task, files, columns, scores, beside, head, **record)


def _scores(A: Any, asked: Sequence[str], **options: Any) -> dict[str, Any]:
    """Scores by measure; only `eccentricity` takes ``reachable_only``, so it is called alone."""
    from .. import centralities, eccentricity

    if not options.pop("reachable_only", False):
        return dict(centralities(A, asked, **options))  # type: ignore[arg-type]
    others = [name for name in asked if name != "eccentricity"]
    found = dict(centralities(A, others, **options)) if others else {}  # type: ignore[arg-type]
    del options["dtype"]
    return found | {"eccentricity": eccentricity(A, reachable_only=True, **options)}


def _of_cutoff(scores: Any, index: int) -> Any:
    """Scores within the cutoff of an index: of nodes, shape (n, cutoffs), or a list of matrices."""
    return scores[index] if isinstance(scores, list) else scores[:, index]


def by_cutoff(
    found: Mapping[str, Any], cutoffs: Sequence[str], pick: Callable[[Any, int], Any] = _of_cutoff
) -> dict[str, Any]:
    """Scores by title; with several cutoffs, one for each measure and cutoff, ``name_cutoff``."""
    if len(cutoffs) < 2:
        return dict(found)
    return {
        f"{name}_{cutoff}": pick(every, index)
        for name, every in found.items()
        for index, cutoff in enumerate(cutoffs)
    }


def remarks(task: Task, found: Mapping[str, Any]) -> list[str]:
    """Notes on the scores: their denominator, sampling, and infinite eccentricities."""
    given, n, remarks = task.given, len(task.network.names), []
    chosen = given.sources or given.targets
    is_average = "--raw" in given.command.options and not given.raw
    weighs = given.source_weights or given.target_weights or given.demand
    if chosen and is_average and not weighs:
        both_ends = given.command.name == "edge-betweenness" or given.endpoints
        pairs = n * (n - 1) if both_ends else (n - 1) * (n - 2)
        pairs //= 1 if task.network.directed else 2
        remarks.append(
            f"scores are divided by all {pairs} pairs of nodes, not by those that --sources and "
            "--targets leave; --raw gives the sum over those"
        )
    if given.k and given.k < n:
        remarks.append(on_estimate(task, f"{given.k} of {n} sources"))
    far = [scores for title, scores in found.items() if title.startswith("eccentricity")]
    if np.isinf(far).any():
        remarks.append(
            "eccentricity is inf where a node does not reach all others; the command eccentricity "
            "with --reachable-only counts those that it reaches"
        )
    return remarks


def on_estimate(task: Task, samples: str) -> str:
    """Note that scores are estimates, which their provenance then records."""
    task.provenance["estimate"] = True
    return (
        f"these are estimates, from {samples} drawn with seed {task.given.seed}; no score is exact"
    )


def percolation(task: Task) -> None:
    """Percolation centrality: betweenness of every node by the states of the sources."""
    from .. import percolation

    found = {"percolation": task.compute(percolation)}
    states = task.keywords["states"]
    beside = {"state": Column(states, ">g")}
    tell_scores(task, found, columns={"state": states, **found}, beside=beside, hidden=["state"])


def tell_scores(
    task: Task,
    scores: Mapping[str, NDArray[Any]],
    what: str = "scores",
    *,
    columns: Mapping[str, Any] | None = None,
    named: Mapping[str, Sequence[str]] | None = None,
    beside: Mapping[str, Column] | None = None,
    hidden: Sequence[str] = (),
    **counts: int,
) -> None:
    """Write the scores of all nodes, or `columns` that include them, and print a ranking."""
    named, columns = named or {"node": task.network.names}, columns or scores
    words = {title: text for title, text in named.items() if title != "node"}
    draw = partial(page.write, task, scores=scores, words=words)
    task.write(io.write_table, named, columns, page=draw, nodes={**words, **scores})
    (head, record), files = task.summary(**counts), {f"{what} of all nodes": task.given.output}
    tell_ranking(task, files, named, scores, beside or {}, head, hidden=hidden, **record)


def tell_ranking(
    task: Task,
    files: Mapping[str, str | None],
    named: Mapping[str, Sequence[str]],
    scores: Mapping[str, NDArray[Any]],
    beside: Mapping[str, Column],
    *heads: str,
    by: Any = None,
    **options: Any,
) -> None:
    """Print the rows highest in the first scores, or in ``by``; ties keep the order of nodes."""
    first = next(iter(scores.values())) if by is None else by
    order = np.argsort(-first, kind="stable")[: task.given.top or len(first)]
    columns = {
        **{title: Column(column) for title, column in named.items()},
        **{title: Column(column, "<#.6g") for title, column in scores.items()},
        **beside,
    }
    ranked = {title: column.at(order) for title, column in columns.items()}
    rank = {"rank": Column(range(1, len(order) + 1), ">")}
    task.tell("ranking", rank | ranked, files, *heads, **options)
