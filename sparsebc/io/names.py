"""Checks of what is written: names of nodes, titles and values of columns, provenance."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, InputTypeError
from ..foreign import on_host
from ..plain_text import as_json, plain

# Characters that no XML 1.0 document may hold.
_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_texts(names: Sequence[Any], argument: str = "names") -> Sequence[str]:
    """Names as strings, integers as their digits; TypeError or ValueError for any other name."""
    if isinstance(names, (set, frozenset)) or not hasattr(names, "__len__"):
        raise InputTypeError(
            f"{argument} must be names in order, got {type(names).__name__}: use a list"
        )
    texts = names
    if not all(type(name) is str for name in names):
        texts = []
        for k, name in enumerate(names):
            if isinstance(name, bool) or not isinstance(name, (str, int, np.integer)):
                raise InputTypeError(
                    f"{argument}[{k}] is {name!r}; expected text or an integer: "
                    "list(map(str, ...)) makes text"
                )
            texts.append(str(name) if isinstance(name, str) else str(int(name)))
    check_texts(texts)
    return texts


def check_texts(texts: Sequence[str], *, xml: bool = False) -> None:
    """Refuse text that UTF-8 cannot encode, or with `xml` an XML document cannot hold."""
    for text in texts:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise InputError(
                f"{text!r} has half of a surrogate pair, which UTF-8 cannot encode: remove it"
            ) from error
        if xml and _NOT_XML.search(text):
            raise InputError(f"{text!r} has a character that XML cannot represent: remove it")


def check_unique(names: Sequence[str], argument: str = "names", each: str = "node") -> None:
    """Refuse names that occur twice."""
    if len(set(names)) < len(names):
        twice, _ = Counter(names).most_common(1)[0]
        raise InputError(
            f"{argument} has {twice!r} twice; expected a different name for each {each}"
        )


def titled(argument: str, columns: Any, taken: Collection[str] = ()) -> dict[str, Any]:
    """Columns of a mapping or a data frame, by titles as text, all distinct and none of `taken`.

    The levels of a multi-level title, such as kind and cutoff, are joined by commas.
    """
    if not (isinstance(columns, Mapping) or hasattr(columns, "columns")):
        raise InputTypeError(
            f"{argument} must be a mapping of titles to columns or a data frame of pandas, got "
            f"{type(columns).__name__}: name it, as in {argument}={{'betweenness': scores}}"
        )
    pairs = list(columns.items())
    several = [title if isinstance(title, tuple) else (title,) for title, _ in pairs]
    titles = [", ".join(as_texts(parts, f"titles of {argument}")) for parts in several]
    check_unique(titles, f"titles of {argument}", "column")
    for title, (_, values) in zip(titles, pairs, strict=True):
        if title in taken:
            raise InputError(
                f"{argument} has {title!r}, which is the title of another column: choose another"
            )
        if isinstance(values, (list, tuple)) and values and hasattr(values[0], "tocsr"):
            raise InputTypeError(
                f"{argument}[{title!r}] is a list of {len(values)} matrices: give each a title"
            )
    return dict(zip(titles, (values for _, values in pairs), strict=True))


def as_values(
    argument: str, values: Any, shape: tuple[int, ...], each: str, kinds: str = "biuf"
) -> NDArray[Any]:
    """Values as an array of the given shape, its dtype of one of the `kinds`; real by default.

    Text that is missing in pandas (None, NaN or NA) becomes empty.
    """
    array: NDArray[Any] = np.asarray(on_host(values, argument))
    if array.dtype == object and "U" in kinds:  # as pandas has text
        words = array.ravel().tolist()
        for k, word in enumerate(words):
            if word is None or (not isinstance(word, str) and str(word) in ("nan", "<NA>")):
                words[k] = ""
        if all(isinstance(word, str) for word in words):
            array = np.array(words, dtype=np.str_).reshape(array.shape)
    if array.dtype.kind == "U":
        check_texts(array.ravel().tolist())
    if array.dtype.kind not in kinds:
        expected = "real numbers or strings" if "U" in kinds else "real numbers"
        raise InputTypeError(f"{argument} has dtype {array.dtype}; expected {expected}")
    if array.shape != shape:
        several = ": give each column a title" * (array.shape[:1] == shape)
        raise InputError(
            f"{argument} has shape {array.shape}; expected {shape}, one value for each of {each}"
            f"{several}"
        )
    return array


def facts(provenance: Mapping[str, Any] | None) -> dict[str, str | bool | int | float]:
    """Provenance as scalar attributes: text on one line, numbers, other values as JSON."""
    found = {}
    if not isinstance(provenance, Mapping | None):
        raise InputTypeError(
            f"provenance must be a mapping of titles to values, got {type(provenance).__name__}: "
            "use {'title': value}"
        )
    for title, value in (provenance or {}).items():
        if not isinstance(value, (str, bool, int, float)):
            try:
                value = as_json(value)
            except TypeError as error:
                raise InputTypeError(
                    f"provenance[{title!r}]: {error}; expected a value that JSON can represent"
                ) from error
        elif isinstance(value, np.float64):  # a float, but its repr is not that of a number
            value = float(value)
        found[plain(str(title))] = plain(value) if isinstance(value, str) else value
    return found
