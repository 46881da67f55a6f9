"""Judging conversations and measuring every route with it: judge, eval."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from hermes_tui.cli import evaluate_text as drawn
from hermes_tui.cli.options import (
    Command,
    Parser,
    SessionOf,
    open_history,
    positive,
    print_lines,
)
from hermes_tui.cli.text import json_text
from hermes_tui.history.errors import HistoryError
from hermes_tui.history.reader import History
from hermes_tui.recall import regression, trec
from hermes_tui.recall.evaluation import Evaluation, Judged, evaluate, settle
from hermes_tui.recall.exchange import Runs, exported, imported
from hermes_tui.recall.ids import near_message_ids, resolve_session
from hermes_tui.recall.judge import (
    GRADES,
    Judgement,
    Judgements,
    Topic,
    grade_of,
    shown_problems,
    topic_of,
)
from hermes_tui.recall.measures import DEPTH
from hermes_tui.recall.ranking import route_names
from hermes_tui.recall.trec import FORMATS
from hermes_tui.text.clean import clean_line

WORSE = 1
NONE = "none"
_SQLITE = b"SQLite format 3\0"


def _judge_arguments(parser: Parser) -> None:
    parser.add_argument("query", metavar="QUERY", help="what was asked, as one argument")
    parser.add_argument("session", metavar="SESSION", help="an id, a unique part of one, or a link")
    parser.add_argument(
        "grade",
        metavar="GRADE",
        choices=(*map(str, GRADES), NONE),
        help="0 miss, 1 related, 2 right; none takes it back",
    )
    parser.add_argument("--message", type=int, metavar="ID", help="the hit that was looked at")
    parser.add_argument("--sort", choices=("newest", "oldest"), help="the order it was asked in")
    parser.add_argument("--role", metavar="ROLES", help="the roles it was asked for")
    parser.add_argument("--current-session", metavar="ID", help="the session it was asked in")


def run_judge(options: argparse.Namespace) -> int:
    """`hermes-tui judge QUERY SESSION GRADE`: keep what a person says about an answer."""
    with SessionOf(options) as (history, session):
        if options.message is not None:
            _check_message(history, session.id, options.message)
        store = Judgements.of(history.place)
        judgement = Judgement(
            _topic(options, history),
            history.families().root(session.id),
            session.id,
            options.message,
            None if options.grade == NONE else grade_of(int(options.grade)),
            time.time(),
        )
        before = _judged(history, store, judgement)
        if judgement.grade is None and (before is None or judgement.root not in before.grades):
            raise HistoryError(
                f"Nothing to take back: {clean_line(session.id)} is not judged for this query."
            )
        store.add([judgement])
        judged, title = _judged(history, store, judgement), session.title
    print_lines(drawn.judged_lines(judgement, title, judged))
    return 0


def _judged(history: History, store: Judgements, judgement: Judgement) -> Judged | None:
    """What is kept for the query of a judgement."""
    kept = settle(history, store.read().judgements)
    return next((judged for judged in kept if judged.query == judgement.topic.query), None)


def _check_message(history: History, session_id: str, message_id: int) -> None:
    rows = history.messages([message_id])
    if rows and rows[0].session_id == session_id:
        return
    near = ", ".join(map(str, near_message_ids(history, session_id, message_id)))
    hint = f" Near ids: {near}." if near else ""
    raise HistoryError(f"Message {message_id} is not in session {clean_line(session_id)}.{hint}")


def _topic(options: argparse.Namespace, history: History) -> Topic:
    current = options.current_session
    arguments = {
        "sort": options.sort,
        "role_filter": options.role,
        "current_session_id": resolve_session(history, current).id if current else None,
    }
    try:
        return topic_of(options.query, arguments)
    except ValueError as error:
        raise HistoryError("The query is empty: give the words that were searched for.") from error


def _eval_arguments(parser: Parser) -> None:
    parser.add_argument("--depth", type=positive, default=DEPTH, metavar="K", help="k of recall@k")
    parser.add_argument("--only-right", action="store_true", help="only grade 2 is relevant")
    parser.add_argument("--save", metavar="NAME", help="keep the rankings under a name")
    parser.add_argument("--against", metavar="NAME", help="say what has changed since then")
    parser.add_argument(
        "--worse-by", type=_amount, metavar="X", help="exit code 1 when a mean fell by X or more"
    )
    parser.add_argument("--import", dest="read", metavar="FILE", help="qrels, a run or JSON lines")
    parser.add_argument("--export", metavar="FILE", help="write a file; - is the output")
    parser.add_argument("--format", choices=FORMATS, default="qrels", help="of the export")
    parser.add_argument(
        "--route", choices=route_names(), default=route_names()[0], help="whose run is exported"
    )


def _amount(text: str) -> float:
    """An argparse type: a number from 0 to 1."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"'{clean_line(text, 20)}' is no number from 0 to 1")
    return number


def run_eval(options: argparse.Namespace) -> int:
    """`hermes-tui eval`: how every route does on what was judged."""
    if options.worse_by is not None and not options.against:
        raise HistoryError("--worse-by needs --against NAME: the evaluation to compare with.")
    with open_history(options) as history:
        place = history.place
        save_to = regression.saved_path(place, options.save) if options.save else None
        saved = None
        if options.against:
            saved = regression.load(regression.saved_path(place, options.against))
        notes, runs = _import(options, history)
        kept = Judgements.of(place).read()
        notes += shown_problems(kept.problems)
        evaluation = evaluate(
            history,
            settle(history, kept.judgements),
            depth=options.depth,
            least=2 if options.only_right else 1,
            runs=runs,
        )
        comparison = regression.compare(history, evaluation, saved) if saved else None
        profile = history.profile
    if save_to:
        regression.save(save_to, evaluation)
    if options.export:
        _export(options, evaluation, place.path)
    worse = comparison.worse(options.worse_by or 0.0) if comparison else ()
    report = drawn.Report(evaluation, profile, tuple(notes), comparison, worse)
    if options.export == "-":
        for note in (*notes, *evaluation.left_out()):
            print(f"hermes-tui: {clean_line(note)}", file=sys.stderr)
    elif options.json:
        print(json_text(drawn.report_json(report)))
    else:
        print_lines(drawn.report_lines(report))
    return _verdict(options, comparison)


def _verdict(options: argparse.Namespace, comparison: regression.Comparison | None) -> int:
    """The exit code: a watch that could compare nothing must not look like a good one."""
    if comparison is None or options.worse_by is None:
        return 0
    if not comparison.topics:
        raise HistoryError(
            f"Nothing could be compared with '{options.against}': no query of it is judged."
        )
    return WORSE if comparison.broken or comparison.worse(options.worse_by) else 0


def _import(options: argparse.Namespace, history: History) -> tuple[list[str], Runs]:
    """Take in the file of --import; sentences about it, and the runs it holds."""
    if not options.read:
        return [], {}
    name = Path(options.read).name
    try:
        text = Path(options.read).read_bytes().decode("utf-8", "replace")
    except (OSError, ValueError) as error:
        raise HistoryError(_file_error("read", options.read, error)) from error
    parsed = trec.parse(text, name)
    if parsed.empty:
        first = f" {parsed.problems[0]}" if parsed.problems else " It is empty."
        raise HistoryError(
            f"{clean_line(name, 60)} holds no qrels, run or JSON lines of judgements.{first}"
        )
    store = Judgements.of(history.place)
    found = imported(history, parsed, name, store.read().judgements, time.time())
    store.add(found.judgements)
    return list(found.notes), found.runs


def _export(options: argparse.Namespace, evaluation: Evaluation, history_path: str) -> None:
    lines = exported(evaluation, options.format, options.route)
    if options.export == "-":
        print_lines(lines)
        return
    try:
        _refuse_a_database(options.export, history_path)
        _write(options.export, lines)
    except (OSError, ValueError) as error:
        raise HistoryError(_file_error("written", options.export, error)) from error


def _refuse_a_database(path: str, history_path: str) -> None:
    """An export never takes the place of a history, nor of the files beside it."""
    taken = os.path.realpath(path).startswith(os.path.realpath(history_path))
    if not taken and os.path.isfile(path):
        with open(path, "rb") as file:
            taken = file.read(len(_SQLITE)) == _SQLITE
    if taken:
        raise HistoryError(f"{clean_line(path, 200)} is a database; it was left as it is.")


def _write(path: str, lines: Iterable[str]) -> None:
    with open(path, "w", encoding="ascii", newline="\n") as file:
        file.writelines(f"{line}\n" for line in lines)


def _file_error(what: str, path: str, error: Exception) -> str:
    why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return f"{clean_line(path, 200)} cannot be {what}: {clean_line(why, 80)}."


COMMANDS = {
    "judge": Command("say how well a conversation answers a query", _judge_arguments, run_judge),
    "eval": Command(
        "measure every route with what was judged", _eval_arguments, run_eval, ("place", "json")
    ),
}
