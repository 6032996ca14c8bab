"""The commands ``sparsebc group`` and ``sparsebc dismantle``: sets of nodes, and what they hold."""

from __future__ import annotations

from .table import Column
from .task import Task


def group(task: Task) -> None:
    """Betweenness of groups of nodes, or a prominent group."""
    from .. import group_betweenness, io, prominent_group

    names, size, facts = task.network.names, task.given.prominent, {}
    if size:
        found = task.compute(prominent_group)
        number, title, listed = "step", "node", [names[v] for v in found.nodes]
        scores, facts = found.scores, {"bound": found.bound}
        share = float(scores[-1] / found.bound) if found.bound else 1.0
        task.notes.append(
            f"no group of {size} scores above {found.bound:.6g}; this one has {share:.1%} of that"
        )
    else:
        scores, number, title = task.compute(group_betweenness), "number", "group"
        listed = [" ".join(names[v] for v in nodes) for nodes in task.keywords["groups"]]
    task.write(io.write_table, {title: listed}, {"score": scores})
    columns = {
        number: Column(range(1, len(listed) + 1), ">"),
        title: Column(listed),
        "score": Column(scores, "<.6g"),
    }
    head, record = task.summary()
    files = {"scores": task.given.output}
    task.tell("groups", columns, files, head, hidden=[number], **record, **facts)


def dismantle(task: Task) -> None:
    """What falls apart if the node or edge of highest betweenness goes first."""
    from .. import dismantle, io

    names, of_edges = task.network.names, task.given.edges
    found = task.compute(dismantle, "edge_betweenness" if of_edges else "betweenness")
    ends = found.order.reshape(len(found.order), -1).T
    titles = ("source", "target") if of_edges else ("node",)
    removed = {title: [names[v] for v in nodes] for title, nodes in zip(titles, ends, strict=True)}
    values = {"score": found.scores, "largest component": found.largest}
    task.write(io.write_table, removed, values)
    columns = {
        "step": Column(range(1, len(found.order) + 1), ">"),
        **{title: Column(nodes) for title, nodes in removed.items()},
        "score": Column(found.scores, "<.6g"),
        "largest component": Column(found.largest, ">"),
    }
    head, record = task.summary()
    task.tell("steps", columns, {"steps": task.given.output}, head, hidden=["step"], **record)
