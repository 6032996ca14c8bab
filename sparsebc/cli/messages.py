"""Messages of errors: those foreseen in one line, in options of the command."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .options import OPTIONS, Option

INTERNAL = 70  # EX_SOFTWARE of sysexits.h
FAULT = (
    "sparsebc: internal error: this is a fault of sparsebc, not of the command. Please report it, "
    "with the lines above and what 'sparsebc --info' prints."
)
# Option by argument of the public functions; a command may have others.
OPTION_OF = {one.argument: one.name for one in OPTIONS.values() if one.argument}
OPTION_OF |= {"W": "--places", "directed": "--directed", "executor": "--workers"}
# Arguments that are True if their option is left out.
INVERSE = ("normalized",)
# Spellings of Python that messages of the command replace.
VALUE, QUOTES = r"'[^']*'|\"[^\"]*\"|[\w.+-]*\w", "'\""
VALUES = {" or None": "", "['cuda:0', 'cuda:1']": "cuda:0,cuda:1"}


def one_line(error: BaseException) -> str:
    """Message of a foreseen error, with its notes."""
    told = str(error) or type(error).__name__
    if isinstance(error, OSError) and error.strerror:
        name = error.filename
        told = error.strerror if name is None else f"{name or repr(name)}: {error.strerror}"
    return " ".join([told, *getattr(error, "__notes__", [])])


def spelt(told: str, name: str = "memory_budget", own: Mapping[str, Option] = {}) -> str:
    """Message with options in place of ``name=value``, and of the argument at fault, ``name``.

    ``own`` has the options of a command, which may set other arguments.
    """
    for value, written in VALUES.items() if name == "device" else ():
        told = told.replace(value, written)
    option_of = OPTION_OF | {one.argument: one.name for one in own.values() if one.argument}

    def option(found: re.Match[str]) -> str:
        if not found["known"]:
            return option_of.get(found[0], found[0])
        option, value = option_of[found["known"]], found["value"]
        if value in ("True", "False"):
            return option if (value == "True") != (found["known"] in INVERSE) else f"no {option}"
        return f"{option} {value.strip(QUOTES).removeprefix('numpy.')}"

    known = rf"(?P<known>{'|'.join(option_of)})=(?P<value>{VALUE})"
    told = re.sub(rf"(?<![\w'\"])(?:{known}|{re.escape(name)}(?![\w'\"]))", option, told)
    # What differs from another run, without the hashes that say how.
    if found := re.search(r"(?<=which differs in )(.*?) \(.* was .*\)(?=: use)", told):
        names = " and ".join(option_of.get(one, one) for one in found[1].split(" and "))
        told = told[: found.start()] + names + told[found.end() :]
    return told
