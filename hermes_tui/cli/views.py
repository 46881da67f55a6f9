"""The views of a history as commands: search, browse, read, scroll, and the agent's own tool."""

from __future__ import annotations

import argparse
import sys

from hermes_tui.cli import text
from hermes_tui.cli.options import (
    Command,
    Parser,
    SessionOf,
    asking_options,
    open_history,
    positive,
    print_lines,
    roles_of,
)
from hermes_tui.history.errors import HistoryError
from hermes_tui.history.locate import session_link
from hermes_tui.history.rows import parse_json
from hermes_tui.history.tokenizer import register
from hermes_tui.recall.asking import DEFAULT_LIMIT
from hermes_tui.recall.browse import recent, unlisted
from hermes_tui.recall.ids import near_message_ids, resolve_session
from hermes_tui.recall.pipeline import search
from hermes_tui.recall.policy import POLICIES, policy_named
from hermes_tui.recall.shapes import Tool
from hermes_tui.recall.view import bookends, messages_around
from hermes_tui.text.clean import clean_line

TOOL_ERROR = 1
MAX_WINDOW = 1_000


def _search_arguments(parser: Parser) -> None:
    asking_options(
        parser,
        f"conversations the agent is given ({DEFAULT_LIMIT}); by thorough rules all are listed",
    )
    parser.add_argument("--rewound", action="store_true", help="rewound messages too")


def run_search(options: argparse.Namespace) -> int:
    """`hermes-tui search QUERY`: one row a lineage."""
    query = " ".join(options.query)
    if not query.strip():
        raise HistoryError(
            "The query is empty: give a word to look for, or use `hermes-tui browse`."
        )
    roles = roles_of(options)
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
        print(text.json_text(text.outcome_json(outcome)))
    else:
        print_lines(text.outcome_lines(outcome))
    return 0


def _browse_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--limit", type=positive, default=20, metavar="N", help="conversations (20)"
    )


def run_browse(options: argparse.Namespace) -> int:
    """`hermes-tui browse`: the recent conversations."""
    with open_history(options) as history:
        rows = recent(history, options.limit)
        left_out = unlisted(history)
        held = len(history.families().sessions)
    if options.json:
        print(text.json_text([text.lineage_json(row) for row in rows]))
        return 0
    if not rows:
        print(_no_sessions(held))
    for number, row in enumerate(rows):
        print_lines([""] if number else [])
        print_lines(text.lineage_lines(row))
    if rows:
        print(_totals(len(rows), held, left_out))
    return 0


def _totals(shown: int, held: int, left_out: dict[str, int]) -> str:
    """How many of the sessions stand in the list, and where the others are."""
    listable = held - sum(left_out.values())
    others = {"older": listable - shown, **left_out}
    parts = [f"{count:,} {kind}" for kind, count in others.items() if count]
    rest = f" Not shown: {', '.join(parts)}." if parts else ""
    return f"\n{shown:,} of {held:,} sessions.{rest}"


def _no_sessions(held: int) -> str:
    if not held:
        return "This history has no sessions yet."
    return f"None of the {held:,} sessions is listed: they are archived, delegated or hidden."


def _read_arguments(parser: Parser) -> None:
    parser.add_argument("session", metavar="SESSION", help="an id, a unique part of one, or a link")
    parser.add_argument("--rewound", action="store_true", help="rewound messages too")


def run_read(options: argparse.Namespace) -> int:
    """`hermes-tui read SESSION`: a whole conversation."""
    with SessionOf(options) as (history, session):
        everything = history.message_rows("where m.session_id = ? order by m.id", (session.id,))
        link = session_link(history.profile, session.id)
    messages = [m for m in everything if options.rewound or m.visibility != "rewound"]
    if options.json:
        head = {"session_id": session.id, "link": link, "title": session.title}
        rows = [text.message_json(m) for m in messages]
        print(text.json_text({**head, "source": session.source, "messages": rows}))
        return 0
    print_lines(text.session_head(session, link, len(messages)))
    print_lines(text.message_lines(messages))
    left_out = len(everything) - len(messages)
    if left_out:
        print(f"\n{left_out:,} rewound messages are not shown; --rewound shows them.")
    if not everything:
        print("\nThis session has no messages.")
    return 0


def _scroll_arguments(parser: Parser) -> None:
    parser.add_argument("session", metavar="SESSION", help="an id, a unique part of one, or a link")
    parser.add_argument("message", type=int, metavar="MESSAGE", help="a message id")
    parser.add_argument(
        "--window", type=positive, default=5, metavar="N", help="messages on either side (5)"
    )


def run_scroll(options: argparse.Namespace) -> int:
    """`hermes-tui scroll SESSION MESSAGE`: the messages around one."""
    with SessionOf(options) as (history, session):
        width = min(options.window, MAX_WINDOW)
        window = messages_around(history, session.id, options.message, width)
        if window is None:
            near = near_message_ids(history, session.id, options.message)
            hint = f" Near ids: {', '.join(map(str, near))}." if near else ""
            raise HistoryError(
                f"Message {options.message} is not in session {clean_line(session.id)}.{hint}"
            )
        link = session_link(history.profile, session.id)
        ends = window.messages[0].id, window.messages[-1].id
        opening, closing = bookends(history, session.id, *ends)
    if options.json:
        answer = {
            "session_id": session.id,
            "link": link,
            "opening": [text.message_json(m) for m in opening],
            "messages": [text.message_json(m, options.message) for m in window.messages],
            "closing": [text.message_json(m) for m in closing],
            "messages_before": window.before,
            "messages_after": window.after,
        }
        print(text.json_text(answer))
        return 0
    shown = len(opening) + len(window.messages) + len(closing)
    print_lines(text.session_head(session, link, shown))
    for name, messages in (("opening", opening), ("", window.messages), ("closing", closing)):
        print_lines(["", f"-- {name} --"] if name and messages else [])
        print_lines(text.message_lines(messages, options.message))
    return 0


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
            print(text.json_text(answer))
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
            print(text.json_text(answer), flush=True)
        return worst


def _arguments(written: str) -> dict[str, object]:
    try:
        arguments = parse_json(written)
    except ValueError as error:
        raise HistoryError(
            f"The arguments are no JSON ({clean_line(str(error), 80)}). "
            'Write them like \'{"query": "docker", "limit": 3}\'.'
        ) from error
    if not isinstance(arguments, dict):
        raise HistoryError('The arguments must be a JSON object, like \'{"query": "docker"}\'.')
    return arguments


COMMANDS = {
    "search": Command(
        "search the messages: one row a lineage",
        _search_arguments,
        run_search,
        ("place", "search", "json"),
    ),
    "browse": Command(
        "list the recent conversations", _browse_arguments, run_browse, ("place", "json")
    ),
    "read": Command("print a conversation", _read_arguments, run_read, ("place", "json")),
    "scroll": Command(
        "print the messages around one", _scroll_arguments, run_scroll, ("place", "json")
    ),
    "session-search": Command(
        "answer as the agent's tool does, in JSON", _tool_arguments, run_session_search
    ),
}
