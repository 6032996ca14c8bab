"""The commands: each computes the answer to a `query.Query`, as a `Result` of `output`."""

from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

import numpy as np

from ..errors import SparsebcError
from ..io.write import table_of
from . import output, signals
from .network import STRENGTHS
from .output import Result
from .query import Query

LEVEL = 0.05  # of q, below which a score is significant


def measure(query: Query) -> Result:
    """Scores of all nodes or edges by the measure of the command, and by those of --also."""
    from .. import centralities

    given, network, names = query.given, query.network, query.network.names
    if given.estimates:
        return _estimated(query)
    asked = list(dict.fromkeys((given.command.name.replace("-", "_"), *(given.also or ()))))
    function: Any = _with_reachable if given.reachable_only else centralities
    found = query.compute(function, asked)
    found = {name: found[name] for name in asked}
    if len(given.cutoff or ()) > 1:
        found = output.by_cutoff(query, found)
    output.remark(query, found)
    if asked[0] != "edge_betweenness":
        return output.ranked({"node": names}, found)._replace(linked=True)
    from ..io.network_file import annotate

    of = annotate(network.counted(), names, None, found, directed=network.directed)
    apart = of.tails != of.heads  # no path takes a loop
    values = {title: column[apart] for title, column in of.edges.items()}
    ends = {"source": of.tails[apart], "target": of.heads[apart]}
    named = {title: [names[v] for v in nodes] for title, nodes in ends.items()}
    scores = {title: values[title] for title in found}
    made = output.ranked(named, scores, values, counts={"edges": len(ends["source"])})
    return made._replace(graph={"edges": found}, page={})


def _with_reachable(
    A: Any, asked: Sequence[str], reachable_only: bool, **options: Any
) -> dict[str, Any]:
    """Scores by measure; only `eccentricity` takes ``reachable_only``, so it is called alone."""
    from .. import centralities, eccentricity

    others = [name for name in asked if name != "eccentricity"]
    found = dict(centralities(A, others, **options)) if others else {}  # type: ignore[arg-type]
    return found | {"eccentricity": eccentricity(A, reachable_only=reachable_only, **options)}


def _estimated(query: Query) -> Result:
    """Sampling estimate of betweenness, to a given error or within a given time."""
    given, names = query.given, query.network.names
    if given.error is None and given.seconds is None:
        query.keywords["epsilon"] = 0.001
    delta = query.keywords.setdefault("delta", 0.1)
    query.provenance["confidence"] = 1 - delta
    found, stopped = query.compute(_estimate, given.checkpoint is not None)
    if stopped is not None:
        query.notes.append("the estimate was stopped early: half-widths are those reached so far")
    query.provenance["samples"] = found.samples
    kind = "paths" if found.population is None else "sources"
    said = f"all {found.population} sources; every score exact"
    if not found.exact:
        drawn = f"{found.samples} {'' if kind == 'paths' else f'of {found.population} '}{kind}"
        output.remark_on_estimate(query, drawn)
        most = found.half_widths.max()
        said = f"{drawn}; every score within {most:.2g} with probability {1 - delta:g}"
    if (given.sources or given.targets) and not (given.source_weights or given.target_weights):
        query.notes.append(
            "normalized by all pairs of nodes, not only the selected ones; --source-weights and "
            "--target-weights divide by theirs"
        )
    facts = {kind: found.samples, "population": found.population, "exact": found.exact}
    scores, widths = {"betweenness": found.scores}, {"half_width": found.half_widths}
    beside = {"half_width": (found.half_widths, "<.6f")}
    if given.best:
        certain = [] if found.ranking is None else found.ranking[found.certain].tolist()
        beside["certain"] = ["yes" if v in certain else "" for v in range(len(names))], "<"
        if found.ranking is not None:
            facts["certain"] = [names[v] for v in certain]
    if stopped is not None:
        facts["stopped"] = True
    made = output.ranked({"node": names}, scores, scores | widths, beside=beside)
    return made._replace(
        said=(said,),
        facts=facts,
        page={**made.page, "half_widths": {"betweenness": found.half_widths}},
        stopped=stopped,
    )


def _estimate(A: Any, is_kept: bool, **options: Any) -> tuple[Any, BaseException | None]:
    """Estimate, and the exception that stopped it early or None; reraised if there are no samples.

    With a checkpoint, `signals.resumable` already handles signals.
    """
    from .. import approximate_betweenness

    with nullcontext() if is_kept else signals.stopped_by_signals():
        try:
            return approximate_betweenness(A, **options), None
        except (KeyboardInterrupt, signals.Stopped) as stop:
            found = getattr(stop, "approximation", None)
            if found is None or not found.samples:
                raise
            return found, stop


def percolation(query: Query) -> Result:
    """Percolation centrality: betweenness of every node by the states of the sources."""
    from .. import percolation

    states, names = query.keywords["states"], query.network.names
    found = {"percolation": query.compute(percolation)}
    beside = {"state": (states, ">g")}
    made = output.ranked({"node": names}, found, {"state": states, **found}, beside=beside)
    return made._replace(graph={"nodes": found})


def access(query: Query) -> Result:
    """Accessibility, or distance to the nearest place, for every kind of places and cutoff."""
    from .. import accessibility, nearest

    name, *number = query.given.measure
    kinds, places = query.keywords.pop("places", ([], None))
    measure: Any = accessibility if name == "accessibility" else nearest
    found = query.compute(measure, places, *number)
    found = found if places is not None else found[:, np.newaxis]
    titles = [f"{name}_{kind}" for kind in kinds] if len(kinds) > 1 else [name]
    scores = {title: found[:, column] for column, title in enumerate(titles)}
    if len(query.given.cutoff or ()) > 1:
        scores = output.by_cutoff(query, scores)
    return output.ranked({"node": query.network.names}, scores)


def group(query: Query) -> Result:
    """Betweenness of given groups of nodes, or a group of high betweenness."""
    from .. import group_betweenness, prominent_group

    names, size, facts = query.network.names, query.keywords.pop("size", None), {}
    if size:
        found = query.compute(partial(prominent_group, size=size))
        number, title, listing, mark = "step", "node", "Steps", "step"
        groups: Any = found.nodes[:, np.newaxis]
        listed, scores = [names[v] for v in found.nodes], found.scores
        facts = {"bound": found.bound}
        share = float(scores[-1] / found.bound) if found.bound else 1.0
        query.notes.append(
            f"no group of {size} nodes scores above {found.bound:.6g}; this group has {share:.1%} "
            "of that bound"
        )
    else:
        number, title, listing, mark = "number", "group", "Groups", "group"
        groups = query.keywords["groups"]
        # Between commas; a name with a comma or a quote, in quotes.
        quoted = {v: names[v].replace('"', '""') for nodes in groups for v in nodes}
        quoted |= {v: f'"{name}"' for v, name in quoted.items() if {*name} & {*',"'}}
        listed = [",".join(quoted[v] for v in nodes) for nodes in groups]
        scores = query.compute(group_betweenness)
    shown = {
        number: (range(1, len(listed) + 1), ">"),
        title: (listed, "<"),
        "score": (scores, "<.6g"),
    }
    return Result(
        partial(table_of, {title: listed}, {"score": scores}),
        shown,
        (f"score: {output.said_of(query, 'betweenness')}",),
        "Group betweenness",
        facts=facts,
        graph={"nodes": output.marks_of(len(names), groups, scores, mark)},
        page={"listings": [(listing, shown, ())]},
    )


def dismantle(query: Query) -> Result:
    """Repeatedly remove the node or edge of highest betweenness."""
    from .. import dismantle

    names, (name,) = query.network.names, query.given.measure
    by = name.removeprefix("initial_")
    found = query.compute(partial(dismantle, recompute=name == by), by)
    ends = found.order.reshape(len(found.order), -1).T
    titles, of = ["node"], "nodes"
    if by == "edge_betweenness":
        from scipy.sparse import csr_array

        titles, of = ["source", "target"], "edges"
        marks: Any = {"score": csr_array((found.scores, ends), shape=(len(names),) * 2)}
    else:
        marks = output.marks_of(len(names), found.order[:, np.newaxis], found.scores, "step")
    removed = {title: [names[v] for v in nodes] for title, nodes in zip(titles, ends, strict=True)}
    values = {"score": found.scores, "largest component": found.largest}
    shown = {
        "step": (range(1, len(found.order) + 1), ">"),
        **{title: (nodes, "<") for title, nodes in removed.items()},
        "score": (found.scores, "<.6g"),
        "largest component": (found.largest, ">"),
    }
    return Result(
        partial(table_of, removed, values),
        shown,
        (f"score: {output.said_of(query, by)}{', when removed' * (name == by)}",),
        "Dismantling",
        graph={of: marks},
        page={"listings": [("Steps", shown, ("step", "largest component"))]},
    )


def communities(query: Query) -> Result:
    """Communities by Girvan and Newman's removal of the edges of highest betweenness."""
    from ..communities import partition

    network, count = query.network, query.keywords.pop("parts", None)
    strengths = network.matrix if network.use in STRENGTHS else None
    found = query.compute(partial(partition, strengths=strengths, parts=count))
    at = int(np.flatnonzero(found.parts == found.labels.max(initial=-1) + 1)[0])
    modularity = float(found.modularity[at])
    best = f"; the largest of {len(found.parts)} levels" if count is None else ""
    said = f"{found.parts[at]} communities, modularity {modularity:.6g}{best}"
    levels = {"communities": (found.parts, "<"), "modularity": (found.modularity, "<")}
    rows = zip(found.parts.tolist(), found.modularity.tolist(), strict=True)
    facts: dict[str, Any] = {"communities": int(found.parts[at]), "modularity": modularity}
    facts["levels"] = [dict(zip(levels, row, strict=True)) for row in rows]
    made = output.parts(query, found.labels, "community", "Communities", said, facts)
    listing = "Modularity", levels, ("communities", "modularity")
    page = {"listings": [*made.page["listings"], listing], "notes": [said]}
    return made._replace(page={**made.page, **page})


def components(query: Query) -> Result:
    """Connected components, the largest first; the strong ones of a directed network."""
    from .. import connected_components

    del query.keywords["progress"], query.keywords["weighted"]
    connection: Any = "strong" if query.network.directed else "weak"
    count, labels = query.compute(partial(connected_components, connection=connection))
    said = f"{count} {'strong ' * query.network.directed}component{'s' * (count != 1)}"
    facts = {"components": int(count)}
    return output.parts(query, labels, "component", "Components", said, facts)


def paths(query: Query) -> Result:
    """Distance and predecessor of each node from each source."""
    from .. import shortest_paths

    names = query.network.names
    distance, before = query.compute(shortest_paths)
    named = np.array([*names, ""], dtype=object)
    found = {"distance": distance, "predecessor": named[np.maximum(before, -1)]}
    sources = [names[v] for v in query.keywords["sources"]]
    return output.searches(query, found, sources, ">.6g", "farthest")


def temporal(query: Query) -> Result:
    """Centrality of nodes by walks along contacts, or the earliest arrivals from sources."""
    from .. import temporal
    from ..temporal.read import numbers

    (name,), names = query.given.measure, query.network.names
    counts = {"contacts": len(query.network.contacts)}
    # Walks begin at --start, a number or a date, or with the first contact.
    told, times = query.given.start, query.network.contacts.time
    start = times[0].item() if len(times) else 0.0
    if told is not None:
        start = numbers([told], "time", lambda _: "--start")[0].item()
        if len(times) and start > (last := times[-1].item()):
            query.notes.append(f"--start {told} is after the last contact, at {last}")
    if name == "arrival":
        sources = query.keywords.pop("sources")
        found = {"arrival": query.compute(temporal.arrival, sources, start)}
        named = [names[v] for v in sources]
        return output.searches(query, found, named, ">.10g", "last arrival", counts)
    if name == "reach":
        scores = query.compute(temporal.reach, start)
    elif name == "closeness":
        scores = query.compute(temporal.closeness)
    else:
        kind = "shortest" if name == "betweenness" else "shortest foremost"
        scores = query.compute(partial(temporal.betweenness, kind=kind))  # type: ignore[arg-type]
    return output.ranked({"node": names}, {f"temporal_{name}": scores}, counts=counts)


def null_model(query: Query) -> Result:
    """Scores of all nodes, and mean, z, p and q of each over random networks."""
    from .. import null_model

    given, names = query.given, query.network.names
    by_degree = given.model != "edge-probability"
    if given.model == "shuffled":
        query.keywords |= {"model": "degree", "weights": "shuffled"}
    probability = None if by_degree else _probability(query.network)
    compared = query.compute(partial(null_model, probability=probability), given.measure)
    if len(given.cutoff or ()) > 1:
        compared = output.by_cutoff(query, compared)
    scores = {title: one.score for title, one in compared.items()}
    output.remark(query, scores)
    first = next(iter(compared.values()))
    said = f"{given.samples} random networks, seed {given.seed}"
    facts: dict[str, Any] = {"samples": given.samples, "model": given.model, "seed": given.seed}
    fields = ("mean", "std", *["z", "p", "q"] * by_degree, "low", "high")
    hidden = ("low", "high") if by_degree else ()
    if by_degree:
        facts["significant"] = int(np.count_nonzero(first.q < LEVEL))
        said += f"; {facts['significant']} of {len(names)} nodes with q < {LEVEL}"
        least = 1 / (1 + given.samples)  # no p is less
        beyond = int(np.count_nonzero(first.p <= least))
        if beyond and first.q.min() >= LEVEL:
            query.notes.append(
                f"p cannot fall below {least:.2g} with {given.samples} samples; add --samples to "
                f"resolve {beyond} node{'s' * (beyond > 1)}, whose q is {first.q.min():.2g}"
            )
    columns = {
        f"{title}_{field}" if len(compared) > 1 else field: getattr(one, field)
        for title, one in compared.items()
        for field in fields
    }
    beside = {
        title: (column, "<.4g") for title, column in columns.items() if not title.endswith(hidden)
    }
    by = first.z if by_degree else first.score
    made = output.ranked({"node": names}, scores, scores | columns, by=by, beside=beside)
    page = {**made.page, "null_models": compared}
    return made._replace(said=(said,), facts=facts, page=page)


def _probability(network: Any) -> Any:
    """Checked probabilities of the edges: their column, else the weights."""
    P = (network.matrix if network.probability is None else network.probability).tocoo()
    bad = np.flatnonzero(~((P.data > 0) & (P.data <= 1)) & (P.row != P.col))
    if bad.size:
        at = bad[0]
        way = "--scale divides the weights, STRING's by 1000"
        if network.probability is not None:
            way = "--columns names their column"
        raise SparsebcError(
            f"{network.label}: the edge {network.names[P.row[at]]!r} - "
            f"{network.names[P.col[at]]!r} has probability {P.data[at]:g}: expected above 0 and up "
            f"to 1; {way}"
        )
    return P.tocsr()
