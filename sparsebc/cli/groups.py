"""The commands ``group``, ``dismantle``, ``communities`` and ``components``: sets of nodes."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from ..reports.content import Listing
from . import page
from .network import STRENGTHS
from .table import Column, records
from .task import Task


def group(task: Task) -> None:
    """Betweenness of given groups of nodes, or a group of high betweenness."""
    from .. import group_betweenness, io, prominent_group

    names, size, facts = task.network.names, task.given.prominent, {}
    if size:
        found = task.compute(prominent_group)
        groups: Any = found.nodes[:, np.newaxis]
        number, title, listed = "step", "node", [names[v] for v in found.nodes]
        scores, facts = found.scores, {"bound": found.bound}
        share = float(scores[-1] / found.bound) if found.bound else 1.0
        task.notes.append(
            f"no group of {size} nodes scores above {found.bound:.6g}; this group has {share:.1%} "
            "of that bound"
        )
    else:
        scores, number, title = task.compute(group_betweenness), "number", "group"
        groups = task.keywords["groups"]
        listed = [" ".join(names[v] for v in nodes) for nodes in groups]
    marks = _marks(len(names), groups, scores, "step" if size else "group")
    columns = {
        number: Column(range(1, len(listed) + 1), ">"),
        title: Column(listed),
        "score": Column(scores, "<.6g"),
    }
    listings = [Listing("Steps" if size else "Groups", _values(columns))]
    draw = partial(page.show, task, "Group betweenness", listings=listings, nodes=marks)
    task.write(io.write_table, {title: listed}, {"score": scores}, page=draw, nodes=marks)
    head, record = task.summary()
    files = {"scores": task.given.output}
    task.tell("groups", columns, files, head, hidden=[number], **record, **facts)


def dismantle(task: Task) -> None:
    """Repeatedly remove the node or edge of highest betweenness."""
    from .. import dismantle, io

    names, of_edges = task.network.names, task.given.edges
    found = task.compute(dismantle, "edge_betweenness" if of_edges else "betweenness")
    ends = found.order.reshape(len(found.order), -1).T
    titles = ("source", "target") if of_edges else ("node",)
    removed = {title: [names[v] for v in nodes] for title, nodes in zip(titles, ends, strict=True)}
    values = {"score": found.scores, "largest component": found.largest}
    if of_edges:
        size = (len(names), len(names))
        marks: Any = {"score": scipy.sparse.csr_array((found.scores, ends), shape=size)}
    else:
        marks = _marks(len(names), found.order[:, np.newaxis], found.scores, "step")
    columns = {
        "step": Column(range(1, len(found.order) + 1), ">"),
        **{title: Column(nodes) for title, nodes in removed.items()},
        "score": Column(found.scores, "<.6g"),
        "largest component": Column(found.largest, ">"),
    }
    listings = [Listing("Steps", _values(columns), ("step", "largest component"))]
    things = {"edges" if of_edges else "nodes": marks}
    draw = partial(page.show, task, "Dismantling", listings=listings, **things)
    task.write(io.write_table, removed, values, page=draw, **things)
    head, record = task.summary()
    task.tell("steps", columns, {"steps": task.given.output}, head, hidden=["step"], **record)


def communities(task: Task) -> None:
    """Communities by Girvan and Newman's removal of the edges of highest betweenness."""
    from ..communities import partition

    network = task.network
    strengths = network.matrix if network.use in STRENGTHS else None
    found = task.compute(partial(partition, strengths=strengths))
    at = int(np.flatnonzero(found.parts == found.labels.max(initial=-1) + 1)[0])
    count, modularity = int(found.parts[at]), float(found.modularity[at])
    best = f"; the largest of {len(found.parts)} levels" if task.given.parts is None else ""
    told = f"{count} communities, modularity {modularity:.6g}{best}"
    levels = {"communities": found.parts, "modularity": found.modularity}
    listing = Listing("Modularity", levels, ("communities", "modularity"))
    columns = parts(task, found.labels, "community", "Communities", [listing], [told])
    head, record = task.summary()
    record |= {"communities": count, "modularity": modularity}
    record["levels"] = records({title: Column(values) for title, values in levels.items()})
    task.tell("largest", columns, {"communities": task.given.output}, head, told, **record)


def components(task: Task) -> None:
    """Connected components, the largest first."""
    from .. import connected_components

    names, is_strong = task.network.names, task.given.strong
    if is_strong and not task.network.directed:
        task.given.refuse("--strong has an effect only with --directed")
    count, labels = task.call(connected_components, connection="strong" if is_strong else "weak")
    columns = parts(task, labels, "component", "Components")
    head = f"{task.network.label}: {len(names)} nodes, {count} component{'s' * (count != 1)}"
    files = {"components": task.given.output}
    task.tell("largest", columns, files, head, nodes=len(names), components=count)


def parts(
    task: Task,
    labels: NDArray[np.int32],
    what: str,
    title: str,
    listings: Sequence[Listing] = (),
    facts: Sequence[str] = (),
) -> dict[str, Column]:
    """Write the label of each node; return the columns of the `--top` largest parts."""
    from .. import io

    names, sizes = np.array(task.network.names, dtype=object), np.bincount(labels)
    order = np.argsort(-sizes, kind="stable")
    first = names[np.unique(labels, return_index=True)[1]]
    rows = {what: order, "nodes": sizes[order], "first": first[order]}
    size = {f"{what}_size": sizes[labels]}

    def draw(path: Any, **how: Any) -> None:
        page.show(
            task, title, path, nodes={**size, what: labels.astype(str)},
            units=dict.fromkeys(size, "nodes"), listings=[Listing(title, rows), *listings],
            notes=[*facts, *task.notes], **how,
        )  # fmt: skip

    found = {what: labels, **size}
    task.write(io.write_table, {"node": names}, found, page=draw, nodes=found)
    shown = slice(task.given.top or None)
    return {
        title: Column(values[shown], "<" if title == "first" else ">")
        for title, values in rows.items()
    }


def _marks(n: int, groups: Sequence[Any], scores: Any, title: str) -> dict[str, Any]:
    """Columns of nodes: highest score of the groups with the node (else NaN), and their numbers."""
    highest, numbers = np.full(n, np.nan), [""] * n
    for number, (nodes, score) in enumerate(zip(groups, scores, strict=True), 1):
        highest[nodes] = np.fmax(highest[nodes], score)
        for v in nodes:
            numbers[v] = f"{numbers[v]} {number}".lstrip()
    return {"score": highest, title: numbers}


def _values(columns: Mapping[str, Column]) -> dict[str, Any]:
    """Values of columns by title, without their formats."""
    return {title: column.values for title, column in columns.items()}
