"""Names and other text to write: made text, and refused where a format cannot hold it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import InputError, InputTypeError
from ..plain_text import plain
from . import json_text

# Characters that no XML 1.0 document may hold.
_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_texts(names: Sequence[Any], argument: str = "names") -> Sequence[str]:
    """Names as text: whole numbers by their digits; TypeError or ValueError names another."""
    texts = names
    if not all(type(name) is str for name in names):
        texts = [_as_text(name, f"{argument}[{k}]") for k, name in enumerate(names)]
    check(texts)
    return texts


def _as_text(name: Any, place: str) -> str:
    if isinstance(name, str):
        return str(name)
    if isinstance(name, (int, np.integer)) and not isinstance(name, bool):
        return str(int(name))
    raise InputTypeError(f"{place} is {name!r}; expected text or a whole number")


def check(texts: Sequence[str], *, xml: bool = False) -> None:
    """Refuse text that UTF-8 cannot hold, or no XML document."""
    for text in texts:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise InputError(
                f"{text!r} has half of a surrogate pair, which UTF-8 has no way to write: leave it "
                "out"
            ) from error
        if xml and _NOT_XML.search(text):
            raise InputError(f"{text!r} has a character that XML has no way to write: leave it out")


def check_unique(names: Sequence[str]) -> None:
    """Refuse names that do not tell nodes apart."""
    if len(set(names)) < len(names):
        seen: set[str] = set()
        twice = next(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise InputError(f"names has {twice!r} twice; expected a name of its own for each node")


def facts(provenance: Mapping[str, Any] | None) -> dict[str, str | bool | int | float]:
    """Provenance as attributes: text on one line, numbers, and what has parts as JSON."""
    found = {}
    for title, value in (provenance or {}).items():
        if not isinstance(value, (str, bool, int, float)):
            try:
                value = json_text.value(value)
            except TypeError as error:
                raise InputTypeError(
                    f"provenance[{title!r}]: {error}; expected what JSON has"
                ) from error
        found[plain(str(title))] = plain(value) if isinstance(value, str) else value
    return found
