"""Parser of the command line, built from the tables of commands and options."""

import argparse
import functools
import textwrap
from typing import Any, NoReturn

from ..plain_text import meant
from .commands import COMMANDS, Command
from .options import DEST, OPTIONS, RULES, SHORT
from .text import put, show


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Formatter of options in a column, as ``-o, --output FILE``."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=24)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        names = ", ".join(action.option_strings)
        if not names:
            return super()._format_action_invocation(action)
        return f"{names} {action.metavar}" if action.metavar else names


class Parser(argparse.ArgumentParser):
    """Parser with one-line errors, which takes no abbreviated options."""

    def __init__(self, prog: str, **how: Any) -> None:
        super().__init__(
            prog, **how, formatter_class=_Formatter, allow_abbrev=False, add_help=False
        )

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
    parser = _parser(COMMANDS[line[0]])
    given = parser.parse_args(line[1:])
    given.command, given.refuse, given.line = COMMANDS[line[0]], parser.error, line
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


def _parser(command: Command) -> Parser:
    """Parser of a command; options of others are None."""
    program = f"sparsebc {command.name}"
    file = "FILE" if command.reads == "contacts" else "FILE|DATASET"
    parser = Parser(
        program, usage=f"{program} {file} [options]", description=_lines(command.description)
    )
    parser.epilog = f"example: sparsebc {command.example}"
    parser.set_defaults(**dict.fromkeys(DEST.values()))
    told = "a file in a format of the docs; - is standard input"
    if command.reads == "contacts":
        told = "a table of source, target, time and optional duration; - is standard input"
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
    return parser


def _lines(text: str) -> str:
    """Text in lines of a terminal."""
    return textwrap.fill(text, 78, break_on_hyphens=False)


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
            parser.epilog = f"{_lines(f'--help-all: also {names}')}\n{parser.epilog}"
        parser.print_help()
        parser.exit()
