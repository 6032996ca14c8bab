"""Whether an error is of the input or the machine, or a fault of the package."""

from __future__ import annotations

import dis
from contextlib import suppress

PACKAGE = __package__.partition(".")[0]
_MARK = "is_foreseen_by_sparsebc"


def is_foreseen(error: BaseException) -> bool:
    """Whether this is of the input or the machine, not a fault of the package.

    Files and memory fail at any place. All else was foreseen where a statement ``raise`` of this
    package made it, and not where Python or a library stumbled.
    """
    if isinstance(error, (OSError, MemoryError)):
        return True
    mark = getattr(error, _MARK, None)
    if mark is not None:
        return bool(mark)
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    if step is None:
        return False
    frame = step.tb_frame
    package = str(frame.f_globals.get("__name__")).partition(".")[0]
    operation = dis.opname[frame.f_code.co_code[step.tb_lasti]]
    return package == PACKAGE and operation == "RAISE_VARARGS"


def mark(error: BaseException, foreseen: bool) -> None:
    """Keep with an error whether it was foreseen: tracebacks do not cross to another process.

    A mark that it has stays.
    """
    if not hasattr(error, _MARK):
        with suppress(AttributeError, TypeError):  # a class of errors without attributes
            setattr(error, _MARK, foreseen)
