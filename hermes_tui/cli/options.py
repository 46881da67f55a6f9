"""What the sub-commands share: the parser, common options, and the history they name."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NoReturn

from hermes_tui.history.errors import HistoryError
from hermes_tui.history.locate import Place, locate, parse_link
from hermes_tui.history.reader import History
from hermes_tui.history.rows import Session
from hermes_tui.history.tokenizer import register
from hermes_tui.recall.asking import DEFAULT_LIMIT
from hermes_tui.recall.filtering import ROLE_NAMES
from hermes_tui.recall.ids import resolve_session
from hermes_tui.recall.policy import POLICIES
from hermes_tui.recall.vocabulary import ROLES
from hermes_tui.text.clean import clean_line

BAD_INPUT = 2

Run = Callable[[argparse.Namespace], int]


class Parser(argparse.ArgumentParser):
    """argparse whose error is one clean sentence with exit code 2."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and how to see the usage."""
        print(f"hermes-tui: {clean_line(message)}. Try `{self.prog} --help`.", file=sys.stderr)
        raise SystemExit(BAD_INPUT)


@dataclass(frozen=True, slots=True)
class Command:
    """A sub-command. shares: names of the common options it takes (`place`, `search`, `json`)."""

    summary: str
    arguments: Callable[[Parser], None]
    run: Run
    shares: tuple[str, ...] = ("place",)


def place_options() -> Parser:
    """--db, --profile and --demo."""
    parent = Parser(add_help=False)
    where = parent.add_argument_group("which history")
    where.add_argument("--db", metavar="FILE", help="a state.db, or the folder that holds one")
    where.add_argument("--profile", metavar="NAME", help="a Hermes profile")
    where.add_argument("--demo", action="store_true", help="a sample history, made on first use")
    return parent


def search_options() -> Parser:
    """--policy and --current-session."""
    parent = Parser(add_help=False)
    parent.add_argument(
        "--policy", choices=sorted(POLICIES), default="thorough", help="whose rules"
    )
    parent.add_argument(
        "--current-session", metavar="ID", help="see the world as the agent in this session does"
    )
    return parent


def json_option() -> Parser:
    """--json."""
    parent = Parser(add_help=False)
    parent.add_argument("--json", action="store_true", help="JSON instead of text")
    return parent


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


def asking_options(parser: Parser, limit: str) -> None:
    """QUERY, --limit, --sort and --role. limit: what --limit counts."""
    parser.add_argument("query", nargs="+", metavar="QUERY", help="the words, and filters")
    parser.add_argument("--limit", type=positive, default=DEFAULT_LIMIT, metavar="N", help=limit)
    parser.add_argument(
        "--sort", choices=("newest", "oldest"), help="the order, instead of relevance"
    )
    parser.add_argument("--role", metavar="ROLES", help=f"a comma list: {','.join(ROLES)}")


def roles_of(options: argparse.Namespace) -> tuple[str, ...]:
    """The roles that --role names. HistoryError names one that no message has."""
    roles = tuple(r.strip() for r in (options.role or "").split(",") if r.strip())
    known = {*ROLES, *ROLE_NAMES}
    for role in roles:
        if role.lower() not in known:
            raise HistoryError(
                f"There is no role '{clean_line(role, 40)}'. Roles: {', '.join(ROLES)}."
            )
    return roles


class SessionOf:
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


def positive(text: str) -> int:
    """An argparse type: a whole number from 1 on."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"'{clean_line(text, 20)}' is no number from 1 on")
    return number


def print_lines(lines: Iterable[str]) -> None:
    """Print lines that are already clean."""
    for line in lines:
        print(line)
