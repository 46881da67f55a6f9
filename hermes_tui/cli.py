"""The command line: one function per sub-command, each with a plain and a JSON form.

Nothing here imports textual; only the application itself does, when it is started.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import NoReturn

from hermes_tui import __version__, cli_streams, cli_text
from hermes_tui.history.errors import HistoryError, Interrupted, QueryError
from hermes_tui.history.locate import Place, locate, parse_link, session_link
from hermes_tui.history.reader import History
from hermes_tui.history.rows import Session, parse_json
from hermes_tui.history.tokenizer import register
from hermes_tui.recall.browse import recent
from hermes_tui.recall.ids import near_message_ids, resolve_session
from hermes_tui.recall.payload import SLOW_ENV
from hermes_tui.recall.pipeline import search
from hermes_tui.recall.policy import POLICIES, policy_named
from hermes_tui.recall.shapes import Tool
from hermes_tui.recall.view import messages_around
from hermes_tui.text.clean import clean_line

BAD_INPUT = 2
TOOL_ERROR = 1
DEFAULT_LIMIT = 3
MAX_WINDOW = 1_000

Command = Callable[[argparse.Namespace], int]


class Parser(argparse.ArgumentParser):
    """argparse whose error is one clean sentence with exit code 2."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and how to see the usage."""
        print(f"hermes-tui: {clean_line(message)}. Try `{self.prog} --help`.", file=sys.stderr)
        raise SystemExit(BAD_INPUT)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; the return value is the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    cli_streams.prepare()
    if SLOW_ENV in os.environ:
        logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        code = _run(arguments)
        cli_streams.finish()
        return code
    except (KeyboardInterrupt, Interrupted):
        return 130
    except OSError as error:
        cli_streams.abandon()
        if isinstance(error, BrokenPipeError):
            return 0  # the reader of a pipe got what it wanted
        print(f"hermes-tui: the answer cannot be written: {error.strerror}.", file=sys.stderr)
        return BAD_INPUT


def _run(arguments: list[str]) -> int:
    try:
        options = parse(arguments)
        run: Command = options.run
        return run(options)
    except (HistoryError, QueryError) as error:
        print(f"hermes-tui: {clean_line(str(error))}", file=sys.stderr)
        return BAD_INPUT
    except SystemExit as stopped:
        return stopped.code if isinstance(stopped.code, int) else BAD_INPUT


def _place_options() -> Parser:
    parent = Parser(add_help=False)
    where = parent.add_argument_group("which history")
    where.add_argument("--db", metavar="FILE", help="a state.db, or the folder that holds one")
    where.add_argument("--profile", metavar="NAME", help="a Hermes profile")
    where.add_argument("--demo", action="store_true", help="a sample history, made on first use")
    return parent


def _search_options() -> Parser:
    parent = Parser(add_help=False)
    parent.add_argument(
        "--policy", choices=sorted(POLICIES), default="thorough", help="whose rules"
    )
    parent.add_argument(
        "--current-session", metavar="ID", help="see the world as the agent in this session does"
    )
    return parent


def _json_option() -> Parser:
    parent = Parser(add_help=False)
    parent.add_argument("--json", action="store_true", help="JSON instead of text")
    return parent


def build_parser(arguments: Sequence[str] = ()) -> Parser:
    """The parser for the sub-command that `arguments` begin with, or for the application."""
    place, searching, as_json = _place_options(), _search_options(), _json_option()
    if not (arguments and arguments[0] in COMMANDS):
        return _app_parser(place, searching)
    name = arguments[0]
    summary, add_arguments, parents, run = COMMANDS[name]
    chosen = [place]
    if "search" in parents:
        chosen.append(searching)
    if "json" in parents:
        chosen.append(as_json)
    parser = Parser(prog=f"hermes-tui {name}", description=summary, parents=chosen)
    add_arguments(parser)
    parser.set_defaults(run=run)
    return parser


def parse(arguments: list[str]) -> argparse.Namespace:
    """The options of a command line; `--` makes a sub-command's name a query."""
    parser = build_parser(arguments)
    rest = arguments[1:] if arguments and arguments[0] in COMMANDS else arguments
    # Options may stand between the words of a query; argparse can do that only without `--`.
    return parser.parse_args(rest) if "--" in rest else parser.parse_intermixed_args(rest)


def _app_parser(place: Parser, searching: Parser) -> Parser:
    width = max(map(len, COMMANDS))
    commands = "\n".join(f"  {name:<{width}}  {entry[0]}" for name, entry in COMMANDS.items())
    parser = Parser(
        prog="hermes-tui",
        description="Find a conversation in a Hermes Agent history and read around it.",
        epilog=f"commands:\n{commands}\n\nhermes-tui COMMAND --help says more.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[place, searching],
    )
    parser.add_argument("query", nargs="*", metavar="QUERY", help="what to search at the start")
    parser.add_argument("--version", action="version", version=f"hermes-tui {__version__}")
    parser.set_defaults(run=run_app)
    return parser


def place_of(options: argparse.Namespace) -> Place:
    """The history the options name. HistoryError says where it looked."""
    named = [o for o in ("db", "profile", "demo") if getattr(options, o)]
    if len(named) > 1:
        raise HistoryError(f"Give only one of --{' and --'.join(named)}.")
    if options.demo:
        from hermes_tui.demo import demo_path, ensure_demo

        return Place(str(ensure_demo(demo_path())), "")
    return locate(options.db, options.profile)


def open_history(options: argparse.Namespace) -> History:
    """The history the options name, open for reading."""
    return History.open(place_of(options), register=register)


def run_app(options: argparse.Namespace) -> int:
    """`hermes-tui [QUERY]`: the application."""
    place = place_of(options)
    History.open(place).close()  # say what is wrong before the screen is taken over
    if not cli_streams.are_terminals() or os.environ.get("TERM") == "dumb":
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


def _search_arguments(parser: Parser) -> None:
    parser.add_argument("query", nargs="+", metavar="QUERY")
    parser.add_argument("--limit", type=_positive, default=DEFAULT_LIMIT, metavar="N")
    parser.add_argument("--sort", choices=("newest", "oldest"))
    parser.add_argument("--role", metavar="ROLES", help="a comma list: user,assistant,tool")
    parser.add_argument("--rewound", action="store_true", help="rewound messages too")


def run_search(options: argparse.Namespace) -> int:
    """`hermes-tui search QUERY`: one row a lineage."""
    query = " ".join(options.query)
    if not query.strip():
        raise HistoryError(
            "The query is empty: give a word to look for, or use `hermes-tui browse`."
        )
    roles = tuple(r.strip() for r in (options.role or "").split(",") if r.strip())
    with open_history(options) as history:
        current = options.current_session
        outcome = search(
            history,
            query,
            policy=policy_named(options.policy),
            limit=options.limit,
            sort=options.sort,
            roles=roles or None,
            current_session=resolve_session(history, current).id if current else None,
            show_rewound=options.rewound,
        )
    if options.json:
        print(cli_text.json_text(cli_text.outcome_json(outcome)))
    else:
        _print_lines(cli_text.outcome_lines(outcome))
    return 0


def _browse_arguments(parser: Parser) -> None:
    parser.add_argument("--limit", type=_positive, default=20, metavar="N")


def run_browse(options: argparse.Namespace) -> int:
    """`hermes-tui browse`: the recent conversations."""
    with open_history(options) as history:
        rows = recent(history, options.limit)
        held = len(history.families().sessions)
    if options.json:
        print(cli_text.json_text([cli_text.lineage_json(row) for row in rows]))
        return 0
    if not rows:
        print(_no_sessions(held))
    for number, row in enumerate(rows):
        _print_lines([""] if number else [])
        _print_lines(cli_text.lineage_lines(row))
    return 0


def _no_sessions(held: int) -> str:
    if not held:
        return "This history has no sessions yet."
    return f"None of the {held:,} sessions is listed: they are archived, delegated or hidden."


def _read_arguments(parser: Parser) -> None:
    parser.add_argument("session", metavar="SESSION", help="an id, a unique part of one, or a link")
    parser.add_argument("--rewound", action="store_true", help="rewound messages too")


def run_read(options: argparse.Namespace) -> int:
    """`hermes-tui read SESSION`: a whole conversation."""
    with _history_of(options) as (history, session):
        everything = history.message_rows("where m.session_id = ? order by m.id", (session.id,))
        link = session_link(history.profile, session.id)
    messages = [m for m in everything if options.rewound or m.visibility != "rewound"]
    if options.json:
        head = {"session_id": session.id, "link": link, "title": session.title}
        rows = [cli_text.message_json(m) for m in messages]
        print(cli_text.json_text({**head, "source": session.source, "messages": rows}))
        return 0
    _print_lines(cli_text.session_head(session, link, len(messages)))
    _print_lines(cli_text.message_lines(messages))
    left_out = len(everything) - len(messages)
    if left_out:
        print(f"\n{left_out:,} rewound messages are not shown; --rewound shows them.")
    if not everything:
        print("\nThis session has no messages.")
    return 0


def _scroll_arguments(parser: Parser) -> None:
    parser.add_argument("session", metavar="SESSION", help="an id, a unique part of one, or a link")
    parser.add_argument("message", type=int, metavar="MESSAGE", help="a message id")
    parser.add_argument("--window", type=_positive, default=5, metavar="N")


def run_scroll(options: argparse.Namespace) -> int:
    """`hermes-tui scroll SESSION MESSAGE`: the messages around one."""
    with _history_of(options) as (history, session):
        width = min(options.window, MAX_WINDOW)
        window = messages_around(history, session.id, options.message, width)
        if window is None:
            near = near_message_ids(history, session.id, options.message)
            hint = f" Near ids: {', '.join(map(str, near))}." if near else ""
            raise HistoryError(
                f"Message {options.message} is not in session {clean_line(session.id)}.{hint}"
            )
        link = session_link(history.profile, session.id)
    if options.json:
        rows = [cli_text.message_json(m, options.message) for m in window.messages]
        answer = {"session_id": session.id, "link": link, "messages": rows}
        counts = {"messages_before": window.before, "messages_after": window.after}
        print(cli_text.json_text({**answer, **counts}))
        return 0
    _print_lines(cli_text.session_head(session, link, len(window.messages)))
    _print_lines(cli_text.message_lines(window.messages, options.message))
    return 0


class _history_of:  # noqa: N801 - used as a function in `with`
    """The history and the session that SESSION names; a link may name another profile's."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options

    def __enter__(self) -> tuple[History, Session]:
        link = parse_link(self.options.session)
        if link is None:
            raise HistoryError("SESSION is empty: give a session id, a part of one, or a link.")
        if link.profile and not self.options.db and not self.options.demo:
            self.history = History.open(locate(profile=link.profile), register=register)
        else:
            self.history = open_history(self.options)
        try:
            return self.history, resolve_session(self.history, link.session_id)
        except BaseException:
            self.history.close()
            raise

    def __exit__(self, *_: object) -> None:
        self.history.close()


def _tool_arguments(parser: Parser) -> None:
    agents = sorted(name for name, policy in POLICIES.items() if not policy.everything)
    parser.add_argument("arguments", metavar="JSON", help="the tool's arguments, or - for lines")
    parser.add_argument("--policy", choices=agents, default="hermes", help="whose rules")


def run_session_search(options: argparse.Namespace) -> int:
    """`hermes-tui session-search JSON`: what the agent's tool returns."""
    with open_history(options) as history:
        tool = Tool(history, policy_named(options.policy), register=register)
        if options.arguments != "-":
            answer = tool(_arguments(options.arguments))
            print(cli_text.json_text(answer))
            return TOOL_ERROR if "error" in answer else 0
        worst = 0
        for line in sys.stdin or ():
            if not line.strip():
                continue
            try:
                answer = tool(_arguments(line))
            except HistoryError as error:
                answer = {"error": str(error), "success": False}
            worst = max(worst, TOOL_ERROR if "error" in answer else 0)
            print(cli_text.json_text(answer), flush=True)
        return worst


def _arguments(text: str) -> dict[str, object]:
    try:
        arguments = parse_json(text)
    except ValueError as error:
        raise HistoryError(
            f"The arguments are no JSON ({clean_line(str(error), 80)}). "
            'Write them like \'{"query": "docker", "limit": 3}\'.'
        ) from error
    if not isinstance(arguments, dict):
        raise HistoryError('The arguments must be a JSON object, like \'{"query": "docker"}\'.')
    return arguments


def _positive(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"'{clean_line(text, 20)}' is no number from 1 on")
    return number


def _print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        print(line)


COMMANDS: dict[str, tuple[str, Callable[[Parser], None], tuple[str, ...], Command]] = {
    "search": (
        "search the messages: one row a lineage",
        _search_arguments,
        ("search", "json"),
        run_search,
    ),
    "browse": ("list the recent conversations", _browse_arguments, ("json",), run_browse),
    "read": ("print a conversation", _read_arguments, ("json",), run_read),
    "scroll": ("print the messages around one", _scroll_arguments, ("json",), run_scroll),
    "session-search": (
        "answer as the agent's tool does, in JSON",
        _tool_arguments,
        (),
        run_session_search,
    ),
}
