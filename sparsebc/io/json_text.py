"""Standard JSON of any float: NaN as null, infinity as the number 1e999.

RFC 8259 has neither NaN nor infinity. ``1e999`` is a valid number, and parsers that use doubles
round it to infinity.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

_ENCODE = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def value(of: Any) -> str:
    """JSON text of Python objects; floats by `repr`, NaN as null, infinity as 1e999."""
    try:
        return _ENCODE(of)
    except ValueError:  # some float is not finite
        if isinstance(of, dict):
            return f"{{{','.join(f'{_ENCODE(key)}:{value(one)}' for key, one in of.items())}}}"
        if isinstance(of, (list, tuple)):
            return f"[{','.join(map(value, of))}]"
        return "null" if math.isnan(of) else f"{'-' if of < 0 else ''}1e999"


def present(titles: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    """Values by title, without those that are NaN."""
    pairs = zip(titles, values, strict=True)
    return {title: one for title, one in pairs if one == one}


def records(
    header: Sequence[str],
    rows: Iterable[Iterable[Any]],
    provenance: Mapping[str, Any] | None = None,
) -> Iterator[str]:
    """Lines of an array with an object for each row; with provenance, an object with both."""
    told = provenance is not None
    before = f'{{"provenance":{value(dict(provenance or {}))},\n"rows":' if told else ""
    begin = f"{before}[\n"
    for row in rows:
        yield begin + value(dict(zip(header, row, strict=True)))
        begin = ",\n"
    yield f"{before}[]" if begin != ",\n" else "\n]"
    yield "}\n" if told else "\n"
