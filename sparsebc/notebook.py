"""Text and HTML representations of results with node scores, for prompts and notebooks."""

import dataclasses
from collections.abc import Iterable
from html import escape
from typing import Any, ClassVar

import numpy as np

from .foreign import on_host

ROWS = 10


class Ranked:
    """Mixin of a dataclass whose first field holds the scores of all nodes."""

    by_node: ClassVar[tuple[str, ...]]  # fields with a value for each node, the first one first

    def _fields(self) -> dict[str, Any]:
        names = [field.name for field in dataclasses.fields(self)]  # type: ignore[arg-type]
        return {name: on_host(getattr(self, name)) for name in names}

    def __repr__(self) -> str:
        """Type, number of nodes, and scalar fields, in one line."""
        score, *others = self._fields().items()
        known = [(name, value) for name, value in others if value is not None]
        scalars = [f"{name} {value}" for name, value in known if np.ndim(value) == 0]
        return f"<{'; '.join([f'{type(self).__name__} of {len(score[1]):,} nodes', *scalars])}>"

    def _repr_html_(self) -> str:
        """HTML table of the `ROWS` nodes of highest score, captioned by the text representation."""
        fields = self._fields()
        columns = {name: fields[name] for name in self.by_node}
        score = columns[self.by_node[0]]
        highest = np.argsort(-score, kind="stable")[:ROWS] if np.ndim(score) == 1 else ()
        rows = [[v, *(f"{column[v]:.4g}" for column in columns.values())] for v in highest]
        lines = [_line("th", ["node", *columns]), *(_line("td", row) for row in rows)]
        return f"<table><caption>{escape(repr(self)[1:-1])}</caption>{''.join(lines)}</table>"


def _line(tag: str, values: Iterable[Any]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(str(value))}</{tag}>' for value in values)}</tr>"
