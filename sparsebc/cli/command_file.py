"""The command line that a checkpoint directory holds; that of another user needs --yes."""

import json
import os
import shlex
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from .errors import Refusal

NAME = "command.json"


class Line(NamedTuple):
    """A command line, and the working directory it was given in."""

    arguments: list[str]
    folder: str

    def __str__(self) -> str:
        """Command line as a shell takes it; control characters are escaped."""
        typed = shlex.join(["sparsebc", *self.arguments])
        return "".join(c if c.isprintable() else repr(c)[1:-1] for c in typed)


def read(directory: Path) -> tuple[Line, bool]:
    """Command line that a directory holds, and whether its file belongs to another user."""
    from .. import private_files

    if not directory.is_dir():
        raise Refusal(f"{directory}: there is no such directory")
    try:
        with private_files.open_existing(directory / NAME) as file:
            is_foreign = hasattr(os, "geteuid") and os.fstat(file.fileno()).st_uid != os.geteuid()
            found = json.loads(file.read())
    except FileNotFoundError:
        raise Refusal(f"{directory} holds no command: name a directory of --checkpoint") from None
    except (ValueError, RecursionError) as error:
        if isinstance(error, json.JSONDecodeError | UnicodeDecodeError | RecursionError):
            raise damaged(directory) from None
        raise
    match found:
        case {"arguments": [_, *_] as arguments, "folder": folder} if (
            all(map(_is_argument, (*arguments, folder))) and Path(folder).is_absolute()
        ):
            return Line(arguments, folder), is_foreign
    raise damaged(directory)


def _is_argument(value: object) -> bool:
    """Whether a value is a text that a command line can hold."""
    with suppress(UnicodeEncodeError):
        return isinstance(value, str) and b"\0" not in os.fsencode(value)
    return False


def own(directory: Path, *, yes: bool) -> Line:
    """Command line that a directory holds; Refusal if another user wrote it, unless ``yes``."""
    line, is_foreign = read(directory)
    if is_foreign and not yes:
        raise Refusal(
            f"{directory / NAME} belongs to another user, and would run, in {line.folder!r}: "
            f"{line}; add --yes to run it"
        )
    return line


def write(directory: Path, arguments: Sequence[str]) -> None:
    """Write a command line given in the working directory, atomically."""
    from .. import private_files

    line = Line(list(arguments), str(Path.cwd()))
    text = json.dumps(line._asdict()).encode()
    private_files.replace(directory / NAME, lambda file: file.write(text))


def damaged(directory: Path) -> Refusal:
    """Refusal of a directory whose command line is malformed."""
    return Refusal(f"{directory / NAME} is damaged: run the command itself again")
