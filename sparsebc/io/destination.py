"""Output of results: files are replaced atomically, streams are written in place.

A file is written as a draft ``.NAME.part`` in the same directory and renamed at the end: its path
always holds either the old content or all of the new. The writing process locks the draft; the
draft of a killed process is replaced by the next. A stream, such as the descriptor ``/dev/stdout``
of this process, is written from its current offset, even if it is a regular file (``>> log.txt``).
Nothing else is written to: see `locate`.
"""

import contextlib
import errno
import importlib
import io
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import InputError
from .source import COMPRESSIONS

fcntl: Any = None  # as on Windows, where an open file cannot be removed or replaced
with contextlib.suppress(ImportError):
    fcntl = importlib.import_module("fcntl")

WHOLE = (".parquet", ".html")  # never in .gz: compressed by column, and opened by browsers
_DESCRIPTORS = re.compile(r"/dev/fd|/proc/(\d+)/(?:task/\d+/)?fd")
_DEVICES = ("/dev/null", "/dev/full", "/dev/tty")
_SYSTEM = ("/dev", "/proc", "/sys")


class Target(NamedTuple):
    """What a path names: a stream, a file or a free name."""

    path: Path
    stream: bool = False  # written in place
    descriptor: int | None = None  # of a stream that is open in this process


def suffix(path: str | os.PathLike[str], known: Iterable[str]) -> str:
    """Suffix of a path before any of a compression, "" of a stream; ValueError unless known."""
    given = os.fspath(path)
    if not given or "\0" in given:
        raise InputError(f"{given!r} is not the name of a file")
    path = Path(path)
    inner = Path(path.stem) if path.suffix.lower() in COMPRESSIONS else path
    found = inner.suffix.lower()
    packed = inner is not path and found in WHOLE
    if not found and locate(path).stream:
        return ""
    if found not in known or packed:
        also = f", or in one of these and {', '.join(COMPRESSIONS)}" if {*known} - {*WHOLE} else ""
        which = f"as {found}{path.suffix if packed else ''}" if found else "without a suffix"
        raise InputError(
            f"{path}: results are not written {which}; "
            f"expected a name that ends in {', '.join(known)}{also}"
        )
    return found


def check(path: str | os.PathLike[str]) -> None:
    """Raise what writing to the path would raise, before there is anything to write."""
    target = locate(path)
    if not target.stream:
        with _drafted(target.path):
            pass
    elif target.descriptor is not None and fcntl is not None:
        try:
            flags = fcntl.fcntl(target.descriptor, fcntl.F_GETFL)
        except OSError as error:
            raise OSError(error.errno, "no such descriptor is open", str(path)) from error
        if flags & (os.O_WRONLY | os.O_RDWR) == os.O_RDONLY:
            raise OSError(errno.EBADF, "the descriptor is open for reading only", str(path))


@contextlib.contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[Any]:
    """Binary file that is written to a path, atomically unless the path names a stream."""
    target = locate(path)
    if not target.stream:
        with _drafted(target.path) as (file, publish):
            yield file
            publish()
        return
    if target.descriptor is None:
        number = os.open(target.path, os.O_WRONLY)
    else:
        sys.stdout.flush()  # text printed earlier precedes what is written here
        number = os.dup(target.descriptor)
    with open(number, "wb") as file:
        yield file


@contextlib.contextmanager
def text(path: str | os.PathLike[str]) -> Iterator[io.TextIOWrapper]:
    """UTF-8 text file over `writing`, compressed if the suffix of the path says so."""
    path = Path(path)
    with contextlib.ExitStack() as stack:
        file: Any = stack.enter_context(writing(path))
        if compression := COMPRESSIONS.get(path.suffix.lower()):
            file = stack.enter_context(compression.write(file, path.stem))
        wrapper = io.TextIOWrapper(file, encoding="utf-8", newline="")
        yield wrapper
        wrapper.flush()
        wrapper.detach()  # the files below are closed and synced by the contexts that opened them


def locate(path: str | os.PathLike[str]) -> Target:
    """Stream or file that a path names; OSError unless results may be written there.

    Results may be written to a descriptor of this process, one of `_DEVICES`, a regular file of
    this user, or a free name. Symbolic links are followed to streams only: whoever planted a link
    to a file would choose the file that is replaced.
    """
    place = given = Path(path)
    for _ in range(40):
        folder = Path(os.path.realpath(place.parent))
        place = folder / place.name
        open_here = _DESCRIPTORS.fullmatch(str(folder))
        if open_here and place.name.isdigit() and open_here[1] in (None, str(os.getpid())):
            return Target(place, True, int(place.name))
        if str(place) in _DEVICES and place.is_char_device():
            return Target(place, True)
        if not place.is_symlink():
            _check_file(given, place)
            return Target(place)
        place = folder / os.readlink(place)
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(given))


def _check_file(given: Path, place: Path) -> None:
    """Raise OSError unless the place is free or holds a file that results may replace."""

    def refused(number: int, reason: str) -> OSError:
        return OSError(number, reason, str(given))  # OSError picks the subclass by the number

    if given.is_symlink():
        target = os.readlink(given)
        raise refused(errno.ELOOP, f"is a link to {target}; give the name of the file itself")
    if any(map(place.is_relative_to, _SYSTEM)) and not place.is_relative_to("/dev/shm"):
        reason = "belongs to the system; name a file elsewhere, or - for standard output"
        raise refused(errno.EPERM, reason)
    if place.is_dir():
        raise refused(errno.EISDIR, "is a folder; give the name of a file")
    if not place.parent.is_dir():
        raise refused(errno.ENOENT, f"there is no folder {given.parent}")
    try:
        there = os.lstat(place)
    except FileNotFoundError:
        return
    except OSError as error:
        raise refused(error.errno or 0, str(error.strerror)) from error
    if not stat.S_ISREG(there.st_mode):
        reason = "is a pipe, socket or device, not a file; write to standard output: -o - > NAME"
        raise refused(errno.EINVAL, reason)
    if hasattr(os, "geteuid") and os.geteuid() not in (0, there.st_uid):
        raise refused(errno.EPERM, "belongs to another user; give another name")
    if not os.access(place, os.W_OK):
        raise refused(errno.EACCES, "no permission to write")


@contextlib.contextmanager
def _drafted(path: Path) -> Iterator[tuple[Any, Callable[[], None]]]:
    """Locked draft of a file, and a function that renames it to its path."""
    draft, file = path.with_name(f".{path.name}.part"), None
    try:
        while file is None:
            file = _new_draft(draft)
    except OSError as error:
        reason = error.strerror
        if isinstance(error, PermissionError):
            reason = f"no permission to write in the folder {path.parent}"
            if os.path.lexists(draft):
                reason = f"{draft} is in the way, and belongs to another user; remove it"
        raise OSError(error.errno, reason, str(path)) from error

    def publish() -> None:
        file.flush()
        os.fsync(file.fileno())  # else a power failure may leave the new name without content
        if not _is_at(file, draft):  # another run replaced it, on a file system without locks
            raise OSError(errno.EEXIST, "another run writes this file now", str(path))
        _close_first(file)
        os.replace(draft, path)

    try:
        _copy_mode_and_owner(path, draft, file.fileno())
        yield file, publish
    finally:
        if _is_at(file, draft):
            _close_first(file)
            draft.unlink()
        with contextlib.suppress(OSError):  # buffered data that a full disk did not take
            file.close()


def _new_draft(draft: Path) -> Any:
    """New locked draft; None if another was in the way: try again, an abandoned one is removed."""
    flags, new = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), True
    with contextlib.suppress(FileNotFoundError):
        there = os.lstat(draft)
        if not stat.S_ISREG(there.st_mode) or not _mine(there):
            raise PermissionError(errno.EPERM, "not a draft of this user")
        flags, new = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0), False
    with contextlib.ExitStack() as stack:
        try:
            number = os.open(draft, flags, 0o666)
        except (FileExistsError, FileNotFoundError):  # another run made or published it meanwhile
            return None
        file = stack.enter_context(os.fdopen(number, "wb" if new else "rb"))
        if fcntl is not None:
            with contextlib.suppress(OSError):  # some file systems have no locks
                fcntl.flock(number, fcntl.LOCK_EX)  # waits for the run that writes it
        if new and _is_at(file, draft):
            stack.pop_all()
            return file
        if _is_at(file, draft):
            _close_first(file)
            draft.unlink()  # no other process had it locked: its writer is gone
    return None


def _close_first(file: Any) -> None:
    """Close a file before it is moved or removed, on Windows; elsewhere it stays locked."""
    if fcntl is None:
        with contextlib.suppress(OSError):  # buffered data that a full disk did not take
            file.close()


def _copy_mode_and_owner(path: Path, draft: Path, number: int) -> None:
    """Copy mode and owner of the file to be replaced to its draft; refuse an executable file."""
    try:
        there = os.lstat(path)
    except FileNotFoundError:
        return
    # Some file systems set the executable bits of all files.
    if there.st_mode & 0o111 and not os.fstat(number).st_mode & 0o111:
        reason = "is executable: a program, not results; give another name"
        raise PermissionError(errno.EPERM, reason, str(path))
    if hasattr(os, "fchown"):
        with contextlib.suppress(PermissionError):  # a group that this user is not in
            os.fchown(number, there.st_uid, there.st_gid)
    os.chmod(number if os.chmod in os.supports_fd else draft, stat.S_IMODE(there.st_mode))


def _is_at(file: Any, path: Path) -> bool:
    """Whether an open file is the one at a path: neither closed, moved nor replaced."""
    with contextlib.suppress(OSError, ValueError):
        return os.path.samestat(os.fstat(file.fileno()), os.lstat(path))
    return False


def _mine(there: os.stat_result) -> bool:
    return not hasattr(os, "geteuid") or there.st_uid == os.geteuid()
