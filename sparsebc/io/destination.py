"""Output of results: files are replaced atomically, streams are written in place.

A file is written beside its target and renamed at the end: its path always holds either the old
content or all of the new. Links are followed to the file that is replaced. A stream, such as the
descriptor ``/dev/stdout`` of this process, is written from its current offset, even if it is a
regular file (``>> log.txt``).
"""

import contextlib
import errno
import io
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ..errors import InputError
from .source import COMPRESSIONS

WHOLE = (".parquet", ".html")  # never in .gz: compressed by column, and opened by browsers
_NAMED = ("stdin", "stdout", "stderr")
_DESCRIPTOR = re.compile(rf"/dev/({'|'.join(_NAMED)})|(?:/dev|/proc/self)/fd/(\d+)")
_DEVICES = ("/dev/null", "/dev/full", "/dev/tty")


def suffix(path: str | os.PathLike[str], known: Iterable[str]) -> str:
    """Suffix of a path before any of a compression, "" of a stream; ValueError unless known."""
    given = os.fspath(path)
    if not given or "\0" in given:
        raise InputError(f"{given!r} is not the name of a file")
    path = Path(path)
    inner = Path(path.stem) if path.suffix.lower() in COMPRESSIONS else path
    found = inner.suffix.lower()
    packed = inner is not path and found in WHOLE
    if not found:
        if stream(path):
            return ""
        _there(path)  # raises for a folder
    if found not in known or packed:
        also = f", or in one of these and {', '.join(COMPRESSIONS)}" if {*known} - {*WHOLE} else ""
        which = f"as {found}{path.suffix if packed else ''}" if found else "without a suffix"
        raise InputError(
            f"{path}: results are not written {which}; "
            f"expected a name that ends in {', '.join(known)}{also}"
        )
    return found


def stream(path: str | os.PathLike[str]) -> str | None:
    """Descriptor of this process, or device that keeps nothing, to which a path leads."""
    place = os.fspath(path)
    for _ in range(40):  # links, as many as the system follows
        if place in _DEVICES or _DESCRIPTOR.fullmatch(place):
            return place
        try:
            place = os.path.join(os.path.dirname(place), os.readlink(place))
        except OSError:
            break
    return None


def check(path: str | os.PathLike[str]) -> None:
    """Raise what writing to the path would raise, before there is anything to write."""
    if place := stream(path):
        os.close(_opened(place, path))
        return
    with _drafted(path):
        pass


@contextlib.contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[Any]:
    """Binary file that is written to a path, atomically unless the path names a stream."""
    if place := stream(path):
        with open(_opened(place, path), "wb") as file:
            yield file
        return
    with _drafted(path) as (file, draft, target):
        yield file
        file.flush()
        os.fsync(file.fileno())  # else a power failure may leave the new name without content
        file.close()  # Windows moves no open file
        os.replace(draft, target)


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


def _opened(stream: str, path: str | os.PathLike[str]) -> int:
    """New descriptor of a stream that a path leads to."""
    found = _DESCRIPTOR.fullmatch(stream)
    if found is None:
        return os.open(stream, os.O_WRONLY)
    number = int(found[2] or _NAMED.index(found[1]))
    try:
        os.write(number, b"")  # nothing, where that may be written
        if sys.stdout is not None:
            sys.stdout.flush()  # text printed earlier precedes what is written here
        return os.dup(number)
    except (OSError, OverflowError) as error:
        reason = "no such descriptor is open for writing"
        raise OSError(errno.EBADF, reason, str(path)) from error


@contextlib.contextmanager
def _drafted(path: str | os.PathLike[str]) -> Iterator[tuple[Any, Path, Path]]:
    """New file beside the target of a path, its name, and the target; removed at the end."""
    there, target = _there(path), Path(os.path.realpath(path))
    draft = target.with_name(f".sparsebc-{secrets.token_hex(8)}.part")
    try:
        file = open(draft, "xb")
    except PermissionError as error:
        reason = f"no permission to write in the folder {target.parent}"
        raise PermissionError(error.errno, reason, str(path)) from error
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    try:
        if there is not None:
            # Some file systems set the executable bits of all files.
            if there.st_mode & ~os.fstat(file.fileno()).st_mode & 0o111:
                reason = "is executable: a program, not results; give another name"
                raise PermissionError(errno.EPERM, reason, str(path))
            _copy_owner_and_mode(there, draft)
        yield file, draft, target
    finally:
        with contextlib.suppress(OSError):  # buffered data that a full disk did not take
            file.close()
        draft.unlink(missing_ok=True)


def _there(path: str | os.PathLike[str]) -> os.stat_result | None:
    """The file that a path leads to, None if its name is free; OSError if it must stay."""
    try:
        there = os.stat(path)
    except FileNotFoundError:
        if not Path(os.path.realpath(path)).parent.is_dir():
            reason = f"there is no folder {Path(path).parent}"
            raise FileNotFoundError(errno.ENOENT, reason, str(path)) from None
        return None
    if stat.S_ISDIR(there.st_mode):
        raise IsADirectoryError(errno.EISDIR, "is a folder; give the name of a file", str(path))
    if not stat.S_ISREG(there.st_mode):
        reason = "is a pipe, socket or device, not a file: write to it by > NAME"
        raise OSError(errno.EINVAL, reason, str(path))
    folder = os.stat(os.path.dirname(os.path.realpath(path)))
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, "no permission to write", str(path))
    owners = 0, there.st_uid, folder.st_uid
    if sys.platform != "win32" and folder.st_mode & stat.S_ISVTX and os.geteuid() not in owners:
        reason = "belongs to another user, who alone may replace it in that folder"
        raise PermissionError(errno.EPERM, reason, str(path))
    return there


def _copy_owner_and_mode(there: os.stat_result, draft: Path) -> None:
    """Give a draft the owner, group and mode of the file that it replaces, as far as allowed."""
    if hasattr(os, "chown"):
        for owner in (there.st_uid, -1):  # another owner only root may set
            with contextlib.suppress(PermissionError):  # a group that this user is not in
                os.chown(draft, owner, there.st_gid)
                break
    os.chmod(draft, stat.S_IMODE(there.st_mode))
