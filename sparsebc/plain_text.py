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


def plain_json(text: str) -> str:
    """JSON text in one line, control characters escaped as in JSON strings."""
    return _CONTROLS.sub(lambda found: _escaped(found[0]), text)


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


def _escaped(text: str) -> str:
    """JSON escapes of characters, one for each UTF-16 code unit."""
    units = text.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[k : k + 4]}" for k in range(0, len(units), 4))


def _escape_unknown(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return _escaped(error.object[error.start : error.end]), error.end


JSON_ESCAPES = "sparsebc.json"  # error handler: JSON escapes of what an encoding lacks
codecs.register_error(JSON_ESCAPES, _escape_unknown)
