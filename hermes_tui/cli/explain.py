"""`explain` and `compare`: why the agent sees what it sees, and what other rules would give."""

from __future__ import annotations

import argparse
import dataclasses
from typing import Any

from hermes_tui.cli import text
from hermes_tui.cli.options import (
    Command,
    Parser,
    asking_options,
    open_history,
    print_lines,
    roles_of,
)
from hermes_tui.history.errors import HistoryError
from hermes_tui.history.reader import History
from hermes_tui.recall.asking import DEFAULT_LIMIT, agent_ask
from hermes_tui.recall.discovery import Ask
from hermes_tui.recall.explain.compare import COLUMNS as COLUMNS_BY_NAME
from hermes_tui.recall.explain.compare import DEFAULT_COLUMNS, compare
from hermes_tui.recall.explain.comparing import comparison_lines
from hermes_tui.recall.explain.report import report
from hermes_tui.recall.explain.showing import explanation_lines, verdict_lines
from hermes_tui.recall.explain.targets import resolve_target
from hermes_tui.recall.explain.verdict import Verdict
from hermes_tui.recall.explain.why import Explanation, why
from hermes_tui.recall.explain.whynot import why_not
from hermes_tui.recall.ids import resolve_session


def _ask_arguments(parser: Parser) -> None:
    asking_options(parser, f"conversations the agent is given ({DEFAULT_LIMIT})")
    parser.add_argument(
        "--current-session", metavar="ID", help="see the world as the agent in this session does"
    )


def _explain_arguments(parser: Parser) -> None:
    _ask_arguments(parser)
    parser.add_argument(
        "--missing", metavar="WHAT", help="why not this session id, message id, link or title"
    )
    parser.add_argument("--report", action="store_true", help="Markdown for a bug report")
    parser.add_argument("--with-content", action="store_true", help="ids and titles in the report")
    parser.add_argument("--with-paths", action="store_true", help="paths in the report")


def ask_of(history: History, options: argparse.Namespace) -> Ask:
    """The call of session_search that the options describe."""
    query = " ".join(options.query)
    if not query.strip():
        raise HistoryError("The query is empty: give the words that were looked for.")
    current = options.current_session
    return agent_ask(
        query,
        limit=options.limit,
        sort=options.sort,
        roles=roles_of(options),
        current_session=resolve_session(history, current).id if current else None,
    )


def run_explain(options: argparse.Namespace) -> int:
    """`hermes-tui explain QUERY`: why it finds what it finds, or why not one thing."""
    if (options.with_content or options.with_paths) and not options.report:
        raise HistoryError("--with-content and --with-paths go with --report.")
    query = " ".join(options.query)
    with open_history(options) as history:
        ask = ask_of(history, options)
        missing = options.missing
        target = None if missing is None else resolve_target(history, missing)
        verdict = None if target is None else why_not(history, query, target, ask)
        explanation = None
        if verdict is None or options.report:
            explanation = why(history, query, ask)
        if options.report and explanation is not None:
            found = report(
                history,
                explanation,
                verdict,
                content=options.with_content,
                paths=options.with_paths,
            )
            print(text.json_text({"report": found}) if options.json else found.rstrip())
            return 0
    if options.json:
        answer = verdict_json(verdict) if verdict else {}
        print(text.json_text(answer or explanation_json(explanation)))
    elif verdict is not None:
        print_lines(line.text for line in verdict_lines(verdict))
    elif explanation is not None:
        print_lines(line.text for line in explanation_lines(explanation))
    return 0


def _compare_arguments(parser: Parser) -> None:
    _ask_arguments(parser)
    parser.add_argument(
        "--columns",
        metavar="NAMES",
        default=",".join(DEFAULT_COLUMNS),
        help=f"a comma list of: {', '.join(COLUMNS_BY_NAME)}",
    )


def run_compare(options: argparse.Namespace) -> int:
    """`hermes-tui compare QUERY`: the same query by several rules."""
    columns = [name for name in options.columns.split(",") if name.strip()]
    with open_history(options) as history:
        ask = ask_of(history, options)
        comparison = compare(history, " ".join(options.query), ask, columns)
    if options.json:
        print(text.json_text(dataclasses.asdict(comparison)))
    else:
        print_lines(line.text for line in comparison_lines(comparison))
    return 0


def explanation_json(explanation: Explanation | None) -> dict[str, Any]:
    """An explanation in its documented form; times in milliseconds."""
    return {} if explanation is None else dataclasses.asdict(explanation)


def verdict_json(verdict: Verdict) -> dict[str, Any]:
    """A verdict in its documented form."""
    answer = dataclasses.asdict(verdict)
    for unit in answer["units"]:
        unit["rows"] = sorted(unit["rows"])
    return answer


COMMANDS = {
    "explain": Command(
        "say why a query finds what it finds, or why not one thing",
        _explain_arguments,
        run_explain,
        ("place", "json"),
    ),
    "compare": Command(
        "put the answers of several rules side by side",
        _compare_arguments,
        run_compare,
        ("place", "json"),
    ),
}
