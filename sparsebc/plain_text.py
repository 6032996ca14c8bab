"""Text without what steers a terminal, or its encoding does not have; numbers in ASCII."""

import codecs
import re

# Control characters, line separators of Unicode, those that turn the direction of what is shown,
# and lone surrogates, which no encoding has.
_STEERING = re.compile("[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def plain(text: str) -> str:
    """One line, in which the characters that steer a terminal are spelt out as Python does."""
    return _STEERING.sub(lambda found: repr(found[0])[1:-1], text)


def plain_json(text: str) -> str:
    """The same of JSON, as JSON spells them."""
    return _STEERING.sub(lambda found: _escaped(found[0]), text)


def in_ascii(number: str) -> str:
    """Text of a number; ValueError for digits or underscores that Python takes besides."""
    if "_" in number or not number.isascii():
        raise ValueError
    return number


def ascii_number(text: str) -> float:
    """Number that is spelt in ASCII; ValueError for another text."""
    return float(in_ascii(text))


def _escaped(text: str) -> str:
    """Each character by its halves of UTF-16, as JSON does."""
    halves = text.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{halves[k : k + 4]}" for k in range(0, len(halves), 4))


def _escape_unknown(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return _escaped(error.object[error.start : error.end]), error.end


JSON_ESCAPES = "sparsebc.json"  # what an encoding does not have, as JSON spells it
codecs.register_error(JSON_ESCAPES, _escape_unknown)
