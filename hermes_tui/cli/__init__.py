"""The command line: sub-commands with a plain and a JSON form, or the application.

Nothing here imports textual; only the application itself does, when it is started.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Sequence

from hermes_tui import __version__
from hermes_tui.cli import evaluate, explain, index, streams, views
from hermes_tui.cli.options import (
    BAD_INPUT,
    Command,
    Parser,
    Run,
    json_option,
    place_of,
    place_options,
    search_options,
)
from hermes_tui.history.errors import HistoryError, Interrupted, QueryError
from hermes_tui.history.reader import History
from hermes_tui.recall.payload import SLOW_ENV
from hermes_tui.text.clean import clean_line

COMMANDS: dict[str, Command] = {
    **views.COMMANDS,
    **explain.COMMANDS,
    **evaluate.COMMANDS,
    **index.COMMANDS,
}
"""Every sub-command by its name."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; the return value is the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    streams.prepare()
    if SLOW_ENV in os.environ:
        logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        code = _run(arguments)
        streams.finish()
        return code
    except (KeyboardInterrupt, Interrupted):
        return 130
    except OSError as error:
        streams.abandon()
        if isinstance(error, BrokenPipeError):
            return 0  # the reader of a pipe got what it wanted
        print(f"hermes-tui: the answer cannot be written: {error.strerror}.", file=sys.stderr)
        return BAD_INPUT


def _run(arguments: list[str]) -> int:
    try:
        options = parse(arguments)
        run: Run = options.run
        return run(options)
    except (HistoryError, QueryError) as error:
        print(f"hermes-tui: {clean_line(str(error))}", file=sys.stderr)
        return BAD_INPUT
    except SystemExit as stopped:
        return stopped.code if isinstance(stopped.code, int) else BAD_INPUT


def build_parser(arguments: Sequence[str] = ()) -> Parser:
    """The parser for the sub-command that `arguments` begin with, or for the application."""
    if not (arguments and arguments[0] in COMMANDS):
        return _app_parser()
    name = arguments[0]
    command = COMMANDS[name]
    parents = [make() for share, make in _SHARED.items() if share in command.shares]
    parser = Parser(prog=f"hermes-tui {name}", description=command.summary, parents=parents)
    command.arguments(parser)
    parser.set_defaults(run=command.run)
    return parser


_SHARED = {"place": place_options, "search": search_options, "json": json_option}


def parse(arguments: list[str]) -> argparse.Namespace:
    """The options of a command line; `--` makes a sub-command's name a query."""
    parser = build_parser(arguments)
    rest = arguments[1:] if arguments and arguments[0] in COMMANDS else arguments
    # Options may stand between the words of a query; argparse can do that only without `--`.
    return parser.parse_args(rest) if "--" in rest else parser.parse_intermixed_args(rest)


def _app_parser() -> Parser:
    width = max(map(len, COMMANDS))
    commands = "\n".join(f"  {name:<{width}}  {entry.summary}" for name, entry in COMMANDS.items())
    parser = Parser(
        prog="hermes-tui",
        description="Find a conversation in a Hermes Agent history and read around it.",
        epilog=f"commands:\n{commands}\n\nhermes-tui COMMAND --help says more.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[place_options(), search_options()],
    )
    parser.add_argument("query", nargs="*", metavar="QUERY", help="what to search at the start")
    parser.add_argument("--version", action="version", version=f"hermes-tui {__version__}")
    parser.set_defaults(run=run_app)
    return parser


def run_app(options: argparse.Namespace) -> int:
    """`hermes-tui [QUERY]`: the application."""
    place = place_of(options)
    History.open(place).close()  # say what is wrong before the screen is taken over
    if not streams.are_terminals() or os.environ.get("TERM") == "dumb":
        raise HistoryError(
            "The application needs a terminal. In scripts and pipes use `hermes-tui search QUERY`."
        )
    from hermes_tui.tui.app import run

    return run(
        place,
        query=" ".join(options.query),
        policy_name=options.policy,
        current_session=options.current_session,
    )
