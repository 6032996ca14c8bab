"""The one file of a checkpoint: a header and arrays, of which all is as it was written, or nothing.

It is an ``.npz`` archive without pickles. A process that is killed at any moment leaves the last
one or the new one, whole. A digest of header and arrays tells whether they are what was written
together.
"""

import hashlib
import json
import math
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from .. import private_files
from ..errors import InputError, OptionError

NAME = "state.npz"
FORMAT = 3
OLD_NAMES = ("slot-0", "slot-1")  # of format 1
# What reading a file raises that was damaged, or is something else.
_UNREADABLE = (
    *(ValueError, KeyError, TypeError, AttributeError, EOFError, OverflowError, MemoryError),
    *(RecursionError, NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error),
)

Kept = tuple[dict[str, Any], dict[str, NDArray[Any]]]


def write(directory: Path, header: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write header, which JSON can hold, and arrays; what was there stays until all is written.

    OSError says that it could not be written, and names the directory.
    """
    whole = {**header, "format": FORMAT, "arrays": [*arrays]}
    text = np.frombuffer(json.dumps(whole).encode(), dtype=np.uint8)
    members = {"header": text, "digest": np.array(digest(text, *arrays.values()))}
    members |= {f"array-{place}": array for place, array in enumerate(arrays.values())}
    try:
        private_files.replace(directory / NAME, lambda file: np.savez(file, **members))  # type: ignore[arg-type]
    except OSError as error:
        reason = f"cannot save ({error.strerror or error}); what was saved before is whole"
        raise OSError(error.errno, reason, str(directory)) from error


def exists(directory: Path) -> bool:
    """Whether something is kept, of this format or of an older one."""
    return any((directory / name).exists() for name in (NAME, *OLD_NAMES))


def header(directory: Path) -> dict[str, Any] | None:
    """Header of what is kept, as ``sparsebc status`` shows it; None if nothing is."""
    found = read(directory, whole=False)
    return None if found is None else found[0]


def read(directory: Path, owner: int | None = None, *, whole: bool = True) -> Kept | None:
    """Header and arrays that were kept, by the owner given; None if nothing was.

    ValueError if they are not what `write` wrote. Not ``whole``, the header alone is read.
    """
    try:
        file = private_files.open_existing(directory / NAME, owner)
    except FileNotFoundError:
        if exists(directory):
            raise _of_another_format(directory, 1) from None
        return None
    with file:
        try:
            found, arrays = _parsed(file, whole=whole)
        except _UNREADABLE as error:
            raise damaged(directory, error) from error
    if found["format"] != FORMAT:
        raise _of_another_format(directory, found["format"])
    return found, arrays


def _parsed(file: BinaryIO, *, whole: bool) -> Kept:
    with np.load(file, allow_pickle=False) as members:
        text = members["header"]
        found: dict[str, Any] = json.loads(text.tobytes())
        if found["format"] != FORMAT:
            return found, {}
        is_sound = 0 <= found["seconds"] < math.inf and isinstance(found["finished"], bool)
        if not is_sound or not all(isinstance(one, str) for one in found["fingerprint"].values()):
            raise InputError("a header without fingerprint, seconds or end")
        if not whole:
            return found, {}
        arrays = {name: members[f"array-{place}"] for place, name in enumerate(found["arrays"])}
        if str(members["digest"]) != digest(text, *arrays.values()):
            raise InputError("header and arrays were not written together")
        return found, arrays


def _of_another_format(directory: Path, number: Any) -> ValueError:
    return OptionError(
        f"checkpoint={str(directory)!r} is of another version of sparsebc (format {number!r:.20}, "
        f"this one has {FORMAT}): end the run with that version, or use another directory",
        f"checkpoint={str(directory)!r}",
    )


def damaged(directory: Path, reason: object) -> ValueError:
    """Error for what cannot be what was written."""
    return OptionError(
        f"checkpoint={str(directory)!r} is damaged, or was changed ({reason}): remove "
        f"{directory / NAME} or use another directory, to begin again",
        f"checkpoint={str(directory)!r}",
    )


def digest(*arrays: NDArray[Any]) -> str:
    """Hash of types, shapes and values, in their order."""
    checksum = hashlib.blake2b(digest_size=16)
    for array in arrays:
        checksum.update(f"{array.dtype.str} {array.shape} ".encode())
        checksum.update(np.ascontiguousarray(array).view(np.uint8).data)
    return checksum.hexdigest()
