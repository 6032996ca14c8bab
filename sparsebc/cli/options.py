"""Table of the options of all commands: names, argparse keywords and help; and their rules."""

import argparse
from collections.abc import Callable
from typing import Any, NamedTuple

from . import values


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
        "by title or number: source=A,target=B,weight=C", type=values.columns,
        metavar="ROLE=COLUMN,..."),
    "--header": rare(
        "line 1 is a header, or not (default: inferred)", action=argparse.BooleanOptionalAction),
    "--separator": rare(
        "separator of fields: ';', tab, space, ... (default: inferred)", type=values.separator,
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
        "edges of at least this weight, and all nodes", type=values.positive,
        metavar="WEIGHT"),
    "--keep": often(
        "linked: nodes with an edge; largest: one component",
        choices=("linked", "largest"), metavar="PART"),
    "--scale": rare(
        "divide weights by this, after --threshold (STRING's by 1000)", type=values.positive,
        metavar="NUMBER"),
    "--ignore-missing": rare("leave out listed names that are not nodes", **FLAG),
}
QUESTION = {
    "--measure": often("what to compute", type=values.some_of(values.OF_NODES), metavar="NAME"),
    "--also": often(
        "more columns: " + ",".join(values.OF_NODES),
        type=values.some_of(values.OF_NODES), action=values.Repeated, metavar="A,B"),
    "--cutoff": often(
        "pairs within this distance; several make a column each", "cutoff", type=values.cutoffs,
        action=values.Repeated, metavar="D[,D]"),
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
        "distances and weights as 0:1,400:.5,800:0", "decay", type=values.decay,
        metavar="KIND:X"),
    "--raw": often("sum over pairs, not their share", "normalized", told=False, **FLAG),
    "--endpoints": rare("count each path at its two ends as well", "endpoints", **FLAG),
    "--reachable-only": often("farthest among the nodes within reach", "reachable_only", **FLAG),
    "--samples": often(
        "estimate from N sources, drawn at random", "k", type=values.integer(1), metavar="N"),
    "--error": often("estimate: every score within this error", "epsilon", type=values.share,
        metavar="E"),
    "--confidence": often(
        "probability that --error holds (default: 0.9)", "delta", type=values.share,
        metavar="P"),
    "--seconds": often("estimate: stop after this time", "seconds", type=values.positive,
        metavar="S"),
    "--best": often(
        "estimate: until N highest are certain, or all to .001", "top",
        type=values.integer(1), metavar="N"),
    "--seed": often("seed of random draws", "rng", type=values.integer(0),
        metavar="N"),
    "--nodes": often("nodes of a group; repeat it for another group", "groups", **NODES),
    "--steps": often(
        "number of removals (default: 10)", "steps", type=values.integer(1), metavar="N"),
    "--parts": often(
        "stop at N communities (default: the largest modularity)", "parts",
        type=values.integer(1), metavar="N"),
    "--places": often(
        "number of places at each node, such as jobs; a column a kind", "places",
        reads="columns", action="append", metavar="FILE[:COLUMN],..."),
    "--model": often(
        "degree: swaps of edges keep all degrees; shuffled: lengths are shuffled as well; "
        "edge-probability: each edge is present with its probability", "model",
        choices=("degree", "shuffled", "edge-probability"), default="degree"),
    "--start": often("time at which walks begin (default: of the first contact)", metavar="TIME"),
    "--wait": often("longest wait at a node (default: any)", "wait", type=values.time,
        metavar="TIME"),
}
OUTPUT = {
    "--output": often(
        ".csv .tsv .txt .json .parquet", told=False, **FILE),
    "--top": often(
        "print N or all by rank (default: 10 on a terminal)", told=False, type=values.top,
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
        type=values.device, metavar="NAME"),
    "--workers": often(
        "threads (default: one a CPU), processes:N, dask:HOST:PORT, mpi", "workers",
        told=False, type=values.workers, metavar="N"),
    "--memory": often(
        "memory, such as 2G (default: 80%% of what is free)", "memory_budget", told=False,
        type=values.size, metavar="SIZE"),
    "--checkpoint": often(
        "save in DIR; the same command resumes", "checkpoint", told=False,
        type=values.folder, metavar="DIR"),
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
