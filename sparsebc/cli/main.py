"""The command line: the program, its smaller commands, and what commands share."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import numba
import numpy as np
import scipy.sparse

from .. import __version__
from ..engines import devices
from ..engines.host_memory import free_memory
from ..run import options

NETWORK = (
    "Matrix Market (.mtx), SciPy (.npz) or edge list (any other suffix), each also compressed "
    "(.gz); or a name that 'sparsebc datasets' lists"
)
# What bad input or a lacking machine makes this package raise; the rest is a fault of its own.
FORESEEN = (ImportError, MemoryError, OSError, OverflowError, RuntimeError, TypeError, ValueError)

# An entry of the matrix, where a message is about one, and the way out there and in a file.
ENTRY = re.compile(r"A\[(\d+), (\d+)\]|A stores .* \(entry (\d+) of A\.data\)")
REMEDIES = {
    "use abs(A) if each such entry is an edge": "leave it out of the file, or its sign",
    "scale A below 1 for '-log'": "divide the weights in the file until all are below 1",
    "use A.eliminate_zeros()": "leave it out of the file",
    "A.eliminate_zeros() drops zeros": "leave zeros out of the file",
}
# What a message says about arguments of a function, and what they are called on the command line.
SPELLINGS = (
    (r"^(device|k|epsilon|delta|top)\b", r"--\1"),
    (r" or None, got", ", got"),
    (r"\['(cuda:\d+)', '(cuda:\d+)'\]", r"\1,\2"),
    (r"\bdevice='([\w:]+)'", r"--device \1"),
    (r"\bdtype=numpy\.(\w+)", r"--dtype \1"),
    (r"\bhow='-?(\w+)'", r"--strength \1"),
    (r"\bmemory_budget\b", "--memory"),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments without the name of the program; those of the process by default.

    Returns
    -------
    int
        Exit status: 0, 1 where input or machine do not serve, 130 after Ctrl-C.

    Raises
    ------
    SystemExit
        With status 2 if the arguments are wrong, with 0 after ``--help`` and ``--version``.
    """
    args = _parser().parse_args(argv)
    try:
        args.command(args)
    except KeyboardInterrupt:
        print("sparsebc: stopped", file=sys.stderr)
        return 130
    except FORESEEN as error:
        message = str(error) or type(error).__name__
        for argument, option in SPELLINGS:
            message = re.sub(argument, option, message)
        if isinstance(error, OSError) and error.filename is not None:
            message = f"{error.filename}: {error.strerror}"
        print(f"sparsebc: error: {message}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sparsebc",
        description="Shortest-path centrality of networks.",
        epilog="example: sparsebc betweenness karate",
    )
    parser.add_argument("--version", action="version", version=f"sparsebc {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    from . import approximate, centrality, search

    centrality.add(commands)
    approximate.add(commands)
    search.add(commands)
    for command, summary in (
        (_datasets, "list the networks that come with the package"),
        (_info, "show versions, devices and defaults"),
    ):
        name = command.__name__[1:]
        added = commands.add_parser(name, help=summary, epilog=f"example: sparsebc {name}")
        added.description = f"{summary.capitalize()}."
        added.set_defaults(command=command)
    return parser


def add_run_options(parser: Any) -> None:
    """Options that say how to compute."""
    add = parser.add_argument
    add("--device", type=device,
        help=f"where to compute: {', '.join(devices.ENGINES)}, cuda, cuda:1, or GPUs that share "
        "the work, as cuda:0,cuda:1 (default: a GPU if there is one)")  # fmt: skip
    add("--dtype", choices=("float64", "float32"), default="float64",
        help="type of path counts; float32 takes half the room (default: float64)")  # fmt: skip
    add("--workers", type=integer(1), help="threads (default: one per CPU)")
    add("--memory", type=_size, metavar="SIZE",
        help="memory budget, as 500M or 2G; K, M, G, T are powers of 1024 "
        "(default: 80%% of what is free)")  # fmt: skip
    add("--quiet", action="store_true", help="show no progress bar")


def run_options(args: argparse.Namespace) -> dict[str, Any]:
    """What those say, as a function takes it."""
    return {
        "device": args.device,
        "dtype": args.dtype,
        "workers": args.workers,
        "memory_budget": args.memory,
        "progress": sys.stderr.isatty() and not args.quiet,
    }


def integer(least: int) -> Any:
    """Argument type: integers from `least` on."""

    def parse(text: str) -> int:
        if not re.fullmatch("[0-9]+", text) or int(text) < least:
            raise argparse.ArgumentTypeError(f"expected an integer from {least} on, got {text!r}")
        return int(text)

    return parse


def device(text: str) -> str | list[str]:
    """Argument type: a device, or GPUs between commas."""
    names = text.split(",")
    return names if len(names) > 1 else text


def _size(text: str) -> int:
    """Argument type: bytes, with or without a unit."""
    match = re.fullmatch(r"([0-9]{1,18}(?:\.[0-9]+)?)([KMGT]?)(?:i?B)?", text, re.IGNORECASE)
    size = float(match[1]) * 1024 ** " KMGT".index(match[2].upper() or " ") if match else 0
    if size < 1:
        raise argparse.ArgumentTypeError(f"expected a size as 500M or 2G, got {text!r}")
    return int(size)


def check_writable(path: Path) -> None:
    """Fail before the computation, not after it, where the result could not be stored."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; give the name of a file")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: there is no folder {path.parent}")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise PermissionError(f"{path}: no permission to write")


def load(name: str, directed: bool) -> tuple[Any, bool]:
    """Network of a file or data set, and whether its edges have a direction."""
    from .. import datasets, io

    if name in datasets.DATASETS and not Path(name).is_file():
        return datasets.load(name), directed or datasets.DATASETS[name].directed
    if not Path(name).exists():
        known = ", ".join(datasets.names())
        raise FileNotFoundError(f"{name}: there is no such file, nor a dataset; those are {known}")
    return io.read(name), directed


@contextmanager
def naming(matrix: scipy.sparse.csr_array, names: Sequence[str]) -> Iterator[None]:
    """Say what is wrong with an entry of the matrix as of the file that it came from."""
    try:
        yield
    except ValueError as error:
        entry = ENTRY.match(str(error))
        if not entry:
            raise
        if entry[3]:
            row, column = (int(nodes[int(entry[3])]) for nodes in matrix.tocoo().coords)
        else:
            row, column = int(entry[1]), int(entry[2])
        message = str(error)
        for of_matrix, of_file in REMEDIES.items():
            message = message.replace(of_matrix, of_file)
        edge = f"A[{row}, {column}] is the edge {names[row]!r} - {names[column]!r}"
        raise ValueError(f"{message} ({edge})") from error


def numbers(
    option: Literal["sources", "targets"], wanted: list[str] | None, names: Sequence[str]
) -> list[int] | None:
    """Node numbers of the names that an option lists."""
    if wanted is None:
        return None
    if len(set(wanted)) < len(wanted):
        twice = next(name for name in wanted if wanted.count(name) > 1)
        raise ValueError(f"--{option} lists {twice!r} more than once: list each node once")
    number = {name: v for v, name in enumerate(names)}
    for name in wanted:
        if name not in number:
            some = ", ".join(map(repr, names[:3])) + (", ..." if len(names) > 3 else "")
            raise ValueError(f"--{option}: there is no node {name!r}; the nodes are {some}")
    return [number[name] for name in wanted]


def _datasets(args: argparse.Namespace) -> None:
    from ..datasets import DATASETS

    width = max(40, shutil.get_terminal_size().columns - 39)
    rows: list[tuple[str, str, str]] = []
    for name, data in DATASETS.items():
        about = textwrap.wrap(data.description, width) + textwrap.wrap(data.origin, width)
        rows.append((name, data.licence, about[0]))
        rows.extend(("", "", line) for line in about[1:])
    show(table(("name", "licence", "network"), rows, "<<<"))


def _info(args: argparse.Namespace) -> None:
    from ..engines.cpu.kernels import brandes_batch

    run = options.Run()
    facts = {
        "sparsebc": __version__,
        "Python": sys.version.split()[0],
        "NumPy": np.__version__,
        "SciPy": scipy.__version__,
        "Numba": numba.__version__,
        "CPUs": f"{os.cpu_count()}; threads by default: {run.threads}",
        "memory": f"budget by default: {free_memory() * 0.8 / 2**30:.1f} GiB",
        "devices": ", ".join(devices.ENGINES),
        "GPUs": "; ".join(devices.gpus()) or "none",
        "kernels": f"compiled into {brandes_batch.run.stats.cache_path}",
    }
    show(f"{name:<10}{fact}" for name, fact in facts.items())


def table(titles: Sequence[str], rows: Sequence[Sequence[str]], align: str) -> list[str]:
    """Lines of columns two spaces apart, each flush left (<) or right (>)."""
    # Control characters are spelt out, lest a name steers the terminal.
    escape = {c: repr(chr(c))[1:-1] for c in (*range(32), *range(127, 160))}
    cells = [[cell.translate(escape) for cell in row] for row in (titles, *rows)]
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]

    def padded(cell: str, width: int, side: str) -> str:
        pad = " " * (width - _width(cell))
        return pad + cell if side == ">" else cell + pad

    return ["  ".join(map(padded, row, widths, align)).rstrip() for row in cells]


def _width(text: str) -> int:
    """Columns that a terminal takes for the text."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.category(c) in ("Mn", "Me", "Cf") for c in text)


def show(lines: Iterable[str]) -> None:
    """Print to standard output, which may be closed early (``| head``) or not take every letter."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        print("\n".join(lines).encode(encoding, "backslashreplace").decode(encoding), flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the flush at exit
