"""The state file of a checkpoint: a header and arrays, replaced atomically.

It is an ``.npz`` archive without pickles. A process killed at any moment leaves the old file or the
new one, complete. A digest of header and arrays detects damage.
"""

import hashlib
import json
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
# Errors of reading a file that is damaged or of another kind.
_UNREADABLE = (
    *(ValueError, KeyError, TypeError, AttributeError, EOFError, OverflowError, MemoryError),
    *(RecursionError, NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error),
)

Kept = tuple[dict[str, Any], dict[str, NDArray[Any]]]
LONGEST = 1e10  # seconds, some three centuries


def write(directory: Path, header: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Replace the state file, atomically, by a header of JSON values and arrays.

    OSError, with the directory, if it cannot be written.
    """
    full_header = {**header, "format": FORMAT, "arrays": [*arrays]}
    text = np.frombuffer(json.dumps(full_header).encode(), dtype=np.uint8)
    members = {"header": text, "digest": np.array(digest(text, *arrays.values()))}
    members |= {f"array-{index}": array for index, array in enumerate(arrays.values())}
    try:
        private_files.replace(directory / NAME, lambda file: np.savez(file, **members))  # type: ignore[arg-type]
    except OSError as error:
        reason = f"cannot save ({error.strerror or error}); the state saved before is intact"
        raise OSError(error.errno, reason, str(directory)) from error


def exists(directory: Path) -> bool:
    """Whether the directory has a state file, of this format or an older one."""
    return any((directory / name).exists() for name in (NAME, *OLD_NAMES))


def read(directory: Path, owner: int | None = None) -> Kept | None:
    """Header and arrays of the state file, None if there is none.

    ValueError if the file is not of this ``owner``, or is not what `write` wrote.
    """
    try:
        file = private_files.open_existing(directory / NAME, owner)
    except FileNotFoundError:
        if exists(directory):
            raise _of_another_format(directory, 1) from None
        return None
    with file:
        try:
            found, arrays = _parsed(file)
        except _UNREADABLE as error:
            raise damaged(directory, error) from error
    if found["format"] != FORMAT:
        raise _of_another_format(directory, found["format"])
    return found, arrays


def _parsed(file: BinaryIO) -> Kept:
    with np.load(file, allow_pickle=False) as members:
        text = members["header"]
        found: dict[str, Any] = json.loads(text.tobytes())
        if found["format"] != FORMAT:
            return found, {}
        is_sound = 0 <= found["seconds"] < LONGEST and isinstance(found["finished"], bool)
        if not is_sound or not all(isinstance(one, str) for one in found["fingerprint"].values()):
            raise InputError("a header without fingerprint, seconds or finished")
        if not all(isinstance(name, str) for name in found["arrays"]):
            raise InputError("arrays without names")
        arrays = {name: members[f"array-{index}"] for index, name in enumerate(found["arrays"])}
        if str(members["digest"]) != digest(text, *arrays.values()):
            raise InputError("header and arrays were not written together")
        return found, arrays


def _of_another_format(directory: Path, number: Any) -> ValueError:
    return OptionError(
        f"checkpoint={str(directory)!r} is of another version of sparsebc (format {number!r:.20}, "
        f"this one has {FORMAT}): finish the run with that version, or use another directory",
        f"checkpoint={str(directory)!r}",
    )


def damaged(directory: Path, reason: object) -> ValueError:
    """Error for a state file that `write` cannot have written."""
    return OptionError(
        f"checkpoint={str(directory)!r} is damaged, or was changed ({reason}): remove "
        f"{directory / NAME} or use another directory, to begin again",
        f"checkpoint={str(directory)!r}",
    )


def digest(*arrays: NDArray[Any]) -> str:
    """Hash of the types, shapes and values of arrays, in their order."""
    checksum = hashlib.blake2b(digest_size=16)
    for array in arrays:
        checksum.update(f"{array.dtype.str} {array.shape} ".encode())
        checksum.update(np.ascontiguousarray(array).view(np.uint8).data)
    return checksum.hexdigest()
