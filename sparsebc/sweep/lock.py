"""Exclusive use of a directory: a file lock, which the system releases when its process ends.

Another file names the holder, for the error message of other processes.
"""

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock, Timeout

from .. import private_files
from ..errors import OptionError

NAME, HOLDER = "lock", "holder.json"
# Seconds to wait for the lock: one that a process released just now.
PATIENCE = 0.2


class Holder(NamedTuple):
    """The process that uses a directory."""

    host: str
    process: int

    def __str__(self) -> str:
        return f"process {self.process} on {self.host}"


@contextmanager
def held(directory: Path) -> Iterator[None]:
    """Lock the directory; OptionError if another process or thread holds it."""
    private_files.check(directory / NAME)
    lock = FileLock(directory / NAME, thread_local=False)
    try:
        lock.acquire(timeout=PATIENCE)
    except (Timeout, RuntimeError) as error:  # RuntimeError: this very thread has it
        raise OptionError(
            f"checkpoint={str(directory)!r} is in use by {_holder(directory) or 'another process'}"
            ": wait for it, or use another directory",
            f"checkpoint={str(directory)!r}",
        ) from error
    try:
        me = json.dumps(Holder(socket.gethostname(), os.getpid())).encode()
        private_files.replace(directory / HOLDER, lambda file: file.write(me))
        yield
    finally:
        with suppress(OSError):  # the directory or disk may be gone, but the result is valid
            (directory / HOLDER).unlink()
        with suppress(OSError):
            lock.release()


def _holder(directory: Path) -> Holder | None:
    try:
        with private_files.open_existing(directory / HOLDER) as file:
            host, process = json.loads(file.read(1 << 12))
            return Holder(str(host), int(process))
    except (OSError, ValueError, TypeError, OverflowError, RecursionError):
        return None  # no such file, or not written by `held`
