"""The commands: their names, texts, options and functions; the parser of the command line."""

import argparse
import functools
import textwrap
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, NoReturn

from ..plain_text import meant
from . import values
from .options import GROUPS, OPTIONS, RARE, RULES, SHORT, TABLE, Option
from .printing import show
from .values import MEASURES, OF_NODES

LENGTHS = " Every edge has length 1 without --weighted or --strength."
NETWORKS, PAGES, PLOTS = (".graphml", ".gexf"), (".html",), (".png", ".pdf", ".svg")
WIDTH = 78  # of help


@dataclass
class Command:
    """A command: its texts, options and function.

    Attributes
    ----------
    name : str
    help, description, example : str
        One line; a sentence or two; the words of a line that works.
    own : tuple of str or Option
        Its options besides those of all commands.
    without : set of str
        Options of all commands that it leaves out.
    formats : tuple of str
        Suffixes of files besides those of tables.
    reads : {"network", "contacts"}
        Content of the input file.
    run : str
        Function of `measures`, called with a `query.Query`; by default that of its name.
    options : dict of str to Option
        All options by name, in the order of the help.
    """

    name: str
    help: str
    description: str
    example: str
    own: tuple[str | Option, ...]
    without: Collection[str] = ()
    formats: tuple[str, ...] = (*NETWORKS, *PAGES)
    reads: str = "network"
    run: str = ""

    def __post_init__(self) -> None:
        table = but("--output", " ".join([OPTIONS["--output"].help, *self.formats]))
        chosen = {one: OPTIONS[one] for one in SHARED} | {"--output": table}
        chosen |= {one: OPTIONS[one] for one in self.own if isinstance(one, str)}
        chosen |= {one.name: one for one in self.own if not isinstance(one, str)}
        names = [one for one in OPTIONS if one in chosen and one not in self.without]
        self.options = {name: chosen[name] for name in names}
        self.run = self.run or self.name.replace("-", "_")


def but(name: str, help: str = "", argument: str = "", **how: Any) -> Option:
    """An option with another help, argument or keywords."""
    one = OPTIONS[name]
    return one._replace(help=help or one.help, argument=argument or one.argument, how=one.how | how)


def measure_of(help: str, *known: str) -> Option:
    """A --measure that is one of these, by default the first."""
    expected = f"one of {', '.join(known)}"
    read = values.checked(expected, lambda text: [text.replace("-", "_")], pattern="|".join(known))
    return but("--measure", help, type=read, default=read(known[0]))


# Options of all commands, which may leave some out.
SHARED = {*GROUPS["Input"], *GROUPS["Output"], "--device", "--quiet", "--verbose"}
SHARED -= {"--ignore-missing"}
COMPUTED = ("--workers", "--memory")
SAMPLED = ("--cutoff", "--sources", "--ignore-missing", "--samples", "--seed", *COMPUTED)
OF_PATHS = (
    *(*SAMPLED, "--targets", "--source-weights", "--target-weights", "--demand", "--decay"),
    "--checkpoint",
)
OTHERS = but("--target-weights", "weight of each other node")
SCORED: dict[str, Any] = {"run": "measure", "formats": (*NETWORKS, *PAGES, *PLOTS)}
# fmt: off
_ALL = (
    Command("betweenness", "betweenness centrality of every node",
        "The share of the shortest paths between two other nodes that lead through a node, on "
        "average over all pairs." + LENGTHS, "betweenness edges.csv --directed -o scores.csv",
        (*OF_PATHS, "--raw", "--also", "--endpoints", "--error", "--confidence", "--seconds",
         "--best"), **SCORED),
    Command("edge-betweenness", "betweenness centrality of every edge",
        "The share of the shortest paths between two nodes that take an edge, on average over all "
        "pairs." + LENGTHS, "edge-betweenness edges.csv --directed -o scores.csv",
        (*OF_PATHS, "--raw"), run="measure"),
    Command("closeness", "closeness centrality of every node",
        "One over the mean distance of a node from the others that reach it, times their share of "
        "all." + LENGTHS, "closeness edges.csv --directed -o scores.csv",
        (*SAMPLED, "--also", OTHERS), **SCORED),
    Command("harmonic", "harmonic centrality of every node",
        "The sum of one over the distances of a node from all others." + LENGTHS,
        "harmonic edges.csv --directed -o scores.csv", (*SAMPLED, "--also", OTHERS), **SCORED),
    Command("eccentricity", "distance of every node to the farthest",
        "The distance from a node to the farthest other node; inf where it does not reach all."
        + LENGTHS, "eccentricity edges.csv --directed -o scores.csv",
        (*SAMPLED, "--also", "--reachable-only"), **SCORED),
    Command("stress", "number of shortest paths through every node",
        "The number of shortest paths between two other nodes that lead through a node."
        + LENGTHS, "stress edges.csv --directed -o scores.csv", (*OF_PATHS, "--also"), **SCORED),
    Command("percolation", "percolation centrality of every node",
        "Betweenness in which each source counts by its percolation state." + LENGTHS,
        "percolation contacts.csv --source-weights people.csv:infected",
        (but("--source-weights", "percolation state of each node, from 0 on", "states",
            required=True), *COMPUTED, "--checkpoint")),
    Command("group", "betweenness of groups of nodes, or a group of high betweenness",
        "The share of the shortest paths between two nodes outside of a group that pass through "
        "it, on average over all pairs; or with --steps a group of high betweenness." + LENGTHS,
        "group karate --nodes 1,34 --nodes 2,3,33", ("--nodes", "--ignore-missing",
        but("--steps", "find a group of N nodes, one after the other", "size"), "--raw",
        but("--endpoints", "count the pairs that begin or end in the group as well"),
        *COMPUTED, "--checkpoint")),
    Command("access", "places within reach, or the distance to the nearest",
        "accessibility: the number of places, such as jobs or shops, that a node reaches, weighted "
        "by --decay; without --places, the number of nodes, itself included. nearest: the "
        "distance to the nearest place of each kind, inf where there is none. Swap source and "
        "target in --columns for distances from the places." + LENGTHS,
        "access streets.csv --weighted --places city.csv:jobs --cutoff 800,1600",
        (but("--measure",
            "accessibility (the default), nearest, or nearest:2 for the second nearest",
            type=values.of_places, default=["accessibility"]),
        "--places", "--cutoff", "--decay", *COMPUTED)),
    Command("paths", "shortest paths from some nodes to all",
        "The distance of every node from each source, and its predecessor on a shortest path."
        + LENGTHS, "paths roxel-streets --sources 1 --weighted -o paths.csv",
        (but("--sources", "nodes to search from; @FILE lists them", required=True),
        but("--targets", "rows of these nodes alone; @FILE lists them"), "--ignore-missing",
        but("--cutoff", "the largest distance", metavar="D"), *COMPUTED),
        without={"--positions"}, formats=()),
    Command("components", "connected components",
        "Connected components, the largest first; with --directed, the strong ones.",
        "components edges.csv --directed -o components.csv", (),
        without={"--weighted", "--strength"}),
    Command("dismantle", "remove the highest node or edge, again and again",
        "Removes the node or edge of highest betweenness, recomputes the scores, and so on: the "
        "order, the scores, and the size of the largest component after each step." + LENGTHS,
        "dismantle human-proteins --steps 20 -o attack.csv",
        (measure_of("betweenness (the default), edge-betweenness to remove edges; "
            "initial-betweenness, initial-edge-betweenness: rank once", "betweenness",
            "edge-betweenness", "initial-betweenness", "initial-edge-betweenness"),
        but("--steps", default=10), *COMPUTED)),
    Command("communities", "communities by the edges of highest betweenness",
        "Communities of Girvan and Newman: removes the edge of highest betweenness, again and "
        "again, and takes the partition of the largest modularity, in which edges count by their "
        "--strength." + LENGTHS, "communities karate -o communities.html",
        ("--parts", *COMPUTED)),
    Command("null-model", "scores compared with those of random networks",
        "Scores compared with those of random networks: mean and standard deviation, z, p, and q, "
        "which is p adjusted by Benjamini and Hochberg, and the central 95 % (low, high)."
        + LENGTHS, "null-model human-proteins --samples 1000 --seed 1 -o scores.csv",
        (but("--columns", "source=A,target=B,weight=C,probability=D",
            type=values.probable_columns),
        but("--measure", "betweenness (the default), " + ",".join(OF_NODES[1:]), metavar="A,B",
            action="extend"),
        but("--samples", "number of random networks (default: 1000)", "samples",
            type=values.integer(2), default=1000),
        "--model", "--seed", "--raw", "--cutoff", "--sources", "--targets", "--ignore-missing",
        *COMPUTED, "--checkpoint")),
    Command("temporal", "centrality by walks along contacts in time",
        "betweenness: the share of the walks of the fewest contacts that pass a node "
        "(foremost-betweenness: of those that arrive first), on average over all pairs. closeness: "
        "one over the mean number of contacts of the walks to a node. reach: the number of nodes "
        "that a node reaches. arrival: the earliest times of walks from --sources.",
        "temporal contacts.csv --columns source=2,target=3,time=1 -m reach --start 36000",
        (but("--columns", "by title or number: source=A,target=B,time=T,duration=D",
            type=values.contact_columns),
        measure_of("betweenness (the default), foremost-betweenness, closeness, reach, arrival",
            "betweenness", "foremost-betweenness", "closeness", "reach", "arrival"),
        "--sources", "--ignore-missing", "--start", "--wait", "--raw", *COMPUTED),
        without={"--weighted", "--strength", "--names", "--threshold", "--keep", "--scale"},
        reads="contacts"),
    Command("explain", "the plan of a measure, and about how long it would take",
        "The plan of a measure, which is not computed: the graph, the size after each reduction, "
        "kernels, memory, and about how long it would take.",
        "explain human-proteins -m closeness", (measure_of(", ".join(MEASURES), *MEASURES),
        but("--samples", "as if estimated from N sources"), "--cutoff", "--memory",
        but("--workers", "number of threads (default: one a CPU)", type=values.integer(1))),
        without={"--output", "--top", "--provenance", "--names", "--positions"}, formats=()),
)
# fmt: on
COMMANDS = {one.name: one for one in _ALL}


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Formatter of options in a column, as ``-o, --output FILE``."""

    def _format_action_invocation(self, action: argparse.Action) -> str:
        names = ", ".join(action.option_strings)
        if not names:
            return super()._format_action_invocation(action)
        return f"{names} {action.metavar}" if action.metavar else names


PARSING: dict[str, Any] = {
    "formatter_class": functools.partial(_Formatter, max_help_position=24),
    "allow_abbrev": False,
    "add_help": False,
}


class Parser(argparse.ArgumentParser):
    """Parser with one-line errors."""

    def error(self, message: str) -> NoReturn:
        """Print the message in one line, and exit with status 2."""
        message = message if len(message) < 600 else f"{message[:600]}..."
        show([f"{self.prog}: error: {message}; see '{self.prog} --help'"], aside=True)
        self.exit(2)

    def known(self, line: list[str]) -> argparse.Namespace:
        """Parsed arguments; unknown ones are refused, with what they may mean."""
        given, left = self.parse_known_args(line)
        if not left:
            return given
        # Without dashes, which all options have: they would make any two options similar.
        word = left[0].partition("=")[0].lstrip("-")
        options = {name.lstrip("-"): one for name, one in self._option_string_actions.items()}
        hint = meant(word, [name for name in options if len(name) > 1]).replace("'", "'--", 1)
        for denial in ("un", "no-", "non-", "not-"):
            flag = word.removeprefix(denial)
            if flag != word and flag in options and options[flag].nargs == 0:
                hint = f" (leave it out: that is the default without --{flag})"
        if not left[0].startswith("-"):
            hint = "; several values are written A,B"
            if "--measure" in self._option_string_actions and given.network in COMMANDS:
                hint = f": write {self.prog} {left[0]} -m {given.network}"
        self.error(f"unrecognized arguments: {' '.join(left)}{hint}")


class _Help(argparse.Action):
    """Print the help, with all options or those that are used most."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        if not self.const:
            rare = [one for one in parser._actions if RARE & {*one.option_strings}]
            rare = [one for one in rare if not one.required]
            for one in rare:
                one.help = argparse.SUPPRESS
            names = " ".join(one.option_strings[0][2:] for one in rare)
            more = textwrap.fill(f"--help-all: also {names}", WIDTH, break_on_hyphens=False)
            parser.epilog = f"{more}\n{parser.epilog}"
        show(parser.format_help().rstrip().split("\n"))
        parser.exit()


def parse(line: list[str]) -> argparse.Namespace:
    """Parsed arguments of a command line; options of other commands are None.

    ``command`` is the row of the command, None of the program's own options; ``task`` its name and
    its first measure; ``text`` has arguments of readers of tables; ``notes``, and ``digests``
    (SHA-256 by path), grow as files are read.
    """
    program = _program()
    if any("\0" in one for one in line):
        program.error("an argument has a NUL character, which no file name can have")
    if not line or line[0].startswith("-"):
        given = program.known(line)
        given.help_text = program.format_help().rstrip().split("\n")
        given.command = given.checkpoint = given.workers = given.verbose = given.quiet = None
        return given
    if line[0] not in COMMANDS:
        program.error(f"no command {line[0]!r}{meant(line[0], COMMANDS)}")
    command = COMMANDS[line[0]]
    name, file = f"sparsebc {command.name}", "FILE|DATASET"
    told = "a file in a format of the docs; - is standard input"
    if command.reads == "contacts":
        told = "a table of source, target, time and optional duration; - is standard input"
        file = "FILE"
    description = textwrap.fill(command.description, WIDTH, break_on_hyphens=False)
    parser = Parser(name, usage=f"{name} {file} [options]", description=description, **PARSING)
    parser.epilog = f"example: sparsebc {command.example}"
    parser.set_defaults(**{one.dest: None for one in OPTIONS.values()})
    for title, names in GROUPS.items():
        shown = [one for one in command.options.values() if one.name in names]
        if not shown:
            continue
        group = parser.add_argument_group(title)
        if title == "Input":
            group.add_argument("network", metavar=file, help=told)
        for one in shown:
            short = [SHORT[one.name]] if one.name in SHORT else []
            group.add_argument(*short, one.name, help=one.help, **one.how)
    group.add_argument("-h", "--help", action=_Help, nargs=0, help="show the most used options")
    group.add_argument("--help-all", action=_Help, nargs=0, const=True, help="show all options")
    given = parser.known(line[1:])
    given.command, given.line, given.notes, given.digests = command, line, [], {}
    given.text = {one: told for one in TABLE if (told := getattr(given, one)) is not None}
    if command.name == "null-model" and not given.measure:
        given.measure = ["betweenness"]  # no default of the option, which "extend" would keep
    given.task = f"{command.name} {given.measure[0]}" if given.measure else command.name
    # Estimated until an error, a time or a ranking is reached; sources or networks are random.
    given.estimates = bool(given.error or given.seconds or given.best)
    given.draws = "--seed" in command.options and bool(given.samples or given.estimates)
    for is_case, message in RULES:
        if is_case(given):
            parser.error(message)
    return given


@functools.cache
def _program() -> Parser:
    """Parser of the program's own options, whose help lists the commands."""
    program = Parser(
        "sparsebc",
        usage="sparsebc COMMAND FILE|DATASET [options]",
        description="Shortest-path centrality of networks.",
        **PARSING,
    )
    rows = "\n".join(f"  {one.name:<17} {one.help}" for one in COMMANDS.values())
    program.epilog = f"commands:\n{rows}\n\nexample: sparsebc betweenness karate"
    told = "this help, or that of a command"
    program.add_argument("-h", "--help", action=_Help, nargs=0, const=True, help=told)
    for name, told in (
        ("--version", "the version"),
        ("--datasets", "the networks that come with the package"),
        ("--info", "versions, devices and defaults"),
        ("--compile", "compile the CPU kernels of all measures, as for a container image"),
    ):
        program.add_argument(name, action="store_true", help=told)
    return program
