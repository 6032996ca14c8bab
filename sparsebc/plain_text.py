"""Text with terminal control characters escaped; numbers in ASCII; JSON of any float."""

import codecs
import json
import re
import reprlib
from collections.abc import Iterable
from typing import Any

# Control characters, Unicode line separators, bidirectional controls, and lone surrogates, which
# no encoding has.
_CONTROLS = re.compile("[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_NOT_ASCII = re.compile("[^ -~]")


def plain(text: str) -> str:
    """Text in one line, control characters escaped as in Python literals."""
    return _CONTROLS.sub(lambda found: repr(found[0])[1:-1], text)


_SHORT = reprlib.Repr()
_SHORT.maxstring, _SHORT.maxlist, _SHORT.maxother = 60, 12, 60


def quoted(value: Any) -> str:
    """Text or texts of a file for a message: control characters escaped, what is long cut short."""
    return _SHORT.repr(value)


def meant(name: str, known: Iterable[str]) -> str:
    """Question after the known name that is most like ``name``; empty if none is."""
    import difflib

    lower, near = name.lower(), {one.lower(): one for one in known}
    found = difflib.get_close_matches(lower, near, n=1)
    return f"; did you mean {near[found[0]]!r}?" if found else ""


def plain_json(text: str, encoding: str) -> str:
    """JSON text in one line, with escapes for control characters and what the encoding lacks."""
    ascii_only = not codecs.lookup(encoding).name.startswith("utf")
    return (_NOT_ASCII if ascii_only else _CONTROLS).sub(_escapes, text)


def _escapes(found: re.Match[str]) -> str:
    """JSON escapes of characters, one for each UTF-16 code unit."""
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[k : k + 4]}" for k in range(0, len(units), 4))


_ENCODE = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def as_json(value: Any) -> str:
    """JSON text of Python objects; floats by `repr`, NaN and infinity, which JSON lacks, null."""
    try:
        return _ENCODE(value)
    except ValueError:  # some float is not finite
        if isinstance(value, dict):
            return f"{{{','.join(f'{_ENCODE(key)}:{as_json(one)}' for key, one in value.items())}}}"
        if isinstance(value, (list, tuple)):
            return f"[{','.join(map(as_json, value))}]"
        return "null"


def ascii_number(text: str) -> float:
    """Value of a number in ASCII; ValueError also for underscores, which Python accepts."""
    if "_" in text or not text.isascii():
        raise ValueError
    return float(text)
