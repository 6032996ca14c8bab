"""Table of the options of all commands: names, argparse keywords and help; and their rules."""

import argparse
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from . import argument_types as types


class Option(NamedTuple):
    """An option: its help, its argparse keywords, and how its value is used.

    Attributes
    ----------
    help : str
        Text with fields in braces, which `commands.Command.words` fills; the parser appends the
        default.
    how : dict
        Keywords of `argparse.ArgumentParser.add_argument`.
    argument : str
        Argument of the public functions, if it sets one.
    told : bool
        Whether it says what is computed, and so is part of the provenance.
    reads : {"", "table", "column", "columns", "pairs", "list"}
        Kind of the input file that it names, if it names one.
    """

    help: str
    how: dict[str, Any]
    argument: str = ""
    told: bool = False
    reads: str = ""


def asked(help: str, argument: str = "", reads: str = "", **how: Any) -> Option:
    """Option that says what is computed (``told``)."""
    return Option(help, how, argument, True, reads)


def option(help: str, argument: str = "", reads: str = "", **how: Any) -> Option:
    """Option that says how to compute or to show."""
    return Option(help, how, argument, False, reads)


TABLES = "csv, json, tsv and txt (tabs), each also .gz, .bz2 or .xz; parquet; - is standard output"
PAGES = f"{TABLES}; a network with scores: graphml, gexf; a report for a browser: html"
FLAG = {"action": "store_true"}
FILE = {"metavar": "FILE"}
NODES = {"reads": "list", "nargs": "+", "action": "extend", "metavar": "NODE"}
COLUMN = {"reads": "column", "metavar": "FILE[:COLUMN]"}
FROM = (
    "from a table with tabs, commas or semicolons whose first column is the name; FILE[:COLUMN] "
    "names the column (default: the second)"
)
# fmt: off
OPTIONS = {
    "network": option("{network}", metavar="FILE|DATASET"),
    "--directed": option(
        "edges lead from source to target only (default: both ways; in Python the default is "
        "directed=True)", **FLAG),
    "--columns": asked(
        "columns of {columns}",
        type=types.columns, metavar="[source=A,target=B][,weight=C]"),
    "--no-header": asked("the table has no header: its first line is data", **FLAG),
    "--threshold": asked(
        "keep only edges of at least this weight; all nodes stay", type=types.positive,
        metavar="WEIGHT"),
    "--drop-isolated": asked(
        "leave out nodes without an edge, after --threshold; no effect with --largest-component",
        **FLAG),
    "--scale": asked(
        "divide all weights by this, after --threshold (STRING's scores by 1000)",
        type=types.positive, metavar="NUMBER"),
    "--kind": asked(
        "optimal walks: shortest, those of the fewest contacts; shortest-foremost, of those that "
        "arrive first the ones of the fewest contacts", "kind",
        choices=("shortest", "shortest-foremost"), default="shortest"),
    "--wait": asked(
        "longest wait of a walk at a node, in the unit of the times (default: no limit)", "wait",
        type=types.time, metavar="TIME"),
    "--start": asked(
        "earliest time of a contact: a number, or a date and time (default: the first "
        "contact)", metavar="TIME"),
    "--largest-component": asked(
        "only the largest connected component, the weakly connected one if directed", **FLAG),
    "--names": asked(
        "rename nodes by this table: names in the file, then names to print (as STRING's "
        "protein.info)", reads="table", **FILE),
    "--measures": asked(
        f"{{measures}}: {', '.join(types.MEASURES_OF_NODES)}",
        type=types.measures, metavar="A,B,C"),
    "--endpoints": asked("{endpoints}", "endpoints", **FLAG),
    "--reachable-only": asked(
        "farthest among the nodes within reach, so that no score is inf", "reachable_only", **FLAG),
    "--cutoff": asked(
        "only pairs at most this distance apart, in edges, or by length with --weighted or "
        "--strength; several, as 400,800,1600, give a column of scores each", "cutoff",
        type=types.cutoffs, metavar="A[,B,...]"),
    "--sources": asked("{sources}", "sources", **NODES),
    "--targets": asked(
        "only paths that end at these nodes (@FILE: one a line); put FILE|DATASET first{divided}",
        "targets", **NODES),
    "--source-weights": asked(
        f"pairs count by this number of the node where they begin, {FROM}", "source_weights",
        **COLUMN),
    "--target-weights": asked(
        f"{{target_weights}}, {FROM}", "target_weights",
        **COLUMN),
    "--demand": asked(
        "pairs count by their trips: an origin-destination table with tabs, commas or semicolons, "
        "of origin, destination and number of trips; repeated rows are added up", "demand",
        reads="pairs", **FILE),
    "--decay": asked(
        "{count} count less by distance d: exponential:B, exp(-B d); linear:R, 1 - d/R; power:E, "
        "d**-E; gaussian:S, exp(-d**2/(2 S**2)); or weights of distances, linear in between and 0 "
        "beyond, as 0:1,400:0.5,800:0", "decay", type=types.decay, metavar="KIND:NUMBER|D:W,..."),
    "--places": asked(
        "number of places at each node, as jobs or shops, from a table with tabs, commas or "
        "semicolons whose first column is the name; FILE[:COLUMN] names the column (default: the "
        "second); rows of one name are added up; several files are several kinds{places}",
        reads="columns", nargs="+", action="extend",
        metavar="FILE[:COLUMN]"),
    "--nth": asked(
        "distance to the K-th nearest place (default: 1)", "k", type=types.integer(1),
        metavar="K"),
    "--from-places": asked(
        "distances from the places to the nodes; with --directed", "direction", **FLAG),
    "--states": asked(
        f"percolation state of each node, not negative, {FROM}", "states", **COLUMN),
    "--nodes": asked(
        "nodes of a group (@FILE: one a line); repeat it for another group; put FILE|DATASET "
        "first", "groups", **{**NODES, "action": "append"}),
    "--prominent": asked(
        "find a group of this size that many paths pass, by greedy choice; pairs that begin or end "
        "in it count", "size", type=types.integer(1), metavar="SIZE"),
    "--steps": asked(
        "number of removals", "steps", type=types.integer(1), default=10, metavar="N"),
    "--edges": asked("remove edges, by edge betweenness, not nodes", **FLAG),
    "--parts": asked(
        "stop at so many communities (default: those of the largest modularity)", "parts",
        type=types.integer(1), metavar="K"),
    "--once": asked(
        "by the scores of the network before the first removal, not recomputed", "recompute",
        **FLAG),
    "--strong": asked("strongly connected components; needs a directed network", **FLAG),
    "--sampled": asked(
        "sample sources, or shortest paths, by length on a CPU alone (default: what takes less "
        "time)", "samples", choices=("sources", "paths")),
    "--samples": asked(
        "number of random networks", "samples", type=types.integer(2), default=1000, metavar="N"),
    "--model": asked(
        "degree: double edge swaps, which keep the degree of every node (directed: in-degree and "
        "out-degree); edge-probability: each edge is present with its probability", "model",
        choices=("degree", "edge-probability"), default="degree"),
    "--swaps": asked(
        "swaps tried for each edge", "swaps", type=types.integer(1), default=10, metavar="N"),
    "--weights": asked(
        "lengths stay with their edges as these are swapped, or are shuffled; with --weighted or "
        "--strength", "weights", choices=("carried", "shuffled"), default="carried"),
    "--probability": asked(
        "column of the probabilities, above 0 and up to 1, by title or number as in --columns "
        "(default: the weights, after --scale)", metavar="COLUMN"),
    "--tail": asked(
        "tail of the test: samples at or above the score, or at either end", "tail",
        choices=("greater", "two-sided"), default="greater"),
    "--k": asked("{k} K sources, drawn at random", "k", type=types.integer(1)),
    "--epsilon": asked("largest error of a score, between 0 and 1", "epsilon", type=types.share),
    "--delta": asked(
        "probability that some error is larger, between 0 and 1", "delta", type=types.share,
        default=0.1),
    "--seconds": asked(
        "stop after this time, with the error reached by then; with --checkpoint the time of all "
        "runs together", "seconds", type=types.positive),
    "--rank": asked(
        "stop once the N highest scores are certain, and their order", "top",
        type=types.integer(1), metavar="N"),
    "--seed": asked("seed of {seed}", "rng", type=types.integer(0)),
    "--reduce": asked(
        f"exact reductions that may be used, some of {','.join(types.REDUCTIONS)}, or all but "
        "some, as all,-chains; the same scores to rounding", "reduce",
        type=types.reductions, default="all", metavar="all|none|NAMES"),
    "--dtype": asked(
        "type of path counts on a GPU; float32 takes half the memory. A CPU counts in float64",
        "dtype",
        choices=("float64", "float32"), default="float64"),
    "--separator": asked(
        "field separator of a table: ';', tab, space, ... (default: the one that gives all lines "
        "as many fields)", type=types.separator, metavar="CHAR"),
    "--comment": asked(
        "prefix of comment lines; '' for none (default: # and %%, unless such a line has as many "
        "fields as the others)", metavar="CHAR"),
    "--encoding": asked(
        "encoding of text: cp1252, latin-1, utf-16-le, ... (default: UTF-8, or that of the "
        "byte-order mark)", metavar="NAME"),
    "--decimal": asked(
        "decimal point of weights, '.' or ',' (default: a comma where semicolons separate and "
        "weights have one)", choices=(".", ","), metavar="CHAR"),
    "--ignore-missing": asked(
        "leave out nodes named in options that are not in the network, and list them", **FLAG),
    "--weighted": option(
        "weights are lengths: shortest paths have the least total length", "weighted", **FLAG),
    "--strength": option(
        "weights are strengths, such as confidences: an edge is 1/weight long, or -log(weight) for "
        "probabilities below 1", "how", choices=("reciprocal", "log")),
    "--raw": option("sum over the pairs (not normalized), not the average", "normalized", **FLAG),
    "--measure": option("measure to plan", choices=types.MEASURES, default="betweenness"),
    "--top": option(
        "{top}; 0 prints all", type=types.integer(0), default=10, metavar="N"),
    "--output": option("write {output}: {formats}", **FILE),
    "--json": option("print JSON in place of {json}", **FLAG),
    "--provenance": option(
        "begin a table of text with comment lines (#) that say how it came about; in JSON, a "
        "field; other formats have it in any case", **FLAG),
    "--spreadsheet-safe": option(
        "put an apostrophe before names that a spreadsheet takes for formulas", **FLAG),
    "--positions": option(
        "table of node, x and y, or of node, lon and lat if its titles say so: draws a map in the "
        "page of -o FILE.html", reads="table", **FILE),
    "--plot": option(
        "draw degree against score, the printed nodes labelled (with --top 0: ten); the suffix "
        "decides the format; needs Matplotlib", metavar="IMAGE"),
    "--device": option("where to {device}", "device", type=types.device),
    "--workers": option("threads{workers}", "workers", type=types.integer(1)),
    "--executor": option(
        "compute in N processes of this machine, the workers of a Dask scheduler, or the ranks of "
        "mpiexec; the same result (default: threads)", "executor", type=types.executor,
        metavar="processes:N|dask:HOST:PORT|mpi"),
    "--retries": option(
        "how often blocks are computed again that were lost with a worker of --executor "
        "(default: 2)", "retries", type=types.integer(0), metavar="N"),
    "--memory": option(
        "memory budget, as 500M or 2G; K, M, G, T are powers of 1024 (default: 80%% of what is "
        "free)", "memory_budget", type=types.size, metavar="SIZE"),
    "--quiet": option("show no progress{quiet}", **FLAG),
    "--verbose": option("log the plan and each step, with the time, on standard error", **FLAG),
    "--checkpoint": option(
        "save progress in this directory: the same command goes on from "
        "there; SIGTERM, SIGHUP and SIGUSR1 save and exit with 75", "checkpoint", metavar="DIR"),
    "--checkpoint-every": option(
        "time between two saves (default: 60)", "checkpoint_every", type=types.seconds,
        metavar="SECONDS"),
}
# fmt: on
SHORT = {"--output": "-o", "--verbose": "-v"}
TABLE = ("separator", "comment", "encoding", "decimal")  # options that are arguments of `io.read`
# Suffixes of outputs that are no tables of text.
NO_TEXT = re.compile(r"(?i)\.(json|parquet|graphml|gexf|html?)(\.(gz|bz2|xz))?$")
# Options that many commands share, in the order of --help.
NETWORK = (
    *("network", "--directed", "--columns", "--no-header", "--separator", "--comment"),
    *("--encoding", "--decimal", "--names", "--threshold", "--drop-isolated", "--scale"),
    *("--largest-component", "--ignore-missing"),
)
CONTACTS = (
    *("network", "--directed", "--columns", "--no-header", "--separator", "--comment"),
    *("--encoding", "--decimal", "--ignore-missing"),
)
WEIGHTS = ("--weighted", "--strength")
OUTPUT = ("--output", "--json", "--provenance", "--spreadsheet-safe")
WORKERS = ("--workers", "--executor", "--retries", "--memory")
REPORTS = ("--quiet", "--verbose")
RUN = ("--device", "--dtype", *WORKERS, "--reduce", *REPORTS)
PLAN = ("--device", "--dtype", "--workers", "--memory", "--reduce", *REPORTS)
CHECKPOINT = ("--checkpoint", "--checkpoint-every")


def name_of(option: str) -> str:
    """Attribute of the parsed arguments for an option."""
    return option.removeprefix("--").replace("-", "_")


# Options that exclude or need each other: the case that is an error, and its message.
# fmt: off
RULES: tuple[tuple[Callable[[argparse.Namespace], Any], str], ...] = (
    (lambda given: given.k and (given.sources or given.targets),
     "--k draws its own sources: leave out --k, or --sources and --targets"),
    (lambda given: given.k and (given.source_weights or given.target_weights or given.demand),
     "--k samples pairs that count 1 each: leave out --k, or the weights and --demand"),
    (lambda given: given.seed is not None and given.k is given.delta is given.samples is None,
     "--seed has an effect only with --k"),
    (lambda given: given.delta and given.epsilon is given.seconds is None,
     "give --epsilon, the error, or --seconds, the time"),
    (lambda given: given.command.name == "group" and bool(given.nodes) is bool(given.prominent),
     "give either --nodes, the groups, or --prominent, the size of a group"),
    (lambda given: given.prominent and given.endpoints,
     "--prominent counts ends in any case: leave out --endpoints"),
    (lambda given: given.probability is not None and given.model == "degree",
     "--probability has an effect only with --model edge-probability"),
    (lambda given: given.model == "edge-probability" and given.weighted and not given.probability,
     "--weighted takes the weights for lengths: name the column of --probability"),
    (lambda given: given.from_places and not given.directed,
     "--from-places has an effect only with --directed"),
    (lambda given: given.checkpoint_every is not None and given.checkpoint is None,
     "--checkpoint-every has an effect only with --checkpoint"),
    (lambda given: given.prominent and given.checkpoint is not None,
     "--prominent cannot be continued: leave out --checkpoint"),
    (lambda given: given.retries is not None and given.executor is None,
     "--retries has an effect only with --executor"),
    (lambda given: given.positions and not str(given.output).lower().endswith(".html"),
     "--positions has an effect only with --output FILE.html"),
    (lambda given: given.weighted and given.strength,
     "--weighted takes weights for lengths, --strength for strengths: leave out either"),
    (lambda given: given.provenance and given.output is None and not given.json,
     "--provenance has an effect only with --output"),
    (lambda given: given.spreadsheet_safe and NO_TEXT.search(given.output or ".json"),
     "--spreadsheet-safe has an effect only with --output of a table of text"),
    (lambda given: given.ignore_missing and not (given.sources or given.targets or given.nodes),
     "--ignore-missing has an effect only with --sources, --targets or --nodes"),
)
# fmt: on
