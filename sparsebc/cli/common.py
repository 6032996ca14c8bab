"""What the parsers of the commands share.

Parsers are built for every command, ``--help`` too, so that no module here imports NumPy: what a
command needs to read is imported when it runs, and what it needs to compute once it has read.
"""

from __future__ import annotations

import argparse
import functools
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from . import subgraph
from .errors import Refusal
from .table import show

NETWORK = (
    "Matrix Market (.mtx), SciPy (.npz), GraphML, GML, Pajek (.net), METIS (.metis, .graph), "
    "DIMACS (.gr) or edge list (any other suffix), each also compressed (.gz, .bz2, .xz, .zip); "
    "- reads standard input; or a name that 'sparsebc datasets' lists"
)
TABLE = (
    "csv, json, with tabs tsv and txt, each also .gz, .bz2 or .xz; parquet; - is standard output"
)
NETWORKS = "; as a network with scores: graphml, gexf or cx2; as a page to look at: html"
REDUCTIONS = ("trees", "blocks", "chains", "twins", "prune")  # as in `run.options`


class Parser(argparse.ArgumentParser):
    """A parser that refuses in one line, and takes no option for another that begins like it."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        """Exit with status 2."""
        message = message if len(message) < 600 else f"{message[:600]}..."
        show([f"{self.prog}: error: {message}; '{self.prog} --help' tells more"], aside=True)
        self.exit(2)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuse what is not known here, where the options of the command are."""
        known, left = super().parse_known_args(args, namespace)
        known.line = list(args or ())  # of the whole program at last, for its parser ends last
        if left:
            meant = self._meant(left[0].partition("=")[0]) if left[0].startswith("-") else ""
            self.error(f"unrecognized arguments: {' '.join(left)}{meant}")
        return known, left

    def _meant(self, name: str) -> str:
        """What an unknown option may stand for: one spelt alike, but not one that says no to it."""
        import difflib

        # By their letters: dashes, which all of them have, would make any two look alike.
        word, actions = name.lstrip("-"), self._option_string_actions
        options = {option.lstrip("-"): option for option in actions}
        for denial in ("un", "no-", "non-", "not-"):
            flag = options.get(word.removeprefix(denial), "") if word.startswith(denial) else ""
            if flag and actions[flag].nargs == 0:
                return f" (leave it out: that is so without {flag})"
        near = difflib.get_close_matches(word, options, n=1)
        return f" (did you mean {options[near[0]]}?)" if near else ""


def add_command(
    commands: Any, name: str, run: Any, help: str, description: str, example: str, **defaults: Any
) -> Parser:
    """A parser for a command, which ``run`` carries out; ``defaults`` are options it has not."""
    parser: Parser = commands.add_parser(
        name, help=help, description=description, epilog=f"example: {example}"
    )
    parser.set_defaults(command=run, usage_error=parser.error, **defaults)
    return parser


def add_top(parser: Any, what: str = "nodes", order: str = "highest score first") -> None:
    """How many rows to print."""
    parser.add_argument("--top", type=integer(0), default=10, metavar="N",
        help=f"{what} to print, {order}; 0 prints all (default: 10)")  # fmt: skip


def add_raw(parser: Any) -> None:
    """Whether to divide by the number of pairs."""
    parser.add_argument("--raw", action="store_true", help="sum over the pairs, not the average")


def add_network(parser: Any) -> None:
    """The network, and how to read it."""
    add = parser.add_argument
    add("network", metavar="FILE|DATASET", help=NETWORK)
    add("--directed", action="store_true",
        help="edges lead from source to target only (default: both ways, other than in Python, "
        "where directed=True is the default)")  # fmt: skip
    add("--columns", type=_columns, default={}, metavar="[source=A,target=B][,weight=C]",
        help="columns of an edge list, by the titles of its header or by number, as in "
        "source=1,target=2,weight=4; of a graph file, the attribute of the weights")  # fmt: skip
    add("--no-header", action="store_true", help="the first line of the edge list is an edge")
    add("--separator", type=_separator, metavar="CHAR",
        help="what stands between the fields of an edge list: ';', tab, space, ... (default: what "
        "divides all lines alike)")  # fmt: skip
    add("--comment", metavar="CHAR",
        help="lines that begin so are comments; '' for none (default: # and %%, where such a line "
        "has not as many fields as the others)")  # fmt: skip
    add("--encoding", metavar="NAME",
        help="of text: cp1252, latin-1, utf-16-le, ... (default: UTF-8, or as its first bytes "
        "say)")  # fmt: skip
    add("--decimal", choices=(".", ","),
        help="decimal point of weights (default: a comma where semicolons separate and weights "
        "have one)")  # fmt: skip
    subgraph.add(parser)


def add_weights(parser: Any) -> None:
    """What the weights are, if they are looked at."""
    add = parser.add_argument
    add("--weighted", action="store_true", help="weights are lengths: the shortest path by length")
    add("--strength", choices=("reciprocal", "log"),
        help="weights are strengths, such as confidences: an edge is 1/weight long, or "
        "-log(weight) for probabilities below 1")  # fmt: skip


def add_cutoff(parser: Any) -> None:
    """How far apart pairs may be."""
    parser.add_argument(
        "--cutoff", type=_cutoffs, default=(), metavar="A[,B,...]",
        help="only paths of at most so many edges, or with --weighted or --strength so long; of "
        "several, as 400,800,1600, a column of scores each",
    )  # fmt: skip


def _cutoffs(text: str) -> tuple[str, ...]:
    """Argument type: numbers from 0 on between commas, each once, as they were written."""
    numbers = tuple(one.strip() for one in text.split(","))
    for one in numbers:
        if not re.fullmatch(r"[0-9]{1,15}(\.[0-9]+)?", one) or numbers.count(one) > 1:
            raise argparse.ArgumentTypeError(f"expected numbers as in 400,800,1600, got {text!r}")
    return numbers


def use_of_weights(args: argparse.Namespace) -> str | None:
    """What those say: the kind of strength, "length", or None where weights are not looked at."""
    return args.strength or ("length" if args.weighted else None)


def add_output(parser: Any, what: str, *, networks: bool = False) -> None:
    """Where to write, and how to print."""
    formats = TABLE + (NETWORKS if networks else "")
    parser.add_argument("-o", "--output", metavar="FILE", help=f"write {what}: {formats}")
    add = parser.add_argument
    add("--json", action="store_true", help="print JSON in place of the table")
    add("--provenance", action="store_true",
        help="begin a table of text with lines # that say how it came about; in JSON, a field; "
        "other formats have it in any case")  # fmt: skip
    add("--spreadsheet-safe", action="store_true",
        help="put an apostrophe before names that a spreadsheet takes for formulas")  # fmt: skip


def add_positions(parser: Any) -> None:
    """Where the nodes are, for a map."""
    parser.add_argument("--positions", metavar="FILE",
        help="table of node, x and y, or of node, lon and lat if its titles say so: draws a map in "
        "the page of -o FILE.html")  # fmt: skip


def add_run_options(parser: Any) -> None:
    """Options that say how to compute."""
    add = parser.add_argument
    add("--device", type=device,
        help="where to compute: cpu, reference, cuda, cuda:1, or GPUs that share the work, as "
        "cuda:0,cuda:1 (default: a GPU if there is one); 'sparsebc info' lists what is "
        "there")  # fmt: skip
    add("--dtype", choices=("float64", "float32"), default="float64",
        help="type of path counts; float32 takes half the room (default: float64)")  # fmt: skip
    add_workers(parser)
    add("--reduce", type=_reduce, default="all", metavar="all|none|NAMES",
        help=f"exact reductions that may be used, some of {','.join(REDUCTIONS)}, or all but some, "
        "as all,-chains; the same scores to rounding (default: all)")  # fmt: skip
    add_reports(parser)


def add_workers(parser: Any) -> None:
    """Who computes, in how much memory."""
    add = parser.add_argument
    add("--workers", type=integer(1),
        help="threads (default: one per CPU), or those of a task of --executor (default: "
        "1)")  # fmt: skip
    add("--executor", type=_executor, metavar="processes:N|dask:HOST:PORT|mpi",
        help="who computes: N processes of this machine, the workers of a Dask scheduler, or the "
        "ranks of mpiexec; the same result (default: threads)")  # fmt: skip
    add("--retries", type=integer(0), metavar="N",
        help="how often the same blocks are computed again that were lost with a worker of "
        "--executor (default: 2)")  # fmt: skip
    add("--memory", type=size, metavar="SIZE",
        help="memory budget, as 500M or 2G; K, M, G, T are powers of 1024 "
        "(default: 80%% of what is free)")  # fmt: skip


def add_reports(parser: Any) -> None:
    """How much to tell while it runs."""
    add = parser.add_argument
    add("--quiet", action="store_true",
        help="show no progress: no bar, nor lines where there is no terminal")  # fmt: skip
    add("-v", "--verbose", action="store_true",
        help="tell what is planned and done, with the time, on standard error")  # fmt: skip


@contextmanager
def telling(args: argparse.Namespace) -> Iterator[None]:
    """With ``--verbose``, write what the library logs to standard error."""
    if not getattr(args, "verbose", False):
        yield
        return
    import logging

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            show(self.format(record).splitlines(), aside=True)

    logger, handler = logging.getLogger("sparsebc"), Handler()
    handler.setFormatter(
        logging.Formatter("%(asctime)s %(name)s: %(message)s", "%Y-%m-%d %H:%M:%S")
    )
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)


def add_dry_run(parser: Any) -> None:
    """Whether to compute at all."""
    parser.add_argument("--dry-run", action="store_true",
        help="say what would be done and how long it would take, and write nothing")  # fmt: skip


def add_checkpoint(parser: Any, *, parts: bool = True, draws: bool = False) -> None:
    """Where to keep how far the command is, and which part of it to compute if it has parts.

    ``draws`` says that it draws its sources, whatever its options are.
    """
    add = parser.add_argument
    add("--checkpoint", metavar="DIR",
        help="keep in this directory how far it is: the same command, or 'sparsebc resume DIR', "
        "goes on from there; SIGTERM and SIGUSR1 save and exit with 75")  # fmt: skip
    add("--checkpoint-every", type=seconds, metavar="SECONDS",
        help="time between two saves (default: 60)")  # fmt: skip
    parser.set_defaults(part=None, draws=draws)
    if parts:
        add("--part", type=_part, metavar="I/N",
            help="compute part I of N alone, for job arrays, and keep it below --checkpoint; "
            "'sparsebc merge DIR' then does all else")  # fmt: skip


def check_checkpoint(args: argparse.Namespace) -> None:
    """Refuse what has an effect only with a directory."""
    if getattr(args, "checkpoint", None) is not None:
        return
    if getattr(args, "checkpoint_every", None) is not None:
        args.usage_error("--checkpoint-every has an effect only with --checkpoint")
    if getattr(args, "part", None) is not None:
        args.usage_error("--part needs --checkpoint, the directory that all parts share")


def seconds(text: str) -> float:
    """Argument type: a time."""
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]+)?", text):
        raise argparse.ArgumentTypeError(f"expected a number of seconds, got {text!r}")
    return float(text)


def _part(text: str) -> tuple[int, int]:
    """Argument type: one of so many parts."""
    match = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise argparse.ArgumentTypeError(f"expected I/N with I from 1 to N, as 3/16, got {text!r}")
    return int(match[1]), int(match[2])


def run_options(args: argparse.Namespace) -> dict[str, Any]:
    """What those say, as a function takes it."""
    kept = checkpoint_options(args)
    return kept | worker_options(args) | {"dtype": args.dtype, "reduce": args.reduce}


def checkpoint_options(args: argparse.Namespace) -> dict[str, Any]:
    """What `add_checkpoint` says, where a command has that."""
    return {
        name: getattr(args, name)
        for name in ("checkpoint", "checkpoint_every")
        if getattr(args, name, None) is not None
    }


def worker_options(args: argparse.Namespace) -> dict[str, Any]:
    """What `add_workers`, ``--device`` and ``--quiet`` say."""
    if args.retries is not None and args.executor is None:
        args.usage_error("--retries has an effect only with --executor")
    return {
        **({} if args.retries is None else {"retries": args.retries}),
        "device": args.device,
        "workers": args.workers,
        "memory_budget": args.memory,
        "executor": args.executor and executor_of(args.executor),
        "progress": not args.quiet,
    }


def integer(least: int) -> Any:
    """Argument type: integers from `least` on."""

    def parse(text: str) -> int:
        if not re.fullmatch("[0-9]{1,40}", text) or int(text) < least:  # seeds may have 39
            raise argparse.ArgumentTypeError(f"expected an integer from {least} on, got {text!r}")
        return int(text)

    return parse


def device(text: str) -> str | list[str]:
    """Argument type: a device, or GPUs between commas."""
    names = text.split(",")
    return names if len(names) > 1 else text


def _reduce(text: str) -> str | set[str]:
    """Argument type: reductions, between commas."""
    first, *others = names = text.split(",")
    if text == "none" or (first == "all" and {*others} <= {f"-{name}" for name in REDUCTIONS}):
        return text
    if not {*names} <= {*REDUCTIONS}:
        raise argparse.ArgumentTypeError(
            f"expected all, none or some of {','.join(REDUCTIONS)}, got {text!r}; all,-chains are "
            "all but one"
        )
    return {*names}


def _executor(text: str) -> str:
    """Argument type: what `executor_of` takes."""
    if not re.fullmatch(r"processes:0{0,9}[1-9][0-9]{0,5}|dask:.+:[0-9]+|mpi", text):
        raise argparse.ArgumentTypeError(
            f"expected processes:4, dask:HOST:PORT or mpi, got {text!r}"
        )
    return text


def executor_of(text: str) -> Any:
    """Function that makes the executor of a name."""
    import importlib

    kind, _, where = text.partition(":")
    if kind == "processes":
        from . import processes

        return functools.partial(processes.pool, int(where))
    module, name, package = {
        "dask": ("distributed", "Client", "sparsebc[dask]"),
        "mpi": ("mpi4py.futures", "MPIPoolExecutor", "mpi4py"),
    }[kind]
    try:
        make = getattr(importlib.import_module(module), name)
    except ImportError as error:
        raise Refusal(
            f'--executor {text} needs {module}: python -m pip install "{package}" ({error})'
        ) from error
    if kind == "mpi":
        return functools.partial(make, use_pkl5=True)  # messages of more than 2 GiB
    return functools.partial(make, where)


def _separator(text: str) -> str:
    """Argument type: one character, some by their names."""
    found = {"tab": "\t", "\\t": "\t", "space": " "}.get(text, text)
    if len(found) != 1 or found in '"\r\n':
        raise argparse.ArgumentTypeError(f"expected one character, tab or space, got {text!r}")
    return found


def _columns(text: str) -> dict[str, str]:
    """Argument type: titles of columns, by what they hold."""
    pairs = [pair.partition("=") for pair in text.split(",")]
    columns = {role.strip(): title.strip() for role, _, title in pairs}
    if (
        len(columns) < len(pairs)
        or not all(columns.values())
        or not set(columns) <= {"source", "target", "weight"}
        or ("source" in columns) != ("target" in columns)
    ):
        raise argparse.ArgumentTypeError(
            "expected titles as in source=gene_a,target=gene_b,weight=w, or numbers as in "
            f"source=1,target=2, got {text!r}"
        )
    return columns


def size(text: str) -> int:
    """Argument type: bytes, with or without a unit."""
    match = re.fullmatch(r"([0-9]{1,18}(?:\.[0-9]+)?)([KMGT]?)(?:i?B)?", text, re.IGNORECASE)
    size = float(match[1]) * 1024 ** " KMGT".index(match[2].upper() or " ") if match else 0
    if size < 1:
        raise argparse.ArgumentTypeError(f"expected a size as 500M or 2G, got {text!r}")
    return int(size)
