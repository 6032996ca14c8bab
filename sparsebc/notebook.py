"""Text and HTML representations of results with node scores, for prompts and notebooks.

They are methods of dataclasses whose first field holds the scores of all nodes; ``by_node`` names
the fields with a value for each node, the first one first.
"""

import dataclasses
from collections.abc import Iterable
from html import escape
from typing import Any

import numpy as np

from .foreign import on_host

ROWS = 10


def in_one_line(result: Any) -> str:
    """Type, number of nodes, and scalar fields: the ``__repr__`` of a result."""
    score, *others = _fields(result).items()
    known = [(name, value) for name, value in others if value is not None]
    scalars = [f"{name} {value}" for name, value in known if np.ndim(value) == 0]
    return f"<{'; '.join([f'{type(result).__name__} of {len(score[1]):,} nodes', *scalars])}>"


def as_table(result: Any) -> str:
    """HTML of the `ROWS` nodes of highest score, captioned by `in_one_line`: ``_repr_html_``."""
    fields = _fields(result)
    columns = {name: fields[name] for name in result.by_node}
    score = columns[result.by_node[0]]
    highest = np.argsort(-score, kind="stable")[:ROWS] if np.ndim(score) == 1 else ()
    rows = [[v, *(f"{column[v]:.4g}" for column in columns.values())] for v in highest]
    lines = [_line("th", ["node", *columns]), *(_line("td", row) for row in rows)]
    return f"<table><caption>{escape(repr(result)[1:-1])}</caption>{''.join(lines)}</table>"


def _fields(result: Any) -> dict[str, Any]:
    names = [field.name for field in dataclasses.fields(result)]
    return {name: on_host(getattr(result, name)) for name in names}


def _line(tag: str, values: Iterable[Any]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(str(value))}</{tag}>' for value in values)}</tr>"
