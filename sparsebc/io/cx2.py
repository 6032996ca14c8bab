"""CX2, version 2 of Cytoscape's exchange format: one JSON array of aspects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from numpy.typing import NDArray

from . import json_text
from .annotated import KINDS, TYPES, Annotated, rows


def lines(network: Annotated) -> Iterator[str]:
    """The document, an element of an aspect at a time.

    Descriptor, metadata, aspects and, at the end, the status, as the format orders them.
    """
    n, m = len(network.names), len(network.tails)
    counts = {"attributeDeclarations": 1, "networkAttributes": 1, "nodes": n, "edges": m}
    facts = {**network.facts, "directed": network.directed}
    declared = {
        "networkAttributes": {title: {"d": KINDS[type(value)]} for title, value in facts.items()},
        "nodes": {"name": {"d": "string"}, **_declared(network.nodes)},
        "edges": _declared(network.edges),
    }
    metadata = [{"name": name, "elementCount": count} for name, count in counts.items() if count]
    yield '[{"CXVersion":"2.0","hasFragments":false},\n'
    for name, element in (
        ("metaData", metadata),
        ("attributeDeclarations", [declared]),
        ("networkAttributes", [facts]),
    ):
        yield f"{json_text.value({name: element})},\n"
    titles = ["name", *network.nodes]
    nodes = rows([range(n), network.names, *network.nodes.values()], n)
    yield from _aspect(
        "nodes",
        ({"id": v, "v": json_text.present(titles, values)} for v, *values in nodes),
    )
    titles = list(network.edges)
    edges = rows([range(m), network.tails, network.heads, *network.edges.values()], m)
    yield from _aspect(
        "edges",
        (
            {"id": e, "s": tail, "t": head, "v": json_text.present(titles, values)}
            for e, tail, head, *values in edges
        ),
    )
    yield '{"status":[{"success":true}]}]\n'


def _declared(columns: Mapping[str, NDArray[Any]]) -> dict[str, dict[str, str]]:
    return {title: {"d": TYPES[column.dtype.kind]} for title, column in columns.items()}


def _aspect(name: str, elements: Iterator[dict[str, Any]]) -> Iterator[str]:
    """An aspect, left out where it has no element."""
    begin = f'{{"{name}":[\n'
    for element in elements:
        yield f"{begin}{json_text.value(element)}"
        begin = ",\n"
    if begin == ",\n":
        yield "\n]},\n"
