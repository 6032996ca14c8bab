"""Output: names and values are checked; a file is written beside its target, then replaces it.

So a path always holds either the old content or all of the new. Links are followed to the file that
is replaced. What is no regular file, and programs, stay.
"""

import contextlib
import errno
import io
import os
import re
import secrets
import stat
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, InputTypeError
from ..foreign import on_host
from ..plain_text import as_json, plain
from .source import COMPRESSIONS

WHOLE = (".parquet", ".html")  # never in .gz: compressed by column, and opened by browsers
# First bytes of programs: of scripts, ELF, Windows, macOS. Some file systems mark all files so.
_PROGRAMS = (b"#!", b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")


def suffix(path: str | os.PathLike[str], known: Iterable[str]) -> str:
    """Suffix of a path before any of a compression; ValueError unless known."""
    given = os.fspath(path)
    if not given or "\0" in given:
        raise InputError(f"{given!r} is not the name of a file")
    path = Path(path)
    inner = Path(path.stem) if path.suffix.lower() in COMPRESSIONS else path
    found = inner.suffix.lower()
    packed = inner is not path and found in WHOLE
    if not found:
        check(path)  # raises for a folder or a device
    if found not in known or packed:
        also = f", or in one of these and {', '.join(COMPRESSIONS)}" if {*known} - {*WHOLE} else ""
        which = f"as {found}{path.suffix if packed else ''}" if found else "without a suffix"
        raise InputError(
            f"{path}: results are not written {which}; "
            f"expected a name that ends in {', '.join(known)}{also}"
        )
    return found


def check(path: str | os.PathLike[str]) -> os.stat_result | None:
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
        if there.st_mode & 0o111 and _is_program(path):
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


def _is_program(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins as programs do; one that nobody may read is taken for a program."""
    try:
        with open(path, "rb") as file:
            return file.read(4).startswith(_PROGRAMS)
    except PermissionError:
        return True


@contextlib.contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[Any]:
    """Binary file that takes the place of a path at the end, with the owner and mode of before."""
    there, target = check(path), Path(os.path.realpath(path))
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


# Characters that no XML 1.0 document may hold.
_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_texts(names: Sequence[Any], argument: str = "names") -> Sequence[str]:
    """Names as strings, integers as their digits; TypeError or ValueError for any other name."""
    if isinstance(names, (set, frozenset)) or not hasattr(names, "__len__"):
        raise InputTypeError(
            f"{argument} must be names in order, got {type(names).__name__}: use a list"
        )
    texts = names
    if not all(type(name) is str for name in names):
        texts = [_as_text(name, f"{argument}[{k}]") for k, name in enumerate(names)]
    check_texts(texts)
    return texts


def _as_text(name: Any, place: str) -> str:
    if isinstance(name, str):
        return str(name)
    if isinstance(name, (int, np.integer)) and not isinstance(name, bool):
        return str(int(name))
    raise InputTypeError(
        f"{place} is {name!r}; expected text or an integer: list(map(str, ...)) makes text"
    )


def check_texts(texts: Sequence[str], *, xml: bool = False) -> None:
    """Refuse text that UTF-8 cannot encode, or with `xml` an XML document cannot hold."""
    for text in texts:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise InputError(
                f"{text!r} has half of a surrogate pair, which UTF-8 cannot encode: remove it"
            ) from error
        if xml and _NOT_XML.search(text):
            raise InputError(f"{text!r} has a character that XML cannot represent: remove it")


def check_unique(names: Sequence[str], argument: str = "names", each: str = "node") -> None:
    """Refuse names that occur twice."""
    if len(set(names)) < len(names):
        twice, _ = Counter(names).most_common(1)[0]
        raise InputError(
            f"{argument} has {twice!r} twice; expected a different name for each {each}"
        )


def titled(argument: str, columns: Any, taken: Collection[str] = ()) -> dict[str, Any]:
    """Columns of a mapping or a data frame, by titles as text, all distinct and none of `taken`.

    The levels of a multi-level title, such as kind and cutoff, are joined by commas.
    """
    if not (isinstance(columns, Mapping) or hasattr(columns, "columns")):
        raise InputTypeError(
            f"{argument} must be a mapping of titles to columns or a data frame of pandas, got "
            f"{type(columns).__name__}: name it, as in {argument}={{'betweenness': scores}}"
        )
    pairs = list(columns.items())
    several = [title if isinstance(title, tuple) else (title,) for title, _ in pairs]
    titles = [", ".join(as_texts(parts, f"titles of {argument}")) for parts in several]
    check_unique(titles, f"titles of {argument}", "column")
    for title, (_, values) in zip(titles, pairs, strict=True):
        if title in taken:
            raise InputError(
                f"{argument} has {title!r}, which is the title of a column of names: choose another"
            )
        if isinstance(values, (list, tuple)) and values and hasattr(values[0], "tocsr"):
            raise InputTypeError(
                f"{argument}[{title!r}] is a list of {len(values)} matrices: give each a title"
            )
    return dict(zip(titles, (values for _, values in pairs), strict=True))


def _is_missing(word: Any) -> bool:
    """Whether a value is missing text in pandas: None, NaN or NA."""
    return word is None or (not isinstance(word, str) and str(word) in ("nan", "<NA>"))


def as_values(
    argument: str, values: Any, shape: tuple[int, ...], each: str, kinds: str = "biuf"
) -> NDArray[Any]:
    """Values as an array of the given shape, its dtype of one of the `kinds`; real by default.

    Missing text becomes empty.
    """
    array: NDArray[Any] = np.asarray(on_host(values, argument))
    if array.dtype == object and "U" in kinds:  # as pandas has text
        words = ["" if _is_missing(word) else word for word in array.ravel().tolist()]
        if all(isinstance(word, str) for word in words):
            array = np.array(words, dtype=np.str_).reshape(array.shape)
    if array.dtype.kind == "U":
        check_texts(array.ravel().tolist())
    if array.dtype.kind not in kinds:
        expected = "real numbers or strings" if "U" in kinds else "real numbers"
        raise InputTypeError(f"{argument} has dtype {array.dtype}; expected {expected}")
    if array.shape != shape:
        several = ": give each column a title" * (array.shape[:1] == shape)
        raise InputError(
            f"{argument} has shape {array.shape}; expected {shape}, one value for each of {each}"
            f"{several}"
        )
    return array


def facts(provenance: Mapping[str, Any] | None) -> dict[str, str | bool | int | float]:
    """Provenance as scalar attributes: text on one line, numbers, other values as JSON."""
    found = {}
    if not isinstance(provenance, Mapping | None):
        raise InputTypeError(
            f"provenance must be a mapping of titles to values, got {type(provenance).__name__}: "
            "use {'title': value}"
        )
    for title, value in (provenance or {}).items():
        if not isinstance(value, (str, bool, int, float)):
            try:
                value = as_json(value)
            except TypeError as error:
                raise InputTypeError(
                    f"provenance[{title!r}]: {error}; expected a value that JSON can represent"
                ) from error
        found[plain(str(title))] = plain(value) if isinstance(value, str) else value
    return found
