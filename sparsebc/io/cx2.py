"""CX2, version 2 of Cytoscape's exchange format: one JSON array of aspects."""

from collections.abc import Iterator
from typing import Any

from . import json_text
from .annotated import Annotated, rows


def lines(network: Annotated) -> Iterator[str]:
    """Text of the document, one element of an aspect at a time.

    The format requires this order: descriptor, metadata, aspects, status.
    """
    n, m = len(network.names), len(network.tails)
    counts = {"attributeDeclarations": 1, "networkAttributes": 1, "nodes": n, "edges": m}
    facts = {**network.facts, "directed": network.directed}
    declared = {
        what: {title: {"d": kind} for title, kind in types.items()}
        for what, types in (
            ("networkAttributes", network.types["graph"] | {"directed": "boolean"}),
            ("nodes", {"name": "string"} | network.types["node"]),
            ("edges", network.types["edge"]),
        )
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
        "nodes", ({"id": v, "v": json_text.present(titles, values)} for v, *values in nodes)
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


def _aspect(name: str, elements: Iterator[dict[str, Any]]) -> Iterator[str]:
    """Text of an aspect; nothing if it has no elements."""
    begin = f'{{"{name}":[\n'
    for element in elements:
        yield f"{begin}{json_text.value(element)}"
        begin = ",\n"
    if begin == ",\n":
        yield "\n]},\n"
