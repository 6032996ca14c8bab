"""Files of this user alone: nothing that another user planted is read, followed or written through.

A planted link, pipe or device is not a regular file, and a planted file has another owner. Owners
are compared with the owner of a new file in the same directory, which may differ from the user of
the process: network mounts and containers map users.
"""

import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from .errors import InputError

# Neither follow a symbolic link nor block on a named pipe. Windows has neither flag.
_SAFE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_BINARY = getattr(os, "O_BINARY", 0)


def check(path: Path, owner: int | None = None) -> None:
    """Raise InputError unless a path is free or a regular file, of ``owner`` if that is given."""
    with suppress(FileNotFoundError):
        _check(path, os.lstat(path), owner)


def open_existing(path: Path, owner: int | None = None) -> BinaryIO:
    """Open a regular file, of ``owner`` if that is given, for reading; InputError if it is not."""
    check(path)  # before it is opened: for links, the system's error says less
    file = os.fdopen(os.open(path, os.O_RDONLY | _BINARY | _SAFE), "rb")
    try:
        _check(path, os.fstat(file.fileno()), owner)
    except BaseException:
        file.close()
        raise
    return file


def replace(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Replace a file atomically by what ``write`` writes, synced to disk with its directory."""
    draft = path.with_name(f"{path.name}.part")
    draft.unlink(missing_ok=True)  # left by a killed process, or planted
    new = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY | _SAFE
    try:
        with os.fdopen(os.open(draft, new, 0o600), "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
        with suppress(PermissionError):  # Windows cannot open a directory
            folder = os.open(path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise


def take_if_empty(directory: Path) -> None:
    """Make an empty directory of this user private, and remove files planted before the chmod.

    For directories that other libraries make with the default mode.
    """
    found = os.lstat(directory)
    is_own = stat.S_ISDIR(found.st_mode) and hasattr(os, "geteuid") and found.st_uid == os.geteuid()
    if is_own and not os.listdir(directory):
        directory.chmod(0o700)
        for file in directory.iterdir():
            file.unlink()


def is_private(directory: str | os.PathLike[str]) -> bool:
    """Whether a path is a directory of this user that no other user can write to.

    On a system without file owners, whether it is a directory.
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
