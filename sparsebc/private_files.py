"""Files of this user alone: nothing that another user planted is read, followed or written through.

A planted link, pipe or device is no regular file, and a planted file has another owner. Owners are
compared with the owner that the file system gives to a new file here, which need not be the user of
the process: network mounts and containers map one to the other.
"""

import os
import stat
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from .errors import InputError

# Neither follow a link, nor wait for the other end of a pipe. Windows has neither flag.
_AS_IT_IS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_BINARY = getattr(os, "O_BINARY", 0)


def make_directory(path: Path) -> None:
    """Make a directory that this user alone may enter, and those above it, unless it is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.mkdir(mode=0o700, exist_ok=True)


def owner_in(directory: Path) -> int:
    """Owner of what this process makes in a directory; OSError where it can make nothing."""
    with tempfile.TemporaryFile(dir=directory) as file:
        return os.fstat(file.fileno()).st_uid


def check(path: Path, owner: int | None = None) -> None:
    """Raise ValueError unless a path is free or a regular file, of this owner if one is given."""
    with suppress(FileNotFoundError):
        _check(path, os.lstat(path), owner)


def open_existing(path: Path, owner: int | None = None) -> BinaryIO:
    """Open a regular file to read, of this owner if one is given; ValueError for anything else."""
    check(path)  # before it is opened: of links the system says less
    file = os.fdopen(os.open(path, os.O_RDONLY | _BINARY | _AS_IT_IS), "rb")
    try:
        _check(path, os.fstat(file.fileno()), owner)
    except BaseException:
        file.close()
        raise
    return file


def replace(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Put a file in place of what is there, whole and on the disk, or not at all."""
    draft = path.with_name(f"{path.name}.part")
    draft.unlink(missing_ok=True)  # of a process that died, or planted
    new = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY | _AS_IT_IS
    try:
        with os.fdopen(os.open(draft, new, 0o600), "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
        _synchronize(path.parent)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise


def take_if_empty(directory: Path) -> None:
    """Close an empty directory of this user to all others, and remove what they were faster with.

    So is one that was just made without a mode, as other libraries do.
    """
    found = os.lstat(directory)
    is_own = stat.S_ISDIR(found.st_mode) and hasattr(os, "geteuid") and found.st_uid == os.geteuid()
    if is_own and not os.listdir(directory):
        directory.chmod(0o700)
        for file in directory.iterdir():
            file.unlink()


def is_private(directory: str | os.PathLike[str]) -> bool:
    """Whether a path is a directory of this user, and nobody else can write to it.

    Where the system has no owners of files, whether it is a directory.
    """
    found = os.lstat(directory)
    is_open = bool(found.st_mode & (stat.S_IWGRP | stat.S_IWOTH))
    is_own = not hasattr(os, "geteuid") or (found.st_uid == os.geteuid() and not is_open)
    return stat.S_ISDIR(found.st_mode) and is_own


def _check(path: Path, found: os.stat_result, owner: int | None) -> None:
    if not stat.S_ISREG(found.st_mode):
        kinds = {stat.S_IFLNK: "a symbolic link", stat.S_IFIFO: "a named pipe", stat.S_IFDIR: "a "
                 "directory"}  # fmt: skip
        kind = kinds.get(stat.S_IFMT(found.st_mode), "no regular file")
        raise InputError(f"{path} is {kind}, where a file is expected: remove it")
    if owner is not None and found.st_uid != owner:
        raise InputError(
            f"{path} belongs to another user (uid {found.st_uid}), and is not read: remove it, or "
            "copy the directory if you trust what is in it"
        )


def _synchronize(directory: Path) -> None:
    """Force the names in a directory to the disk, where the system can."""
    try:
        number = os.open(directory, os.O_RDONLY)
    except PermissionError:  # Windows opens no directory
        return
    try:
        os.fsync(number)
    finally:
        os.close(number)
