"""Where results are written: files complete or not at all, and streams as they are.

A file is written beside its place, as a draft ``.NAME.part``, and moved there at the end: at no
time is anything else found there than what was, or all that is new. A draft is locked by the
process that writes it; what a killed process left is replaced by the next. A stream, a descriptor
of this process as ``/dev/stdout`` names one, is written to from where it stands, also where a
regular file is behind it (``>> log.txt``). Nothing else is written to: see `locate`.
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
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import InputError

try:
    import fcntl
except ImportError:  # Windows, where no file is removed that is open elsewhere
    fcntl = None  # type: ignore[assignment]

COMPRESSED = (".gz", ".bz2", ".xz")
WHOLE = (".parquet", ".html")  # compressed within; browsers take none that is compressed
_DESCRIPTORS = re.compile(r"/dev/fd|/proc/(\d+)/(?:task/\d+/)?fd")
_DEVICES = ("/dev/null", "/dev/full", "/dev/tty")
_SYSTEM = ("/dev", "/proc", "/sys")


class Target(NamedTuple):
    """The place that a path names."""

    path: Path
    descriptor: int | None = None  # open in this process, and named by the path
    device: bool = False

    @property
    def stream(self) -> bool:
        """Whether it is written to as it is; else it is a file, or nothing yet."""
        return self.device or self.descriptor is not None


def suffix(path: str | os.PathLike[str], known: Iterable[str]) -> str:
    """Suffix, before that of a compression; "" of a stream; ValueError if none of those known."""
    given = os.fspath(path)
    if not given or "\0" in given:
        raise InputError(f"{given!r} is no name of a file")
    path = Path(path)
    inner = Path(path.stem) if path.suffix.lower() in COMPRESSED else path
    found = inner.suffix.lower()
    packed = inner is not path and found in WHOLE
    if not found and locate(path).stream:
        return ""
    if found not in known or packed:
        also = f", or in one of these and {', '.join(COMPRESSED)}" if {*known} - {*WHOLE} else ""
        which = f"as {found}{path.suffix if packed else ''}" if found else "without a suffix"
        raise InputError(
            f"{path}: results are not written {which}; "
            f"expected a name that ends in {', '.join(known)}{also}"
        )
    return found


def check(path: str | os.PathLike[str]) -> None:
    """Raise now, before there is anything to write, what writing to the path would raise."""
    target = locate(path)
    if target.descriptor is not None:
        if fcntl is not None:
            try:
                flags = fcntl.fcntl(target.descriptor, fcntl.F_GETFL)
            except OSError as error:
                raise OSError(error.errno, "no such descriptor is open", str(path)) from error
            if flags & os.O_ACCMODE == os.O_RDONLY:
                raise OSError(errno.EBADF, "the descriptor is open for reading only", str(path))
    elif not target.device:
        with contextlib.closing(_Draft(target.path)):
            pass


@contextlib.contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[Any]:
    """Binary file whose bytes get to the path: all of them or none, unless that is a stream."""
    target = locate(path)
    if target.stream:
        if target.descriptor is None:
            number = os.open(target.path, os.O_WRONLY)
        else:
            sys.stdout.flush()  # what was printed before stays before
            number = os.dup(target.descriptor)
        with open(number, "wb") as file:
            yield file
        return
    with contextlib.closing(_Draft(target.path)) as draft:
        yield draft.file
        draft.publish()


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
    """The stream or file that a path names; OSError if it is nothing that results may replace.

    That is a descriptor of this process, one of a few devices, a regular file of this user that no
    one runs, or a free name. Links are followed to streams alone: whoever planted one would choose
    the file that is replaced.
    """
    place = given = Path(path)
    for _ in range(40):
        folder = Path(os.path.realpath(place.parent))
        place = folder / place.name
        open_here = _DESCRIPTORS.fullmatch(str(folder))
        if open_here and place.name.isdigit() and open_here[1] in (None, str(os.getpid())):
            return Target(place, int(place.name))
        if str(place) in _DEVICES and place.is_char_device():
            return Target(place, device=True)
        if not place.is_symlink():
            break
        place = folder / os.readlink(place)
    else:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(given))
    _check_file(given, place)
    return Target(place)


def _check_file(given: Path, place: Path) -> None:
    """Raise OSError unless the place is free, or has a file that results may replace."""
    if given.is_symlink():
        reason = f"is a link to {os.readlink(given)}; give the name of the file itself"
        raise OSError(errno.ELOOP, reason, str(given))
    if any(map(place.is_relative_to, _SYSTEM)) and not place.is_relative_to("/dev/shm"):
        reason = "belongs to the system; name a file elsewhere, or - for standard output"
        raise PermissionError(errno.EPERM, reason, str(given))
    if place.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder; give the name of a file", str(given))
    if not place.parent.is_dir():
        reason = f"there is no folder {given.parent}"
        raise FileNotFoundError(errno.ENOENT, reason, str(given))
    try:
        there = os.lstat(place)
    except FileNotFoundError:
        return
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(given)) from error
    if not stat.S_ISREG(there.st_mode):
        reason = "is a pipe, socket or device, not a file; write to standard output: -o - > NAME"
        raise OSError(errno.EINVAL, reason, str(given))
    if not _mine(there) and os.geteuid() != 0:
        reason = "belongs to another user; give another name"
        raise PermissionError(errno.EPERM, reason, str(given))
    if not os.access(place, os.W_OK):
        raise PermissionError(errno.EACCES, "no permission to write", str(given))


def is_output(path: str | os.PathLike[str], descriptor: int) -> bool:
    """Whether what is written to the path comes out where an open descriptor leads."""
    target = locate(path)
    try:
        here = os.fstat(descriptor)
        if target.descriptor is not None:
            return os.path.samestat(os.fstat(target.descriptor), here)
        return target.device and os.path.samestat(target.path.stat(), here)
    except OSError:
        return False


class _Draft:
    """A new file beside a path, locked by this process, that takes its place at the end."""

    def __init__(self, path: Path) -> None:
        self._path, self._draft = path, path.with_name(f".{path.name}.part")
        try:
            while (number := self._begin()) is None:
                pass
        except PermissionError as error:
            reason = f"no permission to write in the folder {path.parent}"
            if os.path.lexists(self._draft):
                reason = f"{self._draft} is in the way, and belongs to another user; remove it"
            raise PermissionError(error.errno, reason, str(path)) from error
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(path)) from error
        self.file: Any = open(number, "wb")
        try:
            self._take_after()
        except BaseException:
            self.close()
            raise

    def _begin(self) -> int | None:
        """Descriptor of a new draft that is locked; None after another one was removed."""
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
        try:
            number, new = os.open(self._draft, flags, 0o666), True
        except FileExistsError:
            flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
            try:
                there = os.lstat(self._draft)
                if not stat.S_ISREG(there.st_mode) or not _mine(there):
                    raise PermissionError(errno.EPERM, "not a draft of this user")
                number, new = os.open(self._draft, flags), False
            except FileNotFoundError:  # it was published meanwhile
                return None
        try:
            if fcntl is not None:
                with contextlib.suppress(OSError):  # some file systems have no locks
                    fcntl.flock(number, fcntl.LOCK_EX)  # waits for a run that writes it now
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(number), os.lstat(self._draft)):
                    if new:
                        return number
                    self._draft.unlink()  # nobody has it locked: who wrote it is gone
        except BaseException:
            os.close(number)
            raise
        os.close(number)
        return None

    def _take_after(self) -> None:
        """Take mode and owner of the file that is replaced; refuse one that someone runs."""
        try:
            there = os.lstat(self._path)
        except FileNotFoundError:
            return
        number = self.file.fileno()
        if (
            there.st_mode & 0o111 and not os.fstat(number).st_mode & 0o111
        ):  # some disks set them all
            reason = "is executable: a program, not results; give another name"
            raise PermissionError(errno.EPERM, reason, str(self._path))
        if hasattr(os, "fchown"):
            with contextlib.suppress(PermissionError):  # a group that this user is not in
                os.fchown(number, there.st_uid, there.st_gid)
        on_descriptor = os.chmod in os.supports_fd
        os.chmod(number if on_descriptor else self._draft, stat.S_IMODE(there.st_mode))

    def publish(self) -> None:
        """Put the draft in its place, once all of it is on the disk."""
        self.file.flush()
        os.fsync(self.file.fileno())  # else a lost machine may keep the new name and no content
        if not self._there():  # where there are no locks
            raise OSError(errno.EEXIST, "another run writes this file now", str(self._path))
        if fcntl is None:
            self.file.close()
        os.replace(self._draft, self._path)

    def close(self) -> None:
        """Remove the draft, unless it was published, and release the lock."""
        try:
            if self._there():
                self._draft.unlink()
        finally:
            with contextlib.suppress(OSError):  # what a full disk did not take
                self.file.close()

    def _there(self) -> bool:
        """Whether the draft is where it was made."""
        try:
            here = os.fstat(self.file.fileno())
            return os.path.samestat(here, os.lstat(self._draft))
        except (OSError, ValueError):  # it was moved, or closed
            return False


def _mine(there: os.stat_result) -> bool:
    return not hasattr(os, "geteuid") or there.st_uid == os.geteuid()
