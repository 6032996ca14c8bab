"""Table of the commands: their names, texts, options and functions.

Every call builds the parsers of all commands, so this module imports nothing that computes.
"""

import argparse
import importlib
from typing import Any, NamedTuple

from .argument_types import MEASURES, contact_columns
from .options import (
    CHECKPOINT,
    CONTACTS,
    NETWORK,
    OUTPUT,
    PAGES,
    PLAN,
    REPORTS,
    RUN,
    TABLES,
    WEIGHTS,
    WORKERS,
)

LENGTHS = " Every edge has length 1, unless --weighted or --strength says what the weights are."
# Values of the fields in the help of options, for most commands.
WORDS = {
    "top": "nodes to print, highest score first",
    "k": "estimate from",
    "count": "pairs",
    "measures": "more columns from the same traversals",
    "seed": "the draw, to repeat it",
    "workers": " (default: one per CPU), or those of a task of --executor (default: 1)",
    "quiet": ": no bar, nor lines where there is no terminal",
    "device": "compute: cpu, reference, cuda, cuda:1, or GPUs that share the work, as "
    "cuda:0,cuda:1 (default: a GPU if there is one); 'sparsebc info' lists what is there",
    "json": "the table",
    "sources": "only paths that begin at these nodes (@FILE: one a line); put FILE|DATASET first",
    "divided": "",
    "target_weights": "pairs count by this number of the node where they end",
    "endpoints": "count each path at its two ends as well",
    "output": "the scores of all nodes",
    "network": "edge list or adjacency matrix (any suffix but these), Matrix Market (.mtx), SciPy "
    "(.npz), GraphML, GEXF, GML, Pajek (.net), METIS (.metis, .graph) or "
    "DIMACS (.gr), each also compressed (.gz, .bz2, .xz, .zip); - reads standard input; or a name "
    "that 'sparsebc datasets' lists",
    "columns": "an edge list, by the titles of its header or by number, as in "
    "source=1,target=2,weight=3; of a graph file, the attribute of the weights",
}
OF_SEARCH = {
    "sources": "where to start (@FILE: one a line); put FILE|DATASET first",
    "device": "search: cpu, cuda, cuda:1 (default: a GPU if there is one)",
}


class Command(NamedTuple):
    """Row of a command: its name, texts, options and function.

    Attributes
    ----------
    name : str
    run : str
        "module.function" in this package; called with a `task.Task` if the command reads a network,
        else with the parsed arguments.
    help, description, example : str
        An empty description defaults to the help.
    options : tuple of str
        Keys of `options.OPTIONS`, in the order of ``--help``.
    words : dict
        Fields of their help that differ from `WORDS`.
    formats : str
        Formats of the output: `TABLES`, or `PAGES`, which include them.
    how : dict
        By option, keywords that replace those in `options.OPTIONS`.
    reads : {"network", "contacts"}
        Content of the input file.
    """

    name: str
    run: str
    help: str
    description: str
    example: str
    options: tuple[str, ...] = ()
    words: dict[str, str] = {}  # noqa: RUF012
    formats: str = PAGES
    how: dict[str, dict[str, Any]] = {}  # noqa: RUF012
    reads: str = "network"


REQUIRED = {"required": True}


def of_measure(name: str, summary: str, description: str) -> Command:
    """Command of a measure; its options depend on whether it scores edges, and counts paths."""
    of_edges, of_paths = name == "edge-betweenness", name in MEASURES[:3]
    is_average = name in MEASURES[:2]
    divided = "; scores are divided by all pairs, unless --raw" if is_average else ""
    options = (
        *(*NETWORK, *WEIGHTS, *["--raw"] * is_average),
        *["--endpoints"] * (name == "betweenness"),
        *["--reachable-only"] * (name == "eccentricity"),
        *["--measures"] * (not of_edges),
        *("--cutoff", "--sources"),
        *("--targets", "--source-weights", "--demand", "--decay") * of_paths,
        *["--target-weights"] * (name != "eccentricity"),
        *("--k", "--seed", "--top", *OUTPUT, "--positions", *["--plot"] * (not of_edges)),
        *(*RUN, *CHECKPOINT * of_paths),
    )
    words = {"sources": WORDS["sources"] + divided, "divided": divided}
    if of_edges:
        words |= {"top": "edges to print, highest score first", "output": "the scores of all edges"}
    if not of_paths:
        words["target_weights"] = "the other nodes count by this number"
    example = f"{name} edges.csv --directed -o scores.csv"
    described = description + LENGTHS
    return Command(name, "measures.measure", summary, described, example, options, words)


def of_contacts(
    name: str,
    summary: str,
    description: str,
    example: str,
    options: tuple[str, ...],
    words: dict[str, str],
    formats: str = PAGES,
    required: tuple[str, ...] = (),
) -> Command:
    """Command of a measure of temporal networks."""
    words = {
        "network": "contacts, one a row: a table of source, target, time and optional duration, "
        "also compressed; - reads standard input",
        "sources": "only walks that begin at these nodes (@FILE: one a line); put FILE first",
        "columns": "the table, by the titles of its header or by number, as in "
        "source=2,target=3,time=1,duration=4",
        **words,
    }
    how: dict[str, dict[str, Any]] = {
        "--columns": {"type": contact_columns, "metavar": "source=A,target=B,time=T[,duration=D]"},
        **dict.fromkeys(required, REQUIRED),
    }
    described = f"{description} Walks take contacts one after the other in time."
    run, line = f"temporal.{name}", f"temporal-{name} {example}"
    taken = (*CONTACTS, *options, *OUTPUT, *REPORTS)
    return Command(
        f"temporal-{name}", run, summary, described, line, taken, words, formats, how, "contacts"
    )


# fmt: off
COMMANDS = (
    of_measure("betweenness", "betweenness centrality of every node",
        "Betweenness centrality: of the shortest paths between two other nodes, the share that "
        "leads through a node, on average over all pairs."),
    of_measure("edge-betweenness", "betweenness centrality of every edge",
        "Edge betweenness: of the shortest paths between two nodes, the share that takes an edge, "
        "on average over all pairs."),
    of_measure("stress", "number of shortest paths through every node",
        "Stress centrality: the number of shortest paths between two other nodes that lead through "
        "a node."),
    of_measure("closeness", "closeness centrality of every node",
        "Closeness: one over the mean distance of a node from the others that reach it, times "
        "their share of all."),
    of_measure("harmonic", "harmonic centrality of every node",
        "Harmonic centrality: the sum of one over the distances of a node from all others."),
    of_measure("eccentricity", "distance of every node to the farthest",
        "Eccentricity: the distance from a node to the farthest other node; inf where it does not "
        "reach them all."),
    Command("accessibility", "access.accessibility",
        "number of places within reach of every node, by distance",
        "Accessibility: the number of places, as jobs or shops, that a node reaches, each weighted "
        "by --decay of its distance; without --places the nodes, itself included." + LENGTHS,
        "accessibility karate --cutoff 1,2",
        (*NETWORK, *WEIGHTS, "--places", "--decay", "--cutoff", "--from-places", "--top", *OUTPUT,
         "--positions", "--device", *WORKERS, "--reduce", *REPORTS),
        {"output": "the sums of all nodes", "places": ", a column of sums each",
         "count": "places"}),
    Command("nearest", "access.nearest",
        "distance of every node to the nearest places",
        "Nearest places: the distance of a node to the nearest place of each kind, or the K-th "
        "nearest; inf where it reaches fewer. A place is a node with a number above 0." + LENGTHS,
        "nearest streets.csv --places schools.csv clinics.csv --weighted",
        (*NETWORK, *WEIGHTS, "--places", "--nth", "--from-places", "--top", *OUTPUT, "--positions",
         "--device", *WORKERS, *REPORTS),
        {"output": "the distances of all nodes", "places": ", a column of distances each",
         "top": "nodes to print, the farthest first"}, PAGES, {"--places": REQUIRED}),
    Command("percolation", "measures.percolation",
        "percolation centrality of every node",
        "Percolation centrality: betweenness in which each source counts by its percolation "
        "state." + LENGTHS,
        "percolation contacts.csv --states people.csv:infected",
        (*NETWORK, *WEIGHTS, "--states", "--top", *OUTPUT, "--positions", *RUN, *CHECKPOINT),
        how={"--states": REQUIRED}),
    Command("group", "groups.group",
        "betweenness of groups of nodes, or a group of high betweenness",
        "Group betweenness: of the shortest paths between two nodes outside of a group, the share "
        "that passes through it, on average over all pairs. --prominent finds a group instead, one "
        "node after the other." + LENGTHS,
        "group karate --nodes 1 34 --nodes 2 3 33",
        (*NETWORK, *WEIGHTS, "--nodes", "--prominent", "--raw", "--endpoints", *OUTPUT,
         "--positions", "--device", *WORKERS, *REPORTS, *CHECKPOINT),
        {"endpoints": "count the pairs that begin or end in the group as well",
         "output": "the groups with their scores",
         "device": "compute: cpu, reference, cuda, cuda:1 (default: a GPU if there is one)"}),
    Command("dismantle", "groups.dismantle",
        "remove the node or edge of highest betweenness, again and again",
        "Removes the node or edge of highest betweenness, recomputes the scores, and so on: prints "
        "the order, the scores, and the size of the largest component after each step." + LENGTHS,
        "dismantle human-proteins --steps 20 -o attack.csv",
        (*NETWORK, *WEIGHTS, "--steps", "--edges", "--once", *OUTPUT, "--positions", *RUN),
        {"output": "the steps"}),
    Command("communities", "groups.communities",
        "communities by the edges of highest betweenness, and their modularity",
        "Communities of Girvan and Newman: removes the edge of highest betweenness, again and "
        "again, and takes the partition of the largest modularity. Modularity alone looks at "
        "directions, and it adds up the strengths of --strength as they are." + LENGTHS,
        "communities karate -o communities.html",
        (*NETWORK, *WEIGHTS, "--parts", "--top", *OUTPUT, "--positions", *RUN),
        {"top": "communities to print, the largest first",
         "output": "the community of each node"}),
    Command("approximate", "approximate.approximate",
        "betweenness of every node to within a given error, or in a given time",
        "Betweenness centrality from sampled sources or paths, drawn until, with probability "
        "1 - --delta, every score is proved to be within --epsilon of the exact one, or until the "
        "time is up." + LENGTHS,
        "approximate human-proteins --epsilon 0.05 --seed 1",
        (*NETWORK, *WEIGHTS, "--epsilon", "--seconds", "--delta", "--rank", "--sampled",
         "--sources", "--targets", "--source-weights", "--target-weights", "--seed", "--top",
         *OUTPUT, "--positions", *RUN, *CHECKPOINT),
        {"divided": "; scores are divided by all pairs",
         "output": "the scores and half-widths of all nodes"}),
    Command("null-model", "null_model.null_model",
        "scores compared with those of random networks: z, p and q",
        "Scores compared with those of random networks in which every node has the same degree, or "
        "each edge is present with its probability: mean and standard deviation, z, p, and q, "
        "which is p adjusted by Benjamini and Hochberg." + LENGTHS,
        "null-model human-proteins --samples 1000 --seed 1 -o scores.csv",
        (*NETWORK, *WEIGHTS, "--measures", "--samples", "--model", "--swaps", "--weights",
         "--probability", "--tail", "--seed", "--raw", "--cutoff", "--sources", "--targets",
         "--top", *OUTPUT, "--positions", *RUN, *CHECKPOINT),
        {"measures": "measures (default: betweenness), some of",
         "seed": "the random networks, to repeat them",
         "top": "nodes to print, the highest z first (of edge-probability: the highest score)",
         "output": "score, mean, std, z, p, q and the central 95%% (low, high) of all nodes"}),
    Command("explain", "explain.explain",
        "print the plan of a measure, and about how long it would take",
        "Plan of a measure, which is not computed: the graph, the size after each reduction, "
        "kernels, memory, and about how long it would take.",
        "explain human-proteins --measure closeness",
        (*NETWORK, *WEIGHTS, "--measure", "--k", "--seed", "--cutoff", "--json", *PLAN),
        {"k": "as if estimated from", "seed": "the draw"}),
    Command("bfs", "search.bfs", "number of edges from some nodes to all",
        "Breadth-first searches: the number of edges on a shortest path from each source to every "
        "node.",
        "bfs karate --sources 1 34 -o levels.csv",
        (*NETWORK, "--device", "--sources", *OUTPUT, *WORKERS, *REPORTS),
        {**OF_SEARCH, "output": "the level of each node from each source, one a line,"},
        TABLES, {"--sources": REQUIRED}),
    Command("paths", "search.paths", "shortest paths from some nodes to all",
        "Shortest paths from each source to every node: distances and predecessors.",
        "paths roxel-streets --sources 1 --weighted -o paths.csv",
        (*NETWORK, "--device", "--sources", *OUTPUT, *WORKERS, *REPORTS, *WEIGHTS),
        {**OF_SEARCH,
         "output": "distance and predecessor of each node from each source, one a line,"},
        TABLES, {"--sources": REQUIRED}),
    Command("components", "groups.components", "connected components",
        "Connected components, the largest first.",
        "components edges.csv --directed --strong -o components.csv",
        (*NETWORK, "--device", "--strong", "--top", *OUTPUT, "--positions"),
        {**OF_SEARCH, "top": "components to print, the largest first",
         "output": "the component of each node"}),
    of_contacts("betweenness", "betweenness centrality of every node of a temporal network",
        "Temporal betweenness: of the optimal walks from one node to another, the share that "
        "passes a node, on average over all pairs.",
        "contacts.csv --columns source=2,target=3,time=1",
        ("--kind", "--wait", "--sources", "--raw", "--top", "--positions", "--device", *WORKERS),
        {"divided": "; scores are divided by all pairs, unless --raw"}),
    of_contacts("closeness", "closeness centrality of every node of a temporal network",
        "Temporal closeness: one over the mean number of contacts of the shortest walks from the "
        "others that reach a node, times their share of all.",
        "contacts.csv", ("--wait", "--sources", "--top", "--positions", "--device", *WORKERS), {}),
    of_contacts("reach", "number of nodes that every node reaches by contacts",
        "Reach: the number of other nodes that walks from a node reach.",
        "contacts.csv --start 2026-11-26T12:00",
        ("--start", "--wait", "--top", "--positions", "--device", *WORKERS), {}),
    of_contacts("arrival", "earliest arrival times from some nodes at all",
        "Arrivals: the earliest time at which walks from each source arrive at every node.",
        "contacts.csv --sources 1558 --start 36000 -o arrivals.csv",
        ("--sources", "--start", "--wait", "--device", *WORKERS),
        {"sources": "where walks begin (@FILE: one a line); put FILE first",
         "output": "the arrival of each source at each node, one a line,"},
        TABLES, ("--sources",)),
    Command("datasets", "info.datasets", "list the networks that come with the package", "",
        "datasets"),
    Command("info", "info.info", "show versions, devices and defaults", "", "info"),
)
# fmt: on


def carry_out(given: argparse.Namespace) -> None:
    """Run the command of parsed arguments."""
    module, _, function = given.command.run.partition(".")
    carried_out = getattr(importlib.import_module(f".{module}", __package__), function)
    if "network" in given.command.options:
        from .task import Task

        carried_out(Task(given))
    else:
        carried_out(given)
