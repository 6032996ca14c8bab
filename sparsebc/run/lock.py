"""One process at a time in a directory.

The system lets go of a lock when its process dies, however that comes about, and so a dead process
of this host never keeps a directory. The file says who holds it, for those who are refused, and for
other hosts, where a shared file system may not tell whether the process lives.
"""

from __future__ import annotations

import errno
import json
import os
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

NAME = "lock"
_ours: set[Path] = set()  # the system's locks are of processes, and do not tell threads apart
_changing = threading.Lock()  # of the set


class Holder(NamedTuple):
    """The process that a directory is in use by."""

    host: str
    process: int

    def __str__(self) -> str:
        return f"process {self.process} on {self.host}"


@contextmanager
def held(directory: Path) -> Iterator[None]:
    """Keep the directory from all others; ValueError if one of them has it."""
    here = Path(os.path.realpath(directory))
    me = Holder(socket.gethostname(), os.getpid())
    with _changing:
        if here in _ours:
            raise _in_use(directory, me)
        _ours.add(here)
    try:
        number = os.open(here / NAME, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            before = _written(number)
            if not _take(number):
                raise _in_use(directory, before)
            if before is not None and before.host != me.host:
                raise _in_use(directory, before, f"; if it is gone, remove {here / NAME}")
            _write(number, json.dumps(me).encode())
            try:
                yield
            finally:
                _write(number, b"")
        finally:
            os.close(number)
    finally:
        _ours.discard(here)


def holder(directory: Path) -> Holder | None:
    """Who holds the directory, or held it when the process or its host died."""
    try:
        number = os.open(directory / NAME, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        return _written(number)
    finally:
        os.close(number)


def gone(one: Holder) -> bool:
    """Whether this is a process of this host that is no more."""
    if one.host != socket.gethostname() or os.name == "nt":
        return False
    try:
        os.kill(one.process, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def _in_use(directory: Path, by: Holder | None, remedy: str = "") -> ValueError:
    return ValueError(
        f"checkpoint={str(directory)!r} is in use by {by or 'another process'}{remedy}: wait for "
        "it, or use another directory"
    )


def _take(number: int) -> bool:
    """Lock an open file; False if another process has it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(number, 1 << 20, os.SEEK_SET)  # behind what others are to read
            msvcrt.locking(number, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.lockf(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
            return False
        raise
    return True


def _written(number: int) -> Holder | None:
    os.lseek(number, 0, os.SEEK_SET)
    try:
        return Holder(*json.loads(os.read(number, 1 << 12)))
    except (ValueError, TypeError):  # nobody, or one who was killed as he wrote
        return None


def _write(number: int, text: bytes) -> None:
    os.lseek(number, 0, os.SEEK_SET)
    os.truncate(number, 0)
    os.write(number, text)
