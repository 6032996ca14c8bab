"""Parser of the command line, built from the tables of commands and options."""

import argparse
import functools
from typing import Any, NoReturn

from .commands import COMMANDS, WORDS, Command
from .options import OPTIONS, RULES, SHORT, name_of
from .table import put, show


class Parser(argparse.ArgumentParser):
    """Parser with one-line errors, which takes no abbreviated options."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, allow_abbrev=False)

    def print_help(self, file: object = None) -> None:
        """Print the help by `put`, as all output is printed."""
        put(self.format_help().rstrip())

    def error(self, message: str) -> NoReturn:
        """Print the message in one line, and exit with status 2."""
        message = message if len(message) < 600 else f"{message[:600]}..."
        show([f"{self.prog}: error: {message}; see '{self.prog} --help'"], aside=True)
        self.exit(2)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuse unknown arguments in the command's parser, which can suggest its own options."""
        known, left = super().parse_known_args(args, namespace)
        known.line = list(args or ())  # the whole line in the end: the program's parser ends last
        if left:
            meant = self._meant(left[0].partition("=")[0]) if left[0].startswith("-") else ""
            self.error(f"unrecognized arguments: {' '.join(left)}{meant}")
        return known, left

    def _meant(self, name: str) -> str:
        """Hint at the option that an unknown one may mean: its negation, or a similar spelling."""
        import difflib

        # Without dashes, which all options have: they would make any two options similar.
        word, actions = name.lstrip("-"), self._option_string_actions
        options = {option.lstrip("-"): option for option in actions}
        for denial in ("un", "no-", "non-", "not-"):
            flag = options.get(word.removeprefix(denial), "") if word.startswith(denial) else ""
            if flag and actions[flag].nargs == 0:
                return f" (leave it out: that is the default without {flag})"
        near = difflib.get_close_matches(word, options, n=1)
        return f" (did you mean {options[near[0]]}?)" if near else ""


def parse(arguments: list[str]) -> argparse.Namespace:
    """Parsed arguments of a command line; options of other commands are None.

    ``command`` is the row of the command; ``refuse(message)`` prints a usage error and exits.
    """
    program = _program()
    if any("\0" in one for one in arguments):
        program.error("an argument has a NUL character, which no file name can have")
    given = program.parse_args(arguments)
    for is_case, message in RULES:
        if is_case(given):
            given.refuse(message)
    return given


@functools.cache
def _program() -> Parser:
    """Parser of all commands, cached for later calls in the process."""
    program = Parser(
        prog="sparsebc",
        description="Shortest-path centrality of networks.",
        epilog="example: sparsebc betweenness karate",
    )
    program.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    compile_all = "compile the CPU kernels of all measures, as for a container image, and exit"
    program.add_argument("--compile", action=_Compile, nargs=0, help=compile_all)
    commands = program.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        _add(commands, command)
    return program


def _add(commands: Any, command: Command) -> None:
    """Add the parser of a command."""
    parser = commands.add_parser(
        command.name,
        help=command.help,
        description=command.description or f"{command.help.capitalize()}.",
        epilog=f"example: sparsebc {command.example}",
    )
    parser.set_defaults(**dict.fromkeys(map(name_of, OPTIONS)))
    parser.set_defaults(command=command, refuse=parser.error)
    words = {**WORDS, "formats": command.formats, **command.words}
    for name in command.options:
        option = OPTIONS[name]
        how = {**option.how, **command.how.get(name, {})}
        short = [SHORT[name]] if name in SHORT else []
        default = f" (default: {how['default']})" if "default" in how else ""
        parser.add_argument(*short, name, help=option.help.format(**words) + default, **how)


class _Version(argparse.Action):
    """Print the version, which is looked up only if it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from .. import __version__

        show([f"sparsebc {__version__}"])
        parser.exit()


class _Compile(argparse.Action):
    """Compile kernels, which are imported only if it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from .precompile import compile_all

        show([compile_all()])
        parser.exit()
