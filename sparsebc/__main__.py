"""The program ``sparsebc``, also ``python -m sparsebc``: Ctrl-C stops it, a second one at once."""

import _thread
import gc
import os
import signal
import sys
import threading
import time
from types import FrameType
from typing import Any


def main() -> int:
    """Run the command of this process and return its exit status; no Ctrl-C shows a traceback."""
    try:
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not ignored
            sys.unraisablehook = _stop_later
            signal.signal(signal.SIGINT, _stop)
        # Closed standard streams are the null device, else a later file gets their number.
        for number, flags in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
            try:
                os.fstat(number)
            except OSError:
                os.set_inheritable(os.open(os.devnull, flags), True)
        if sys.stdin is None:
            sys.stdin = open(os.devnull, encoding="utf-8")
        if sys.stderr is None:
            sys.stderr = open(os.devnull, "w", encoding="utf-8")
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
        if frame.f_code is _stop_later.__code__:  # Python ignores exceptions there, too
            return _repeat()
        frame = frame.f_back
    raise KeyboardInterrupt


def _stop_later(lost: Any) -> None:
    """Repeat a signal that Python ignored: with all exceptions of a callback, or by a race.

    The race is one with `signal.signal`: it came before the new handler, and was seen after.
    """
    if lost.exc_type is KeyboardInterrupt:
        _repeat()
    elif lost.exc_type is OSError and "ignored due to race condition" in str(lost.exc_value):
        signal.raise_signal(int(str(lost.exc_value).split()[1]))  # "Signal 2 ignored due to ..."
    else:
        sys.__unraisablehook__(lost)


def _repeat() -> None:
    """Send the signal again, from a thread, when the callback has returned."""
    signal.signal(signal.SIGINT, _stop)
    _thread.start_new_thread(_send, ())  # takes no lock that the interrupted code may hold


def _send() -> None:
    time.sleep(0.01)
    if sys.platform == "win32":
        signal.raise_signal(signal.SIGINT)
    else:  # the main thread may wait in a system call
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


if __name__ == "__main__":
    sys.exit(main())
