"""The table of options, and the rules by which they exclude or need each other."""

import argparse
from argparse import Namespace
from collections.abc import Callable
from typing import Any, NamedTuple

from . import values
from .values import MEASURES, OF_NODES


class Option(NamedTuple):
    """An option: its help, its argparse keywords, and how its value is used.

    Attributes
    ----------
    name : str
    dest : str
        Attribute of the parsed arguments.
    help : str
        What it does; a command may have its own text.
    how : dict
        Keywords of `argparse.ArgumentParser.add_argument`.
    argument : str
        Argument of the public functions, if it sets one.
    reads : {"", "table", "column", "columns", "pairs", "list"}
        Kind of the input file that it names, if it names one.
    """

    name: str
    dest: str
    help: str
    how: dict[str, Any]
    argument: str = ""
    reads: str = ""


def option(
    name: str,
    help: str,
    metavar: str = "",
    type: Callable[[str], Any] | None = None,
    argument: str = "",
    reads: str = "",
    **how: Any,
) -> Option:
    """Option of a value that the help calls ``metavar``; a flag without it."""
    how |= {"metavar": metavar} if metavar else {} if how else {"action": "store_true"}
    how |= {"type": type} if type else {}
    return Option(name, name[2:].replace("-", "_"), help, how, argument, reads)


# Several values: between commas, repeated, or of @FILE; the whole text where it is one value.
NODES: dict[str, Any] = {"metavar": "NODE,...", "reads": "list", "action": "append"}
COLUMN: dict[str, Any] = {"metavar": "FILE[:COLUMN]", "reads": "column"}
# fmt: off
_ALL = {
    "Input": (
    option("--directed", "edges lead from source to target only"),
    option("--weighted", "weights are lengths of edges", argument="weighted"),
    option("--strength", "weights are strengths: reciprocal, or log (-log(w))", "RULE",
        choices=("reciprocal", "log")),
    option("--columns", "by title or number: source=A,target=B,weight=C", "ROLE=COLUMN,...",
        values.edge_columns),
    option("--header", "line 1 is a header, or not (default: inferred)",
        action=argparse.BooleanOptionalAction),
    option("--separator", "separator of fields: ';', tab, space, ... (default: inferred)", "CHAR",
        values.separator),
    option("--comment", "prefix of comment lines, '' for none (default: # and %%)", "CHAR"),
    option("--encoding", "encoding of text: cp1252, utf-16-le, ... (default: UTF-8)", "NAME"),
    option("--decimal", "decimal point (default: ',' where semicolons separate)",
        choices=(".", ",")),
    option("--names", "rename nodes by a table of name and new name", "FILE", reads="table"),
    option("--threshold", "edges of at least this weight, and all nodes", "WEIGHT",
        values.positive),
    option("--keep", "linked: nodes with an edge; largest: one component", "PART",
        choices=("linked", "largest")),
    option("--scale", "divide weights by this, after --threshold (STRING's by 1000)", "NUMBER",
        values.positive),
    option("--ignore-missing", "leave out listed names that are not nodes"),
    ),
    "Question": (
    option("--measure", "what to compute", "NAME", values.some_of(OF_NODES)),
    option("--also", "more columns: " + ",".join(OF_NODES), "A,B", values.some_of(OF_NODES),
        action="extend"),
    option("--cutoff", "pairs within this distance; several make a column each", "D[,D]",
        values.cutoffs, "cutoff", action="extend"),
    option("--sources", "paths from these nodes; @FILE lists them", argument="sources", **NODES),
    option("--targets", "paths to these nodes; @FILE lists them", argument="targets", **NODES),
    option("--source-weights",
        "weight of the pairs that begin at a node (default column: the second)",
        argument="source_weights", **COLUMN),
    option("--target-weights", "weight of the pairs that end at a node",
        argument="target_weights", **COLUMN),
    option("--demand", "weight of each pair: a table of origin, destination, trips", "FILE",
        argument="demand", reads="pairs"),
    option("--decay", "weigh pairs by their distance: exponential:B, linear:R, power:E, "
        "gaussian:S, or distances and weights as 0:1,400:.5,800:0", "KIND:X", values.decay,
        "decay"),
    option("--raw", "sum over pairs, not their share", argument="normalized"),
    option("--endpoints", "count each path at its two ends as well", argument="endpoints"),
    option("--reachable-only", "farthest among the nodes within reach",
        argument="reachable_only"),
    option("--samples", "estimate from N sources, drawn at random", "N", values.integer(1), "k"),
    option("--error", "estimate: every score within this error", "E", values.share, "epsilon"),
    option("--confidence", "probability that --error holds (default: 0.9)", "P", values.share,
        "delta"),
    option("--seconds", "estimate: stop after this time", "S", values.positive, "seconds"),
    option("--best", "estimate: until N highest are certain, or all to .001", "N",
        values.integer(1), "top"),
    option("--seed", "seed of random draws", "N", values.integer(0), "rng"),
    option("--nodes", "nodes of a group; repeat it for another group", argument="groups", **NODES),
    option("--steps", "number of removals (default: 10)", "N", values.integer(1), "steps"),
    option("--parts", "stop at N communities (default: the largest modularity)", "N",
        values.integer(1), "parts"),
    option("--places", "number of places at each node, such as jobs; a column a kind",
        "FILE[:COLUMN],...", argument="places", reads="columns", action="append"),
    option("--model", "degree: swaps of edges keep all degrees; shuffled: lengths are shuffled "
        "as well; edge-probability: each edge is present with its probability", argument="model",
        choices=("degree", "shuffled", "edge-probability"), default="degree"),
    option("--start", "time at which walks begin (default: of the first contact)", "TIME"),
    option("--wait", "longest wait at a node (default: any)", "TIME", values.time, "wait"),
    ),
    "Output": (
    option("--output", ".csv .tsv .txt .json .parquet", "FILE"),
    option("--top", "print N or all by rank (default: 10 on a terminal)", "N", values.top),
    option("--json", "print all rows, facts and provenance as JSON"),
    option("--provenance", "begin text tables with comments on how they came about"),
    option("--positions", "node, x and y (or lon and lat): a map in -o FILE.html", "FILE",
        reads="table"),
    ),
    "Run": (
    option("--device", "cpu, reference, cuda, cuda:1 or cuda:0,cuda:1", "NAME",
        lambda text: text.split(",") if "," in text else text, "device"),
    option("--workers", "threads (default: one a CPU), processes:N, dask:HOST:PORT, mpi", "N",
        values.workers, "workers"),
    option("--memory", "memory, such as 2G (default: 80%% of what is free)", "SIZE", values.size,
        "memory_budget"),
    option("--checkpoint", "save in DIR; the same command resumes", "DIR", values.folder,
        "checkpoint"),
    option("--quiet", "no progress and no notes"),
    option("--verbose", "log each step on standard error"),
    ),
}
# fmt: on
GROUPS = {title: {one.name: one for one in group} for title, group in _ALL.items()}
OPTIONS = {name: one for group in GROUPS.values() for name, one in group.items()}
SHORT = {
    **{"--output": "-o", "--top": "-n", "--weighted": "-w", "--directed": "-d", "--quiet": "-q"},
    **{"--verbose": "-v", "--measure": "-m"},
}
# Only --help-all shows these.
RARE = {
    *("--header", "--separator", "--comment", "--encoding", "--decimal", "--names", "--scale"),
    *("--ignore-missing", "--source-weights", "--target-weights", "--demand", "--decay"),
    *("--endpoints", "--provenance", "--positions", "--verbose"),
}
TABLE = ("header", "separator", "comment", "encoding", "decimal")  # arguments of readers of tables

# Options that exclude or need each other: the case that is an error, and its message.
# fmt: off
RULES: tuple[tuple[Callable[[Namespace], Any], str], ...] = (
    (lambda given: given.weighted and given.strength,
     "--weighted takes weights for lengths, --strength for strengths: leave out either"),
    (lambda given: given.command.name in MEASURES and given.samples
        and (given.sources or given.targets),
     "--samples draws its own sources: leave out --samples, or --sources and --targets"),
    (lambda given: given.samples and (given.source_weights or given.target_weights
        or given.demand),
     "--samples draws pairs that count 1 each: leave out --samples, or the weights and --demand"),
    (lambda given: given.seed is not None and not given.draws,
     "--seed has an effect only with --samples, --error, --seconds or --best"),
    (lambda given: given.confidence and not given.estimates,
     "--confidence has an effect only with --error, --seconds or --best"),
    (lambda given: given.estimates and (given.samples or given.also or given.cutoff
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
        and "probability" not in (given.columns or {}),
     "--weighted takes the weights for lengths: name probability= in --columns"),
    (lambda given: given.task == "access nearest"
        and (given.decay or given.cutoff or not given.places),
     "-m nearest needs --places, and takes no --decay or --cutoff"),
    (lambda given: given.start and given.task not in ("temporal reach", "temporal arrival"),
     "--start has an effect only with -m reach or -m arrival"),
    (lambda given: given.sources and given.task == "temporal reach",
     "-m reach is from all nodes: leave out --sources"),
    (lambda given: not given.sources and given.task == "temporal arrival",
     "-m arrival needs --sources"),
    (lambda given: given.raw
        and given.task in ("temporal closeness", "temporal reach", "temporal arrival"),
     "--raw has an effect only with -m betweenness or -m foremost-betweenness"),
    (lambda given: given.positions and not str(given.output).lower().endswith(".html"),
     "--positions has an effect only with --output FILE.html"),
    (lambda given: given.provenance and given.output is None,
     "--provenance has an effect only with --output"),
    (lambda given: given.ignore_missing and not (given.sources or given.targets or given.nodes),
     "--ignore-missing has an effect only with --sources, --targets or --nodes"),
)
# fmt: on
