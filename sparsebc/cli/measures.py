"""The commands: each computes the answer to a `query.Query`, as a `Result` of `output`."""

from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..io.write import table_of
from . import messages, output
from .messages import Column, Refusal, refusing
from .network import STRENGTHS, pattern
from .output import Result
from .query import Query

OF_DISTANCES = ("closeness", "harmonic", "eccentricity")
LEVEL = 0.05  # of q, below which a score is significant


def measure(query: Query) -> Result:
    """Scores of all nodes or edges by the measure of the command, and by those of --also."""
    if query.given.estimates:
        return _estimated(query)
    given, network, names = query.given, query.network, query.network.names
    asked = list(dict.fromkeys((given.command.name.replace("-", "_"), *(given.also or ()))))
    query.notes += output.on_cutoffs(query)
    is_of_paths = not {*asked} <= {*OF_DISTANCES}
    found = query.compute(_scores, asked, counts_paths=is_of_paths)
    found = output.by_cutoff({name: found[name] for name in asked}, given.cutoff or ())
    query.notes += [*network.on_weights(), *output.remarks_on(query, found)]
    linked = pattern(network.matrix, directed=network.directed)
    degrees, edges = np.diff(linked.indptr), linked.nnz
    if network.directed:
        degrees = degrees + np.bincount(linked.indices, minlength=len(names))
    else:
        edges //= 2
    if asked[0] == "edge_betweenness":
        from ..io.network_file import annotate

        of = annotate(network.counted(), names, None, found, directed=network.directed)
        apart = of.tails != of.heads  # no path takes a loop
        values = {title: column[apart] for title, column in of.edges.items()}
        ends = {"source": of.tails[apart], "target": of.heads[apart]}
        named = {title: [names[v] for v in nodes] for title, nodes in ends.items()}
        scores = {title: values[title] for title in found}
        made = output.ranked(query, named, scores, values, edges=edges)
        page = {"what": made.page["what"], "units": made.page["units"]}
        return made._replace(graph={"edges": found}, page=page)
    beside = {"degree": Column(degrees, ">")}
    made = output.ranked(query, {"node": names}, found, beside=beside, edges=edges)
    return made._replace(plot=(degrees, next(iter(found.values())), given.command.name))


def _scores(A: Any, asked: Sequence[str], **options: Any) -> dict[str, Any]:
    """Scores by measure; only `eccentricity` takes ``reachable_only``, so it is called alone."""
    from .. import centralities, eccentricity

    if not options.pop("reachable_only", False):
        return dict(centralities(A, asked, **options))  # type: ignore[arg-type]
    others = [name for name in asked if name != "eccentricity"]
    found = dict(centralities(A, others, **options)) if others else {}  # type: ignore[arg-type]
    return found | {"eccentricity": eccentricity(A, reachable_only=True, **options)}


def _estimated(query: Query) -> Result:
    """Sampling estimate of betweenness, to a given error or within a given time."""
    given, names = query.given, query.network.names
    if given.error is None and given.seconds is None:
        query.keywords["epsilon"] = 0.001
    delta = query.keywords.setdefault("delta", 0.1)
    query.provenance["confidence"] = 1 - delta
    found, stopped = query.compute(_estimate, given.checkpoint is not None, counts_paths=True)
    query.notes += query.network.on_weights()
    if stopped is not None:
        query.notes.append("the estimate was stopped early: half-widths are those reached so far")
    query.provenance["samples"] = found.samples
    kind = "paths" if found.population is None else "sources"
    said = f"all {found.population} sources; every score exact"
    if not found.exact:
        drawn = f"{found.samples} {'' if kind == 'paths' else f'of {found.population} '}{kind}"
        query.notes.append(output.on_estimate(query, drawn))
        most = found.half_widths.max()
        said = f"{drawn}; every score within {most:.2g} with probability {1 - delta:g}"
    if (given.sources or given.targets) and not (given.source_weights or given.target_weights):
        query.notes.append(
            "normalized by all pairs of nodes, not only the selected ones; --source-weights and "
            "--target-weights divide by theirs"
        )
    scores, widths = {"betweenness": found.scores}, {"half_width": found.half_widths}
    beside = {"half_width": Column(found.half_widths, "<.6f")}
    if given.best:
        certain = set() if found.ranking is None else {*found.ranking[found.certain].tolist()}
        marks = ["yes" if v in certain else "" for v in range(len(names))]
        beside["certain"] = Column(marks)
    made = output.ranked(query, {"node": names}, scores, scores | widths, beside=beside)
    facts = {kind: found.samples, "population": found.population, "exact": found.exact}
    if given.best and found.ranking is not None:
        facts["certain"] = [names[v] for v in found.ranking[found.certain]]
    half_widths = {"half_widths": {"betweenness": found.half_widths}}
    made = made._replace(
        what=(*made.what, said),
        facts=facts | ({"stopped": True} if stopped is not None else {}),
        graph={"nodes": scores | widths},
        page={**made.page, **half_widths},
    )
    query.stopped = stopped
    return made


def _estimate(A: Any, is_kept: bool, **options: Any) -> tuple[Any, BaseException | None]:
    """Estimate, and the exception that stopped it early or None; reraised if there are no samples.

    With a checkpoint, `messages.resumable` already handles signals.
    """
    from .. import approximate_betweenness

    with nullcontext() if is_kept else messages.stopped_by_signals():
        try:
            return approximate_betweenness(A, **options), None
        except (KeyboardInterrupt, messages.Stopped) as stop:
            found = getattr(stop, "approximation", None)
            if found is None or not found.samples:
                raise
            return found, stop


def percolation(query: Query) -> Result:
    """Percolation centrality: betweenness of every node by the states of the sources."""
    from .. import percolation

    states, names = query.keywords["states"], query.network.names
    found = {"percolation": query.compute(percolation)}
    query.notes += query.network.on_weights()
    beside = {"state": Column(states, ">g")}
    made = output.ranked(query, {"node": names}, found, {"state": states, **found}, beside=beside)
    return made._replace(graph={"nodes": found})


def access(query: Query) -> Result:
    """Accessibility, or distance to the nearest place, for every kind of places and cutoff."""
    from .. import accessibility, nearest

    name, *number = query.given.measure
    places, kinds = query.keywords.pop("places", None), query.kinds
    query.notes += output.on_cutoffs(query)
    measure: Any = accessibility if name == "accessibility" else nearest
    found = query.compute(measure, places, *number)
    query.notes += query.network.on_weights()
    found = found if places is not None else found[:, np.newaxis]
    titles = [f"{name}_{kind}" for kind in kinds] if len(kinds) > 1 else [name]
    scores = {title: found[:, column] for column, title in enumerate(titles)}
    scores = output.by_cutoff(scores, query.given.cutoff or ())
    return output.ranked(query, {"node": query.network.names}, scores)


def group(query: Query) -> Result:
    """Betweenness of given groups of nodes, or a group of high betweenness."""
    from .. import group_betweenness, prominent_group

    names, size, more = query.network.names, query.keywords.pop("size", None), {}
    if size:
        found = query.compute(partial(prominent_group, size=size))
        groups: Any = found.nodes[:, np.newaxis]
        number, title, listed = "step", "node", [names[v] for v in found.nodes]
        scores, more = found.scores, {"bound": found.bound}
        share = float(scores[-1] / found.bound) if found.bound else 1.0
        query.notes.append(
            f"no group of {size} nodes scores above {found.bound:.6g}; this group has {share:.1%} "
            "of that bound"
        )
    else:
        groups, number, title = query.keywords["groups"], "number", "group"
        scores = query.compute(group_betweenness)
        listed = [_joined(names[v] for v in nodes) for nodes in groups]
    query.notes += query.network.on_weights()
    marks = output.marks_of(len(names), groups, scores, "step" if size else "group")
    counts = range(1, len(listed) + 1)
    shown = {number: Column(counts, ">"), title: Column(listed), "score": Column(scores, "<.6g")}
    said = f"score: {output.said_of(query, 'betweenness')}"
    listing = "Steps" if size else "Groups", shown
    page = {"what": "Group betweenness", "listings": [listing]}
    rows = partial(table_of, {title: listed}, {"score": scores})
    return Result(rows, shown, (query.summary(), said), more, graph={"nodes": marks}, page=page)


def _joined(names: Iterable[str]) -> str:
    """Names between commas; one with a comma or a quote, in quotes."""
    return ",".join(
        '"' + name.replace('"', '""') + '"' if {*name} & {*',"'} else name for name in names
    )


def dismantle(query: Query) -> Result:
    """Repeatedly remove the node or edge of highest betweenness."""
    from .. import dismantle

    names, (name,) = query.network.names, query.given.measure
    by = name.removeprefix("initial_")
    of_edges = by == "edge_betweenness"
    found = query.compute(partial(dismantle, recompute=name == by), by)
    query.notes += query.network.on_weights()
    ends = found.order.reshape(len(found.order), -1).T
    titles = ("source", "target") if of_edges else ("node",)
    removed = {title: [names[v] for v in nodes] for title, nodes in zip(titles, ends, strict=True)}
    if of_edges:
        import scipy.sparse

        size = (len(names), len(names))
        marks: Any = {"score": scipy.sparse.csr_array((found.scores, ends), shape=size)}
    else:
        marks = output.marks_of(len(names), found.order[:, np.newaxis], found.scores, "step")
    shown = {
        "step": Column(range(1, len(found.order) + 1), ">"),
        **{title: Column(nodes) for title, nodes in removed.items()},
        "score": Column(found.scores, "<.6g"),
        "largest component": Column(found.largest, ">"),
    }
    listing = "Steps", shown, ("step", "largest component")
    values = {"score": found.scores, "largest component": found.largest}
    return Result(
        partial(table_of, removed, values),
        shown,
        (query.summary(), f"score: {output.said_of(query, by)}{', when removed' * (name == by)}"),
        {},
        graph={"edges" if of_edges else "nodes": marks},
        page={"what": "Dismantling", "listings": [listing]},
    )


def communities(query: Query) -> Result:
    """Communities by Girvan and Newman's removal of the edges of highest betweenness."""
    from ..communities import partition

    network, count = query.network, query.keywords.pop("parts", None)
    strengths = network.matrix if network.use in STRENGTHS else None
    found = query.compute(partial(partition, strengths=strengths, parts=count))
    query.notes += network.on_weights()
    at = int(np.flatnonzero(found.parts == found.labels.max(initial=-1) + 1)[0])
    modularity = float(found.modularity[at])
    best = f"; the largest of {len(found.parts)} levels" if count is None else ""
    said = f"{found.parts[at]} communities, modularity {modularity:.6g}{best}"
    levels = {"communities": Column(found.parts), "modularity": Column(found.modularity)}
    listing = "Modularity", levels, ("communities", "modularity")
    rows = zip(found.parts.tolist(), found.modularity.tolist(), strict=True)
    facts: dict[str, Any] = {"communities": int(found.parts[at]), "modularity": modularity}
    facts["levels"] = [dict(zip(levels, row, strict=True)) for row in rows]
    made = output.parts(
        query, found.labels, "community", "Communities", (query.summary(), said), facts
    )
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
    return output.parts(query, labels, "component", "Components", (query.summary(), said), facts)


def paths(query: Query) -> Result:
    """Distance and predecessor of each node from each source."""
    from .. import shortest_paths

    names, numbers = query.network.names, query.keywords["sources"]
    found = query.compute(shortest_paths)
    query.notes += query.network.on_weights()
    named = np.array([*names, ""], dtype=object)
    found = {"distance": found[0], "predecessor": named[np.maximum(found[1], -1)]}
    return output.searches(query, found, [names[v] for v in numbers], ">.6g", "farthest")


def temporal(query: Query) -> Result:
    """Centrality of nodes by walks along contacts, or the earliest arrivals from sources."""
    from .. import temporal

    (name,), contacts = query.given.measure, query.network.contacts
    names, count = query.network.names, len(contacts)
    if name in ("reach", "arrival"):
        start = _start(query)
        if name == "arrival":
            sources = query.keywords.pop("sources")
            found = query.compute(temporal.arrival, sources, start)
            named = [names[v] for v in sources]
            return output.searches(query, {"arrival": found}, named, ">.10g", "last arrival")
        scores = query.compute(temporal.reach, start)
    elif name == "closeness":
        scores = query.compute(temporal.closeness)
    else:
        kind = "shortest" if name == "betweenness" else "shortest foremost"
        scores = query.compute(partial(temporal.betweenness, kind=kind))  # type: ignore[arg-type]
    return output.ranked(query, {"node": names}, {f"temporal_{name}": scores}, contacts=count)


def _start(query: Query) -> float:
    """Time at which walks begin: --start, a number or a date, else that of the first contact."""
    from ..temporal.read import numbers

    told, contacts = query.given.start, query.network.contacts
    if told is not None:
        start: float = numbers([told], "time", lambda _: "--start")[0].item()
        if len(contacts) and start > (last := contacts.time[-1].item()):
            query.notes.append(f"--start {told} is after the last contact, at {last}")
        return start
    first: float = contacts.time[0].item() if len(contacts) else 0
    return first


def null_model(query: Query) -> Result:
    """Scores of all nodes, and mean, z, p and q of each over random networks."""
    from .. import null_model

    given, network, names = query.given, query.network, query.network.names
    by_degree = given.model != "edge-probability"
    if given.model == "shuffled":
        query.keywords |= {"model": "degree", "weights": "shuffled"}
    probability = None if by_degree else _probability(network)
    query.notes += output.on_cutoffs(query)
    of_paths = not {*given.measure} <= {*OF_DISTANCES}
    call = partial(null_model, probability=probability)
    compared = query.compute(call, given.measure, counts_paths=of_paths)
    if by_degree or network.probability is not None:
        query.notes += network.on_weights()
    fields = ("mean", "std", *["z", "p", "q"] * by_degree, "low", "high")
    compared = output.by_cutoff(compared, given.cutoff or (), _of_cutoff)
    scores = {title: one.score for title, one in compared.items()}
    query.notes += output.remarks_on(query, scores)
    first, said = (
        next(iter(compared.values())),
        f"{given.samples} random networks, seed {given.seed}",
    )
    facts: dict[str, Any] = {"samples": given.samples, "model": given.model, "seed": given.seed}
    if by_degree:
        query.notes += _on_samples(first, given.samples)
        facts["significant"] = int(np.count_nonzero(first.q < LEVEL))
        said += f"; {facts['significant']} of {len(names)} nodes with q < {LEVEL}"
    columns = {
        f"{title}_{field}" if len(compared) > 1 else field: getattr(one, field)
        for title, one in compared.items()
        for field in fields
    }
    hidden = ("low", "high") if by_degree else ()
    beside = {
        title: Column(column, "<.4g")
        for title, column in columns.items()
        if not title.endswith(hidden)
    }
    by = first.z if by_degree else first.score
    made = output.ranked(query, {"node": names}, scores, scores | columns, by=by, beside=beside)
    page = {**made.page, "null_models": compared}
    return made._replace(what=(*made.what, said), facts=facts, page=page)


def _probability(network: Any) -> Any:
    """Checked probabilities of the edges: their column, else the weights."""
    P = (network.matrix if network.probability is None else network.probability).tocoo()
    bad = np.flatnonzero(~((P.data > 0) & (P.data <= 1)) & (P.row != P.col))
    if bad.size:
        at = bad[0]
        way = "--scale divides the weights, STRING's by 1000"
        if network.probability is not None:
            way = "--columns names their column"
        raise Refusal(
            f"{network.label}: the edge {network.names[P.row[at]]!r} - "
            f"{network.names[P.col[at]]!r} has probability {P.data[at]:g}: expected above 0 and up "
            f"to 1; {way}"
        )
    return P.tocsr()


def _of_cutoff(compared: Any, index: int) -> Any:
    """Null model within the cutoff of an index."""
    fields = ("score", "mean", "std", "z", "p", "q", "low", "high")
    return replace(compared, **{field: getattr(compared, field)[:, index] for field in fields})


def _on_samples(first: Any, samples: int) -> list[str]:
    """Note if no q can be below `LEVEL` because p is bounded below by the number of samples."""
    least = 1 / (1 + samples)
    beyond = int(np.count_nonzero(first.p <= least))
    if not beyond or first.q.min() < LEVEL:
        return []
    return [
        f"p cannot fall below {least:.2g} with {samples} samples; add --samples to resolve "
        f"{beyond} node{'s' * (beyond > 1)}, whose q is {first.q.min():.2g}"
    ]


def explain(query: Query) -> Any:
    """The plan of a measure, with those options of the command that the measure takes."""
    from .. import explain

    (measure,), keywords = query.given.measure, dict(query.keywords)
    del keywords["progress"]
    with refusing(query.network.in_words):
        plan = explain(query.network.lengths(), measure, **keywords)
    query.notes += [*output.on_cutoffs(query), *query.network.on_weights()]
    return plan
