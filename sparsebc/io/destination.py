"""Where results are written: files complete or not at all, pipes and open descriptors as they are.

A regular file is written beside its place and moved there at the end, so that at no time anything
else is found there than what was, or all that is new. What is no regular file cannot be replaced,
and is opened without being cut: so is a descriptor of this process, as ``/dev/stdout`` names one,
even where a regular file lies behind it (``>> log.txt``), since what it holds is not ours.
"""

from __future__ import annotations

import bz2
import contextlib
import errno
import gzip
import io
import lzma
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

COMPRESSED = (".gz", ".bz2", ".xz")
WHOLE = (".parquet", ".html")  # compressed within; browsers take none that is compressed
_DESCRIPTORS = re.compile(r"/dev/fd|/proc/(\d+)/(?:task/\d+/)?fd")


class Target(NamedTuple):
    """The place that a path names, behind symbolic links."""

    path: Path
    descriptor: int | None  # open in this process, and named by the path
    regular: bool  # a file that can be replaced, or nothing yet


def suffix(path: str | os.PathLike[str], known: Iterable[str]) -> str:
    """Suffix, before that of a compression; ValueError if it is none of those known."""
    path = Path(path)
    inner = Path(path.stem) if path.suffix.lower() in COMPRESSED else path
    found = inner.suffix.lower()
    packed = inner is not path and found in WHOLE
    if found not in known or packed:
        also = f", or in one of these and {', '.join(COMPRESSED)}" if {*known} - {*WHOLE} else ""
        raise ValueError(
            f"{path}: results are not written as {found}{path.suffix if packed else ''}; "
            f"expected a name that ends in {', '.join(filter(None, known))}{also}"
        )
    return found


def check(path: str | os.PathLike[str]) -> None:
    """Raise now, before there is anything to write, what writing to the path would raise."""
    target = locate(path)
    if target.descriptor is not None:
        try:
            import fcntl

            flags = fcntl.fcntl(target.descriptor, fcntl.F_GETFL)
        except OSError as error:
            raise OSError(error.errno, "no such descriptor is open", str(path)) from error
        if flags & os.O_ACCMODE == os.O_RDONLY:
            raise OSError(errno.EBADF, "the descriptor is open for reading only", str(path))
    elif target.path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder; give the name of a file", str(path))
    elif not target.regular:
        if not os.access(target.path, os.W_OK):
            raise PermissionError(errno.EACCES, "no permission to write", str(path))
    else:
        if not target.path.parent.is_dir():
            reason = f"there is no folder {Path(path).parent}"
            raise FileNotFoundError(errno.ENOENT, reason, str(path))
        if target.path.exists() and not os.access(target.path, os.W_OK):
            raise PermissionError(errno.EACCES, "no permission to write", str(path))
        draft, number = _draft(target.path)
        os.close(number)
        draft.unlink()


@contextlib.contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[Any]:
    """Binary file whose bytes get to the path: all of them or none if that is a regular file."""
    target = locate(path)
    if not target.regular:
        if target.descriptor is None:
            number = os.open(target.path, os.O_WRONLY)
        else:
            sys.stdout.flush()  # what was printed before stays before
            number = os.dup(target.descriptor)
        with open(number, "wb") as file:
            yield file
        return
    draft, number = _draft(target.path)
    try:
        with open(number, "wb") as file:
            if target.path.exists():
                os.chmod(draft, stat.S_IMODE(target.path.stat().st_mode))
            yield file
            file.flush()
            os.fsync(file.fileno())  # else a lost machine may keep the new name and no content
        os.replace(draft, target.path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def text(path: str | os.PathLike[str]) -> Iterator[io.TextIOWrapper]:
    """As `writing`, a text file in UTF-8, compressed where the path says so."""
    path = Path(path)
    with contextlib.ExitStack() as stack:
        file: Any = stack.enter_context(writing(path))
        kind = path.suffix.lower()
        if kind == ".gz":  # no time stamp: equal scores give equal bytes
            file = stack.enter_context(gzip.GzipFile(path.stem, "wb", fileobj=file, mtime=0))
        elif kind == ".bz2":
            file = stack.enter_context(bz2.BZ2File(file, "wb"))
        elif kind == ".xz":
            file = stack.enter_context(lzma.LZMAFile(file, "wb"))
        wrapper = io.TextIOWrapper(file, encoding="utf-8", newline="")
        yield wrapper
        wrapper.flush()
        wrapper.detach()  # what is below is closed, and synchronized, by those who opened it


def locate(path: str | os.PathLike[str]) -> Target:
    """Follow symbolic links to a file, or to the number of an open descriptor."""
    place = Path(path)
    for _ in range(40):
        folder = Path(os.path.realpath(place.parent))
        place = folder / place.name
        open_here = _DESCRIPTORS.fullmatch(str(folder))
        if open_here and place.name.isdigit() and open_here[1] in (None, str(os.getpid())):
            return Target(place, int(place.name), regular=False)
        if not place.is_symlink():
            regular = not place.exists() or stat.S_ISREG(place.stat().st_mode)
            return Target(place, None, regular)
        place = folder / os.readlink(place)
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))


def is_output(path: str | os.PathLike[str], descriptor: int) -> bool:
    """Whether what is written to the path comes out where an open descriptor leads."""
    target = locate(path)
    try:
        here = os.fstat(descriptor)
        if target.descriptor is not None:
            return os.path.samestat(os.fstat(target.descriptor), here)
        return not target.regular and os.path.samestat(target.path.stat(), here)
    except OSError:
        return False


def _draft(path: Path) -> tuple[Path, int]:
    """A new file beside the path, and its descriptor; a user's umask applies."""
    draft = path.with_name(f".{secrets.token_hex(8)}.part")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        return draft, os.open(draft, flags, 0o666)
    except PermissionError as error:
        reason = f"no permission to write in the folder {path.parent}"
        raise PermissionError(error.errno, reason, str(path)) from error
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
