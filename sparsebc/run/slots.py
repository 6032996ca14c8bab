"""Two files of a directory, written in turn: one is whole whatever happens to the other.

A slot is a line that names the format, a checksum of all that follows, the length of a header, the
header in JSON, and the bytes of its arrays. It is written beside its place, forced to the disk, and
moved there, so that a process killed at any moment leaves the old content or the new.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

FORMAT = b"sparsebc checkpoint 1\n"
NAMES = ("slot-0", "slot-1")
_DIGEST = hashlib.blake2b().digest_size
_LENGTH = 8  # bytes of the number of bytes of the header

logger = logging.getLogger("sparsebc")


def write(
    directory: Path, number: int, header: dict[str, Any], arrays: Sequence[NDArray[Any]]
) -> None:
    """Write slot ``number % 2``; what is there stays until all that is new is on the disk."""
    kinds = [(array.dtype.str, array.shape) for array in arrays]
    text = json.dumps({**header, "number": number, "arrays": kinds}).encode()
    place = directory / NAMES[number % 2]
    draft = place.with_suffix(".part")
    try:
        with open(draft, "wb") as file:
            file.write(FORMAT + bytes(_DIGEST))
            checksum = hashlib.blake2b()
            length = len(text).to_bytes(_LENGTH, "little")
            parts: list[bytes | memoryview] = [length, text, *map(_bytes, arrays)]
            for part in parts:
                file.write(part)
                checksum.update(part)
            file.seek(len(FORMAT))
            file.write(checksum.digest())
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, place)
        _synchronize(directory)
    except OSError as error:
        draft.unlink(missing_ok=True)
        reason = f"cannot save ({error.strerror}); what was saved before is whole"
        raise OSError(error.errno, reason, str(directory)) from error


def newest(directory: Path) -> dict[str, Any] | None:
    """Header of the newest slot that is whole; None if nothing was ever written.

    ValueError if all that was written is damaged.
    """
    there = [place for place in (directory / name for name in NAMES) if place.exists()]
    headers = {place: _header(place) for place in there}
    for place, found in headers.items():
        if found is None:
            logger.warning("checkpoint %s is damaged: the other slot is looked at", place)
    whole = [found for found in headers.values() if found is not None]
    if there and not whole:
        raise ValueError(
            f"checkpoint={str(directory)!r} is damaged, or of another version of sparsebc: neither "
            "of its two slots can be read; use another directory to begin again"
        )
    return max(whole, key=lambda header: int(header["number"])) if whole else None


def arrays(directory: Path, header: dict[str, Any]) -> list[NDArray[Any]]:
    """What was written with a header."""
    with open(directory / NAMES[header["number"] % 2], "rb") as file:
        _skip_to_header(file)
        _read_header(file)
        found = [np.empty(shape, dtype) for dtype, shape in header["arrays"]]
        for array in found:
            file.readinto(_bytes(array))
    return found


def _header(place: Path) -> dict[str, Any] | None:
    """Header of a slot; None if it is not what was written."""
    with open(place, "rb") as file:
        if file.read(len(FORMAT)) != FORMAT:
            return None
        digest = file.read(_DIGEST)
        if hashlib.file_digest(file, hashlib.blake2b).digest() != digest:
            return None
        _skip_to_header(file)
        return _read_header(file)


def _skip_to_header(file: BinaryIO) -> None:
    file.seek(len(FORMAT) + _DIGEST)


def _read_header(file: BinaryIO) -> dict[str, Any]:
    length = int.from_bytes(file.read(_LENGTH), "little")
    header: dict[str, Any] = json.loads(file.read(length))
    return header


def _bytes(array: NDArray[Any]) -> memoryview:
    """The bytes of an array, row by row."""
    return array.reshape(-1).view(np.uint8).data


def _synchronize(directory: Path) -> None:
    """Force the names in a directory to the disk, where the system can."""
    if os.name == "nt":
        return
    number = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
