"""Options of all commands: types of their values, names, argparse keywords and help; rules."""

import argparse
import re
from argparse import Action, ArgumentTypeError
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

MEASURES = ("betweenness", "edge-betweenness", "stress", "closeness", "harmonic", "eccentricity")
OF_NODES = tuple(measure for measure in MEASURES if measure != "edge-betweenness")
DECAYS = ("exponential", "linear", "power", "gaussian")  # as in `measures.weights`
NUMBER = r"[0-9]{1,15}(?:\.[0-9]+)?"


def checked(
    expected: str,
    read: Callable[[str], Any] = str,
    accepts: Callable[[Any], bool] = lambda value: True,
    pattern: str = ".*",
) -> Callable[[str], Any]:
    """Type of texts that match a pattern and whose value `read(text)` is accepted."""

    def parse(text: str) -> Any:
        if re.fullmatch(pattern, text, re.DOTALL):
            with suppress(ValueError):
                value = read(text)
                if accepts(value):
                    return value
        raise ArgumentTypeError(f"expected {expected}, got {text!r}")

    return parse


def several(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """Type of a list of numbers or words, also those of @FILE, one a line."""

    def read(text: str) -> Any:
        if text.startswith("@"):
            try:
                text = ",".join(Path(text[1:]).read_text(encoding="utf-8-sig").split())
            except UnicodeError as error:
                raise ArgumentTypeError(f"{text}: {error}") from error
        return parse(text)

    return read


class Repeated(Action):
    """Action of an option whose values are lists, and which may be repeated."""

    def __call__(self, parser: Any, given: Any, values: Any, option: str | None = None) -> None:
        """Add values; the first replace the default."""
        before = getattr(given, self.dest)
        setattr(given, self.dest, [*([] if before is self.default else before), *values])


def integer(least: int) -> Callable[[str], int]:
    """Type of integers of at least ``least``; of up to 40 digits, as seeds may have 39."""
    expected = f"an integer from {least} on"
    return checked(expected, int, lambda value: value >= least, "[0-9]{1,40}")


def some_of(known: tuple[str, ...]) -> Callable[[str], list[str]]:
    """Type of names between commas, each once, in the words of Python."""

    def read(text: str) -> list[str]:
        return [*dict.fromkeys(name.strip().replace("-", "_") for name in text.split(","))]

    words = {name.replace("-", "_") for name in known}
    return several(checked(f"some of {','.join(known)}", read, lambda names: {*names} <= words))


def one_of(*known: str) -> Callable[[str], list[str]]:
    """Type of one name, in the words of Python."""
    expected = f"one of {', '.join(known)}"
    return checked(expected, lambda text: [text.replace("-", "_")], pattern="|".join(known))


def device(text: str) -> str | list[str]:
    """A device, or GPUs between commas."""
    names = text.split(",")
    return names if len(names) > 1 else text


def roles(needed: set[str], others: set[str]) -> Callable[[str], dict[str, str]]:
    """Parser of columns by role; either all of `needed` or none, and any of `others`."""

    def read(text: str) -> dict[str, str]:
        pairs = [pair.partition("=") for pair in text.split(",")]
        titles = {role.strip(): title.strip() for role, _, title in pairs}
        known = needed & {*titles} in (needed, set()) and {*titles} <= needed | others
        if len(titles) < len(pairs) or not known or not all(titles.values()):
            raise ValueError
        return titles

    return read


def _bytes(text: str) -> int:
    number, unit = re.fullmatch(r"([0-9.]+)([KMGT]?).*", text.upper()).groups()  # type: ignore[union-attr]
    return int(float(number) * 1024 ** " KMGT".index(unit or " "))


def _decay(text: str) -> tuple[Any, Any]:
    pairs = [pair.split(":") for pair in text.split(",")]
    if pairs[0][0] in DECAYS:
        ((kind, number),) = pairs
        return kind, float(number)
    distances, weights = zip(*((float(x), float(y)) for x, y in pairs), strict=True)
    return distances, weights


positive = checked("a number above 0", float, lambda value: 0 < value < float("inf"))
share = checked("a number between 0 and 1", float, lambda value: 0 < value < 1)
size = checked(
    "a size as 500M or 2G",
    _bytes,
    lambda size: size >= 1,
    r"(?i:[0-9]{1,18}(?:\.[0-9]+)?[KMGT]?(?:i?B)?)",
)
top = checked(
    "an integer from 1 on, or all",
    lambda text: 0 if text == "all" else int(text),
    lambda count: count >= 0,
    "0*[1-9][0-9]{0,39}|all",
)
cutoffs = several(
    checked(
        "different numbers as in 400,800,1600, in plain digits, inf for none",
        lambda text: tuple(number.strip() for number in text.split(",")),
        lambda numbers: len({*numbers}) == len(numbers),
        rf"\s*(?:{NUMBER}|inf)\s*(?:,\s*(?:{NUMBER}|inf)\s*)*",
    )
)
folder = checked("the name of a directory", pattern=".+")
decay = checked(
    f"one of {', '.join(DECAYS)} and a number, as in exponential:0.002, or distances and weights "
    "as in 0:1,400:0.5,800:0",
    _decay,
)
workers = checked(
    "an integer from 1 on, processes:4, dask:HOST:PORT or mpi",
    lambda text: int(text) if text.isdecimal() else text,
    bool,
    r"[0-9]{1,40}|processes:0{0,9}[1-9][0-9]{0,5}|dask:.+:[0-9]+|mpi",
)
# As a list of the measure and, of the nearest place, its number.
of_places = checked(
    "accessibility, nearest, or nearest:2 for the second nearest place",
    lambda text: [int(part) if part.isdecimal() else part for part in text.split(":")],
    pattern="accessibility|nearest(:0{0,9}[1-9][0-9]{0,8})?",
)
separator = checked(
    "one character, tab or space",
    lambda text: {"tab": "\t", "\\t": "\t", "space": " "}.get(text, text),
    lambda character: len(character) == 1 and character not in '"\r\n',
)
columns = checked(
    "titles as in source=gene_a,target=gene_b,weight=w, or numbers as in source=1,target=2",
    roles({"source", "target"}, {"weight"}),
)
probable_columns = checked(
    "titles as in source=a,target=b,weight=w,probability=p, or numbers as in source=1,target=2",
    roles({"source", "target"}, {"weight", "probability"}),
)
contact_columns = checked(
    "titles as in source=a,target=b,time=t,duration=d, or numbers as in source=2,target=3,time=1",
    roles({"source", "target"}, {"time", "duration"}),
)
time = checked(
    "a number from 0 on", lambda text: int(text) if text.isdigit() else float(text), pattern=NUMBER
)


class Option(NamedTuple):
    """An option: its help, its argparse keywords, and how its value is used.

    Attributes
    ----------
    help : str
        What it does; a command may have its own text.
    how : dict
        Keywords of `argparse.ArgumentParser.add_argument`.
    argument : str
        Argument of the public functions, if it sets one.
    reads : {"", "table", "column", "columns", "pairs", "list"}
        Kind of the input file that it names, if it names one.
    rare : bool
        Whether only ``--help-all`` shows it.
    told : bool
        Whether it says what is computed, and is part of the provenance.
    """

    help: str
    how: dict[str, Any]
    argument: str = ""
    reads: str = ""
    rare: bool = False
    told: bool = True


def often(help: str, argument: str = "", reads: str = "", told: bool = True, **how: Any) -> Option:
    """Option that ``--help`` shows."""
    return Option(help, how, argument, reads, False, told)


def rare(help: str, argument: str = "", reads: str = "", told: bool = True, **how: Any) -> Option:
    """Option that ``--help-all`` shows."""
    return Option(help, how, argument, reads, True, told)


FLAG: dict[str, Any] = {"action": "store_true"}
FILE: dict[str, Any] = {"metavar": "FILE"}
# Several values: between commas, repeated, or of @FILE; the whole text where it is one value.
NODES: dict[str, Any] = {"reads": "list", "action": "append", "metavar": "NODE,..."}
COLUMN: dict[str, Any] = {"reads": "column", "metavar": "FILE[:COLUMN]"}
# fmt: off
INPUT = {
    "--directed": often("edges lead from source to target only", told=False, **FLAG),
    "--weighted": often("weights are lengths of edges", "weighted", told=False, **FLAG),
    "--strength": often(
        "weights are strengths: reciprocal, or log (-log(w))", told=False,
        choices=("reciprocal", "log"), metavar="RULE"),
    "--columns": often(
        "by title or number: source=A,target=B,weight=C", type=columns,
        metavar="ROLE=COLUMN,..."),
    "--header": rare(
        "line 1 is a header, or not (default: inferred)", action=argparse.BooleanOptionalAction),
    "--separator": rare(
        "separator of fields: ';', tab, space, ... (default: inferred)", type=separator,
        metavar="CHAR"),
    "--comment": rare(
        "prefix of comment lines, '' for none (default: # and %%)", metavar="CHAR"),
    "--encoding": rare(
        "encoding of text: cp1252, utf-16-le, ... (default: UTF-8)", metavar="NAME"),
    "--decimal": rare(
        "decimal point (default: ',' where semicolons separate)", choices=(".", ",")),
    "--names": rare(
        "rename nodes by a table of name and new name", reads="table", **FILE),
    "--threshold": often(
        "edges of at least this weight, and all nodes", type=positive,
        metavar="WEIGHT"),
    "--keep": often(
        "linked: nodes with an edge; largest: one component",
        choices=("linked", "largest"), metavar="PART"),
    "--scale": rare(
        "divide weights by this, after --threshold (STRING's by 1000)", type=positive,
        metavar="NUMBER"),
    "--ignore-missing": rare("leave out listed names that are not nodes", **FLAG),
}
QUESTION = {
    "--measure": often("what to compute", type=some_of(OF_NODES), metavar="NAME"),
    "--also": often(
        "more columns: " + ",".join(OF_NODES),
        type=some_of(OF_NODES), action=Repeated, metavar="A,B"),
    "--cutoff": often(
        "pairs within this distance; several make a column each", "cutoff", type=cutoffs,
        action=Repeated, metavar="D[,D]"),
    "--sources": often("paths from these nodes; @FILE lists them", "sources", **NODES),
    "--targets": often("paths to these nodes; @FILE lists them", "targets", **NODES),
    "--source-weights": rare(
        "weight of the pairs that begin at a node (default column: the second)", "source_weights",
        **COLUMN),
    "--target-weights": rare("weight of the pairs that end at a node", "target_weights", **COLUMN),
    "--demand": rare(
        "weight of each pair: a table of origin, destination, trips", "demand", reads="pairs",
        **FILE),
    "--decay": rare(
        "weigh pairs by their distance: exponential:B, linear:R, power:E, gaussian:S, or "
        "distances and weights as 0:1,400:.5,800:0", "decay", type=decay,
        metavar="KIND:X"),
    "--raw": often("sum over pairs, not their share", "normalized", told=False, **FLAG),
    "--endpoints": rare("count each path at its two ends as well", "endpoints", **FLAG),
    "--reachable-only": often("farthest among the nodes within reach", "reachable_only", **FLAG),
    "--samples": often(
        "estimate from N sources, drawn at random", "k", type=integer(1), metavar="N"),
    "--error": often("estimate: every score within this error", "epsilon", type=share,
        metavar="E"),
    "--confidence": often(
        "probability that --error holds (default: 0.9)", "delta", type=share,
        metavar="P"),
    "--seconds": often("estimate: stop after this time", "seconds", type=positive,
        metavar="S"),
    "--best": often(
        "estimate: until N highest are certain, or all to .001", "top",
        type=integer(1), metavar="N"),
    "--seed": often("seed of random draws", "rng", type=integer(0),
        metavar="N"),
    "--nodes": often("nodes of a group; repeat it for another group", "groups", **NODES),
    "--steps": often(
        "number of removals (default: 10)", "steps", type=integer(1), metavar="N"),
    "--parts": often(
        "stop at N communities (default: the largest modularity)", "parts",
        type=integer(1), metavar="N"),
    "--places": often(
        "number of places at each node, such as jobs; a column a kind", "places",
        reads="columns", action="append", metavar="FILE[:COLUMN],..."),
    "--model": often(
        "degree: swaps of edges keep all degrees; shuffled: lengths are shuffled as well; "
        "edge-probability: each edge is present with its probability", "model",
        choices=("degree", "shuffled", "edge-probability"), default="degree"),
    "--start": often("time at which walks begin (default: of the first contact)", metavar="TIME"),
    "--wait": often("longest wait at a node (default: any)", "wait", type=time,
        metavar="TIME"),
}
OUTPUT = {
    "--output": often(
        ".csv .tsv .txt .json .parquet", told=False, **FILE),
    "--top": often(
        "print N or all by rank (default: 10 on a terminal)", told=False, type=top,
        metavar="N"),
    "--json": often("print all rows, facts and provenance as JSON", told=False, **FLAG),
    "--provenance": rare(
        "begin text tables with comments on how they came about", told=False, **FLAG),
    "--positions": rare(
        "node, x and y (or lon and lat): a map in -o FILE.html", told=False, reads="table", **FILE),
}
RUN = {
    "--device": often(
        "cpu, reference, cuda, cuda:1 or cuda:0,cuda:1", "device", told=False,
        type=device, metavar="NAME"),
    "--workers": often(
        "threads (default: one a CPU), processes:N, dask:HOST:PORT, mpi", "workers",
        told=False, type=workers, metavar="N"),
    "--memory": often(
        "memory, such as 2G (default: 80%% of what is free)", "memory_budget", told=False,
        type=size, metavar="SIZE"),
    "--checkpoint": often(
        "save in DIR; the same command resumes", "checkpoint", told=False,
        type=folder, metavar="DIR"),
    "--quiet": often("no progress and no notes", told=False, **FLAG),
    "--verbose": rare("log each step on standard error", told=False, **FLAG),
}
# fmt: on
GROUPS = {"Input": INPUT, "Question": QUESTION, "Output": OUTPUT, "Run": RUN}
OPTIONS = {name: option for group in GROUPS.values() for name, option in group.items()}
SHORT = {name: [short] for name, short in {
    "--output": "-o", "--top": "-n", "--weighted": "-w", "--directed": "-d", "--quiet": "-q",
    "--verbose": "-v", "--measure": "-m",
}.items()}  # fmt: skip
TABLE = ("header", "separator", "comment", "encoding", "decimal")  # arguments of readers of tables
# Attribute of the parsed arguments, by option.
DEST = {name: name[2:].replace("-", "_") for name in OPTIONS}
Namespace = argparse.Namespace


def estimates(given: Namespace) -> bool:
    """Whether scores are estimated until an error, a time or a ranking is reached."""
    return any(one is not None for one in (given.error, given.seconds, given.best))


def draws(given: Namespace) -> bool:
    """Whether sources or networks are drawn at random."""
    is_random = "--seed" in given.command.options
    return is_random and bool(given.samples or estimates(given))


def _ends(given: Namespace) -> Any:
    return given.source_weights or given.target_weights


def _is(given: Namespace, command: str, *measures: str) -> bool:
    """Whether this is a command with one of these measures."""
    return given.command.name == command and given.measure[0] in measures


# Options that exclude or need each other: the case that is an error, and its message.
# fmt: off
RULES: tuple[tuple[Callable[[Namespace], Any], str], ...] = (
    (lambda given: given.weighted and given.strength,
     "--weighted takes weights for lengths, --strength for strengths: leave out either"),
    (lambda given: given.command.name in ("betweenness", "edge-betweenness", "stress", "closeness",
     "harmonic", "eccentricity") and given.samples and (given.sources or given.targets),
     "--samples draws its own sources: leave out --samples, or --sources and --targets"),
    (lambda given: given.samples and (_ends(given) or given.demand),
     "--samples draws pairs that count 1 each: leave out --samples, or the weights and --demand"),
    (lambda given: given.seed is not None and not draws(given),
     "--seed has an effect only with --samples, --error, --seconds or --best"),
    (lambda given: given.confidence and not estimates(given),
     "--confidence has an effect only with --error, --seconds or --best"),
    (lambda given: estimates(given) and (given.samples or given.also or given.cutoff
        or given.demand or given.decay or given.endpoints or given.raw),
     "--error, --seconds and --best estimate shares of all pairs: leave out --samples, --also, "
     "--cutoff, --demand, --decay, --endpoints and --raw"),
    (lambda given: given.command.name == "group" and bool(given.nodes) is bool(given.steps),
     "give either --nodes, the groups, or --steps, the size of a group to find"),
    (lambda given: given.command.name == "group" and given.steps and given.endpoints,
     "--steps counts ends in any case: leave out --endpoints"),
    (lambda given: given.steps and given.checkpoint is not None,
     "--steps cannot be continued: leave out --checkpoint"),
    (lambda given: "probability" in (given.columns or {}) and given.model != "edge-probability",
     "probability in --columns has an effect only with --model edge-probability"),
    (lambda given: given.model == "edge-probability" and given.weighted
        and "probability" not in given.columns,
     "--weighted takes the weights for lengths: name probability= in --columns"),
    (lambda given: _is(given, "access", "nearest")
        and (given.decay or given.cutoff or not given.places),
     "-m nearest needs --places, and takes no --decay or --cutoff"),
    (lambda given: given.start and not _is(given, "temporal", "reach", "arrival"),
     "--start has an effect only with -m reach or -m arrival"),
    (lambda given: given.sources and _is(given, "temporal", "reach"),
     "-m reach is from all nodes: leave out --sources"),
    (lambda given: not given.sources and _is(given, "temporal", "arrival"),
     "-m arrival needs --sources"),
    (lambda given: given.raw and _is(given, "temporal", "closeness", "reach", "arrival"),
     "--raw has an effect only with -m betweenness or -m foremost-betweenness"),
    (lambda given: given.positions and not str(given.output).lower().endswith(".html"),
     "--positions has an effect only with --output FILE.html"),
    (lambda given: given.provenance and given.output is None,
     "--provenance has an effect only with --output"),
    (lambda given: given.ignore_missing and not (given.sources or given.targets or given.nodes),
     "--ignore-missing has an effect only with --sources, --targets or --nodes"),
)
# fmt: on
