"""Files that results replace.

A file is written beside its target, which it replaces at the end: a path always holds either the
old content or all of the new. Links are followed to the file that is replaced. A program, and
whatever is not a regular file, is never replaced.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import secrets
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ..errors import InputError, imported
from .source import COMPRESSIONS

WHOLE = (".parquet", ".html")  # never in .gz: compressed by column, and opened by browsers
# First bytes of programs: of scripts, ELF, Windows, macOS. Some file systems mark all files so.
_PROGRAMS = (b"#!", b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")


def suffix_of(path: str | os.PathLike[str], known: Iterable[str]) -> str:
    """Suffix of a path before any of a compression; ValueError unless known.

    ImportError for Parquet without PyArrow.
    """
    given = os.fspath(path)
    if not given or "\0" in given:
        raise InputError(f"{given!r} is not the name of a file")
    path = Path(path)
    inner = Path(path.stem) if path.suffix.lower() in COMPRESSIONS else path
    found = inner.suffix.lower()
    packed = inner is not path and found in WHOLE
    if not found:
        check_path(path)  # raises for a folder or a device
    if found not in known or packed:
        also = f", or in one of these and {', '.join(COMPRESSIONS)}" if {*known} - {*WHOLE} else ""
        which = f"as {found}{path.suffix if packed else ''}" if found else "without a suffix"
        raise InputError(
            f"{path}: results are not written {which}; "
            f"expected a name that ends in {', '.join(known)}{also}"
        )
    if found == ".parquet":
        way = "Parquet needs PyArrow: 'python -m pip install pyarrow', or write .csv"
        imported("pyarrow.parquet", way)
    return found


def check_path(path: str | os.PathLike[str]) -> os.stat_result | None:
    """The file that a path leads to, None if its name is free; OSError if it must stay."""
    target = Path(os.path.realpath(path))
    there = None
    with contextlib.suppress(FileNotFoundError):
        there = os.stat(path)
    if there is None and not target.parent.is_dir():
        reason = f"there is no folder {(target if os.path.islink(path) else Path(path)).parent}"
        raise FileNotFoundError(errno.ENOENT, reason, str(path))
    if there is not None:
        if stat.S_ISDIR(there.st_mode):
            raise IsADirectoryError(errno.EISDIR, "is a folder; give the name of a file", str(path))
        if not stat.S_ISREG(there.st_mode):
            reason = "is a pipe, socket or device, not a file; write to an open file instead"
            raise OSError(errno.EINVAL, reason, str(path))
        if not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, "no permission to write", str(path))
        if there.st_mode & 0o111:
            begin = b"#!"  # what this user may not read is taken for a program
            with contextlib.suppress(PermissionError), open(path, "rb") as file:
                begin = file.read(4)
            if begin.startswith(_PROGRAMS):
                reason = "is executable: a program, not results; give another name"
                raise PermissionError(errno.EPERM, reason, str(path))
    folder = os.stat(target.parent)
    if not os.access(target.parent, os.W_OK | os.X_OK):
        reason = f"no permission to write in the folder {target.parent}"
        raise PermissionError(errno.EACCES, reason, str(path))
    if there is not None and sys.platform != "win32" and folder.st_mode & stat.S_ISVTX:
        if os.geteuid() not in (0, there.st_uid, folder.st_uid):
            reason = "belongs to another user, who alone may replace it in that folder"
            raise PermissionError(errno.EPERM, reason, str(path))
    return there


@contextlib.contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[Any]:
    """Binary file that takes the place of a path at the end, with the owner and mode of before."""
    there, target = check_path(path), Path(os.path.realpath(path))
    draft = target.with_name(f".sparsebc-{secrets.token_hex(8)}.part")
    try:
        file = open(draft, "xb")
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    try:
        if there is not None:
            if hasattr(os, "chown"):
                for owner in (there.st_uid, -1):  # another owner only root may set
                    with contextlib.suppress(PermissionError):  # a group that this user is not in
                        os.chown(draft, owner, there.st_gid)
                        break
            os.chmod(draft, stat.S_IMODE(there.st_mode))
        yield file
        file.flush()
        os.fsync(file.fileno())  # else a power failure may leave the new name without content
        file.close()  # Windows moves no open file
        os.replace(draft, target)
    finally:
        with contextlib.suppress(OSError):  # buffered data that a full disk did not take
            file.close()
        draft.unlink(missing_ok=True)


@contextlib.contextmanager
def text_file(path: str | os.PathLike[str]) -> Iterator[io.TextIOWrapper]:
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
