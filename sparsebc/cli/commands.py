"""The commands: their names, texts, options and functions; the parser of the command line."""

import argparse
import functools
import textwrap
from typing import Any, NamedTuple, NoReturn

from ..plain_text import meant
from . import options
from .messages import put, show
from .options import DEST, INPUT, OPTIONS, OUTPUT, QUESTION, RULES, RUN, SHORT

MEASURES = options.MEASURES
LENGTHS = " Every edge has length 1 without --weighted or --strength."


class Command(NamedTuple):
    """A command: its name, texts, options and function.

    Attributes
    ----------
    name : str
    run : str
        Function of `measures`, called with a `query.Query`.
    help, description, example : str
        One line; a sentence or two; the words of a line that works.
    options : tuple of str
        Keys of `options.OPTIONS` of the group Question, and of Run.
    words : dict
        Help of options that differs from their own.
    how : dict
        Keywords of options that replace or add to their own.
    arguments : dict
        Arguments that options of the command set in place of their own.
    pages : bool
        Whether results are scores of nodes or edges, for .graphml, .gexf and .html.
    reads : {"network", "contacts"}
        Content of the input file.
    """

    name: str
    run: str
    help: str
    description: str
    example: str
    options: tuple[str, ...]
    words: dict[str, str] = {}  # noqa: RUF012
    how: dict[str, dict[str, Any]] = {}  # noqa: RUF012
    arguments: dict[str, str] = {}  # noqa: RUF012
    pages: bool = True
    reads: str = "network"

    @property
    def plots(self) -> bool:
        """Whether results are scores of nodes beside their degrees, for .png, .pdf and .svg."""
        return self.run == "measure" and self.name != "edge-betweenness"

    @property
    def groups(self) -> dict[str, list[str]]:
        """Options of the command by their group in the help, in the order of `options`."""
        left_out: tuple[str, ...] = OF_NETWORKS if self.reads == "contacts" else ()
        left_out += ("--positions",) * (not self.pages)
        left_out += ("--weighted", "--strength") * (self.name == "components")
        left_out += ("--output", "--top", "--provenance") * (self.name == "explain")
        left_out += ("--names",) * (self.name == "explain")  # which prints no node
        left_out += ("--ignore-missing",) * ({"--sources", "--nodes"}.isdisjoint(self.options))
        run = ("--device", "--quiet", "--verbose", *self.options)
        return {
            "Input": [name for name in INPUT if name not in left_out],
            "Question": [name for name in QUESTION if name in self.options],
            "Output": [name for name in OUTPUT if name not in left_out],
            "Run": [name for name in RUN if name in run],
        }


# Options of networks that contacts do not have.
OF_NETWORKS = (*("--weighted", "--strength", "--names", "--threshold", "--keep", "--scale"),)
COMPUTED = ("--workers", "--memory")
WIDTH = 78  # of help
REQUIRED = {"required": True}


def measure_of(*known: str) -> dict[str, Any]:
    """Keywords of a --measure that is one of these, by default the first."""
    of = {"type": options.one_of(*known), "default": [known[0].replace("-", "_")]}
    return {"--measure": {**of, "metavar": "NAME"}}


def of_measure(name: str, summary: str, description: str) -> Command:
    """Command of a measure; its options depend on whether it scores edges, and counts paths."""
    of_edges, of_paths = name == "edge-betweenness", name in MEASURES[:3]
    options = (
        *["--raw"] * (name in MEASURES[:2]),
        *["--endpoints", "--error", "--confidence", "--seconds", "--best"]
        * (name == "betweenness"),
        *["--reachable-only"] * (name == "eccentricity"),
        *["--also"] * (not of_edges),
        *("--cutoff", "--sources", "--samples", "--seed", *COMPUTED),
        *("--targets", "--source-weights", "--demand", "--decay", "--checkpoint") * of_paths,
        *["--target-weights"] * (name != "eccentricity"),
    )
    words = {} if of_paths else {"--target-weights": "weight of each other node"}
    example = f"{name} edges.csv --directed -o scores.csv"
    return Command(name, "measure", summary, description + LENGTHS, example, options, words)


# fmt: off
_ALL = (
    of_measure("betweenness", "betweenness centrality of every node",
        "The share of the shortest paths between two other nodes that lead through a node, on "
        "average over all pairs."),
    of_measure("edge-betweenness", "betweenness centrality of every edge",
        "The share of the shortest paths between two nodes that take an edge, on average over all "
        "pairs."),
    of_measure("closeness", "closeness centrality of every node",
        "One over the mean distance of a node from the others that reach it, times their share of "
        "all."),
    of_measure("harmonic", "harmonic centrality of every node",
        "The sum of one over the distances of a node from all others."),
    of_measure("eccentricity", "distance of every node to the farthest",
        "The distance from a node to the farthest other node; inf where it does not reach all."),
    of_measure("stress", "number of shortest paths through every node",
        "The number of shortest paths between two other nodes that lead through a node."),
    Command("percolation", "percolation", "percolation centrality of every node",
        "Betweenness in which each source counts by its percolation state." + LENGTHS,
        "percolation contacts.csv --source-weights people.csv:infected",
        ("--source-weights", *COMPUTED, "--checkpoint"),
        {"--source-weights": "percolation state of each node, from 0 on"},
        {"--source-weights": REQUIRED}, {"--source-weights": "states"}),
    Command("group", "group", "betweenness of groups of nodes, or a group of high betweenness",
        "The share of the shortest paths between two nodes outside of a group that pass through "
        "it, on average over all pairs; or with --steps a group of high betweenness." + LENGTHS,
        "group karate --nodes 1,34 --nodes 2,3,33",
        ("--nodes", "--steps", "--raw", "--endpoints", *COMPUTED, "--checkpoint"),
        {"--steps": "find a group of N nodes, one after the other",
         "--endpoints": "count the pairs that begin or end in the group as well"},
        arguments={"--steps": "size"}),
    Command("access", "access", "places within reach, or the distance to the nearest",
        "accessibility: the number of places, such as jobs or shops, that a node reaches, weighted "
        "by --decay; without --places, the number of nodes, itself included. nearest: the "
        "distance to the nearest place of each kind, inf where there is none. Swap source and "
        "target in --columns for distances from the places." + LENGTHS,
        "access streets.csv --weighted --places city.csv:jobs --cutoff 800,1600",
        ("--measure", "--places", "--cutoff", "--decay", *COMPUTED),
        {"--measure": "accessibility (the default), nearest, or nearest:2 for the second nearest"},
        {"--measure": {"type": options.of_places, "default": ["accessibility"],
                       "metavar": "NAME"}}, {"-m nearest": "k"}),
    Command("paths", "paths", "shortest paths from some nodes to all",
        "The distance of every node from each source, and its predecessor on a shortest path."
        + LENGTHS, "paths roxel-streets --sources 1 --weighted -o paths.csv",
        ("--sources", "--targets", "--cutoff", *COMPUTED),
        {"--sources": "nodes to search from; @FILE lists them",
         "--targets": "rows of these nodes alone; @FILE lists them",
         "--cutoff": "the largest distance"},
        {"--sources": REQUIRED, "--cutoff": {"metavar": "D"}}, pages=False),
    Command("components", "components", "connected components",
        "Connected components, the largest first; with --directed, the strong ones.",
        "components edges.csv --directed -o components.csv", ()),
    Command("dismantle", "dismantle", "remove the highest node or edge, again and again",
        "Removes the node or edge of highest betweenness, recomputes the scores, and so on: the "
        "order, the scores, and the size of the largest component after each step." + LENGTHS,
        "dismantle human-proteins --steps 20 -o attack.csv",
        ("--measure", "--steps", *COMPUTED),
        {"--measure": "betweenness (the default), edge-betweenness to remove edges; "
         "initial-betweenness, initial-edge-betweenness: rank once"},
        {**measure_of("betweenness", "edge-betweenness", "initial-betweenness",
                      "initial-edge-betweenness"), "--steps": {"default": 10}}),
    Command("communities", "communities", "communities by the edges of highest betweenness",
        "Communities of Girvan and Newman: removes the edge of highest betweenness, again and "
        "again, and takes the partition of the largest modularity, in which edges count by their "
        "--strength." + LENGTHS,
        "communities karate -o communities.html", ("--parts", *COMPUTED)),
    Command("null-model", "null_model", "scores compared with those of random networks",
        "Scores compared with those of random networks: mean and standard deviation, z, p, and q, "
        "which is p adjusted by Benjamini and Hochberg, and the central 95 % (low, high)."
        + LENGTHS,
        "null-model human-proteins --samples 1000 --seed 1 -o scores.csv",
        ("--measure", "--samples", "--model", "--seed", "--raw", "--cutoff", "--sources",
         "--targets", *COMPUTED, "--checkpoint"),
        {"--measure": "betweenness (the default), " + ",".join(options.OF_NODES[1:]),
         "--samples": "number of random networks (default: 1000)",
         "--columns": "source=A,target=B,weight=C,probability=D"},
        {"--measure": {"default": ["betweenness"], "metavar": "A,B", "action": options.Repeated},
         "--samples": {"type": options.integer(2), "default": 1000},
         "--columns": {"type": options.probable_columns,
                       "metavar": "ROLE=COLUMN,..."}}, {"--samples": "samples"}),
    Command("temporal", "temporal", "centrality by walks along contacts in time",
        "betweenness: the share of the walks of the fewest contacts that pass a node "
        "(foremost-betweenness: of those that arrive first), on average over all pairs. closeness: "
        "one over the mean number of contacts of the walks to a node. reach: the number of nodes "
        "that a node reaches. arrival: the earliest times of walks from --sources.",
        "temporal contacts.csv --columns source=2,target=3,time=1 -m reach --start 36000",
        ("--measure", "--sources", "--start", "--wait", "--raw", *COMPUTED),
        {"--measure": "betweenness (the default), foremost-betweenness, closeness, reach, arrival",
         "--columns": "by title or number: source=A,target=B,time=T,duration=D"},
        {**measure_of("betweenness", "foremost-betweenness", "closeness", "reach", "arrival"),
         "--columns": {"type": options.contact_columns,
                       "metavar": "ROLE=COLUMN,..."}}, reads="contacts"),
    Command("explain", "explain", "the plan of a measure, and about how long it would take",
        "The plan of a measure, which is not computed: the graph, the size after each reduction, "
        "kernels, memory, and about how long it would take.",
        "explain human-proteins -m closeness",
        ("--measure", "--samples", "--cutoff", *COMPUTED),
        {"--measure": ", ".join(MEASURES), "--samples": "as if estimated from N sources",
         "--workers": "number of threads (default: one a CPU)"},
        {**measure_of(*MEASURES), "--workers": {"type": options.integer(1)}}, pages=False),
)
# fmt: on
COMMANDS = {command.name: command for command in _ALL}


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Formatter of options in a column, as ``-o, --output FILE``."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=24)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        names = ", ".join(action.option_strings)
        if not names:
            return super()._format_action_invocation(action)
        return f"{names} {action.metavar}" if action.metavar else names


HOW: Any = {"formatter_class": _Formatter, "allow_abbrev": False, "add_help": False}


class Parser(argparse.ArgumentParser):
    """Parser with one-line errors, which takes no abbreviated options."""

    def print_help(self, file: object = None) -> None:
        """Print the help by `put`, as all output is printed."""
        put(self.format_help().rstrip())

    def error(self, message: str) -> NoReturn:
        """Print the message in one line, and exit with status 2."""
        message = message if len(message) < 600 else f"{message[:600]}..."
        show([f"{self.prog}: error: {message}; see '{self.prog} --help'"], aside=True)
        self.exit(2)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuse unknown arguments, and suggest options."""
        known, left = self.parse_known_args(args)
        if left:
            self.error(f"unrecognized arguments: {' '.join(left)}{self._meant(left[0])}")
        return known

    def _meant(self, argument: str) -> str:
        """Hint at the option that an unknown one may mean: its negation, or a similar spelling."""
        if not argument.startswith("-"):
            return "; several values are written A,B"
        # Without dashes, which all options have: they would make any two options similar.
        word = argument.partition("=")[0].lstrip("-")
        options = {
            option.lstrip("-"): action for option, action in self._option_string_actions.items()
        }
        for denial in ("un", "no-", "non-", "not-"):
            flag = word.removeprefix(denial)
            if flag != word and flag in options and options[flag].nargs == 0:
                return f" (leave it out: that is the default without --{flag})"
        near = meant(word, [name for name in options if len(name) > 1]).replace("'", "'--", 1)
        return _now(argument.partition("=")[0]) or near


def parse(line: list[str]) -> argparse.Namespace:
    """Parsed arguments of a command line; options of other commands are None.

    ``command`` is the row of the command, None of the program's own options; ``refuse(message)``
    prints a usage error and exits.
    """
    program = _program()
    if any("\0" in one for one in line):
        program.error("an argument has a NUL character, which no file name can have")
    if not line or line[0].startswith("-"):
        given: argparse.Namespace = program.parse_args(line)
        given.help_text = program.format_help().rstrip()
        given.command = given.checkpoint = given.workers = given.verbose = given.quiet = None
        return given
    if line[0] not in COMMANDS:
        program.error(f"no command {line[0]!r}{_now(line[0]) or meant(line[0], COMMANDS)}")
    command = COMMANDS[line[0]]
    name = f"sparsebc {command.name}"
    told = "a file in a format of the docs; - is standard input"
    file = "FILE|DATASET"
    if command.reads == "contacts":
        told = "a table of source, target, time and optional duration; - is standard input"
        file = "FILE"
    description = textwrap.fill(command.description, WIDTH, break_on_hyphens=False)
    parser = Parser(name, usage=f"{name} {file} [options]", description=description, **HOW)
    parser.epilog = f"example: sparsebc {command.example}"
    parser.set_defaults(**dict.fromkeys(DEST.values()))
    for title, names in command.groups.items():
        if not names:
            continue
        group = parser.add_argument_group(title)
        if title == "Input":
            group.add_argument("network", metavar=file, help=told)
        for name in names:
            option = OPTIONS[name]
            help = command.words.get(name, option.help)
            if name == "--output":
                help += " .graphml .gexf .html" * command.pages + " .png .pdf .svg" * command.plots
            how = {**option.how, **command.how.get(name, {})}
            group.add_argument(*SHORT.get(name, ()), name, help=help, **how)
    group.add_argument("-h", "--help", action=_Help, nargs=0, help="show the most used options")
    group.add_argument("--help-all", action=_Help, nargs=0, const=True, help="show all options")
    given = parser.parse_args(line[1:])
    given.command, given.refuse, given.line = command, parser.error, line
    for is_case, message in RULES:
        if is_case(given):
            parser.error(message)
    return given


@functools.cache
def _program() -> Parser:
    """Parser of the program's own options, whose help lists the commands."""
    rows = "\n".join(f"  {one.name:<17} {one.help}" for one in COMMANDS.values())
    program = Parser(
        "sparsebc",
        usage="sparsebc COMMAND FILE|DATASET [options]",
        description="Shortest-path centrality of networks.",
        **HOW,
    )
    program.epilog = f"commands:\n{rows}\n\nexample: sparsebc betweenness karate"
    program.add_argument("-h", "--help", action="help", help="this help, or that of a command")
    for name, told in OWN.items():
        program.add_argument(f"--{name}", action="store_true", help=told)
    return program


# Commands and options of sparsebc 1 that are spelt in another way.
REPLACED = {
    "approximate": "betweenness with --error, --best or --seconds",
    "bfs": "paths without --weighted",
    "accessibility": "access",
    "nearest": "access -m nearest",
    "datasets": "--datasets",
    "info": "--info",
    "compile": "--compile",
    "resume": "the same command as before, which goes on from its --checkpoint",
    "--k": "--samples; --steps of group, --parts of communities, -m nearest:K of access",
    "--drop-isolated": "--keep linked",
    "--largest-component": "--keep largest",
    "--once": "-m initial-betweenness or -m initial-edge-betweenness",
    "--executor": "--workers",
    "--plot": "-o FILE.png",
}


def _now(word: str) -> str:
    """What a command or an option of sparsebc 1 is now."""
    return f"; now {REPLACED[word]}" if word in REPLACED else ""


OWN = {
    "version": "the version",
    "datasets": "the networks that come with the package",
    "info": "versions, devices and defaults",
    "compile": "compile the CPU kernels of all measures, as for a container image",
}


class _Help(argparse.Action):
    """Print the help, with all options or those that are used most."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        rare = [
            one
            for one in parser._actions
            if any(OPTIONS[name].rare for name in one.option_strings if name in OPTIONS)
            and not one.required
        ]
        if not self.const:
            for one in rare:
                one.help = argparse.SUPPRESS
            names = " ".join(one.option_strings[0][2:] for one in rare)
            more = textwrap.fill(f"--help-all: also {names}", WIDTH, break_on_hyphens=False)
            parser.epilog = f"{more}\n{parser.epilog}"
        parser.print_help()
        parser.exit()
