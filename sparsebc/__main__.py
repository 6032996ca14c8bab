"""The program ``sparsebc``, also ``python -m sparsebc``: Ctrl-C stops it, a second one at once."""

import gc
import os
import signal
import sys
from types import FrameType
from typing import Any


def main() -> int:
    """Run the command of this process and return its exit status; no Ctrl-C shows a traceback."""
    try:
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not ignored
            signal.signal(signal.SIGINT, _stop)
            sys.unraisablehook = _stop_later
        from .cli.main import main as carry_out

        return carry_out()
    except KeyboardInterrupt:
        return 130
    finally:
        if signal.getsignal(signal.SIGINT) is _stop:  # done: the default handler at exit
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        for number, stream in enumerate((sys.stdout, sys.stderr), 1):
            try:
                stream.flush()
            except (AttributeError, OSError):  # closed or full, and reported: no error at exit
                os.dup2(os.open(os.devnull, os.O_WRONLY), number)
        gc.freeze()  # Python would look for garbage among all objects as it ends, for .3 s


def _stop(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt; exit if in an import, where libraries turn it into other errors."""
    signal.signal(number, signal.SIG_DFL)
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            os._exit(130)
        frame = frame.f_back
    raise KeyboardInterrupt


def _stop_later(lost: Any) -> None:
    """Raise the signal again if Ctrl-C interrupted a callback whose exceptions Python ignores."""
    if lost.exc_type is KeyboardInterrupt:
        signal.signal(signal.SIGINT, _stop)
        signal.raise_signal(signal.SIGINT)
    else:
        sys.__unraisablehook__(lost)


if __name__ == "__main__":
    sys.exit(main())
