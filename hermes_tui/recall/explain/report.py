"""A Markdown bundle for a Hermes bug report: numbers and rules, and no word of a conversation.

The query is in it, because without it there is nothing to reproduce. Ids, titles and excerpts come
in only when content is asked for, the history's path only when paths are.
"""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence

from hermes_tui import __version__
from hermes_tui.history.layout import Index, Markers
from hermes_tui.history.reader import History
from hermes_tui.recall.asking import arguments_of
from hermes_tui.recall.explain.funnel import funnel_sentence
from hermes_tui.recall.explain.showing import count_text
from hermes_tui.recall.explain.verdict import CAUSE_TEXT, Verdict
from hermes_tui.recall.explain.why import Explanation
from hermes_tui.text.clean import clean_line

_CELL = 200


def report(
    history: History,
    explanation: Explanation,
    verdict: Verdict | None = None,
    *,
    content: bool = False,
    paths: bool = False,
) -> str:
    """The bundle as Markdown, clean. content: ids and titles too; paths: where the history lies."""
    lines = ["# session_search report", ""]
    lines += _about(history, paths=paths)
    lines += _query(explanation)
    lines += _routes(explanation)
    lines += _funnel(explanation)
    lines += _words(explanation)
    lines += _answer(history, explanation, content=content)
    if verdict is not None:
        lines += _verdict(verdict, content=content)
    lines += _layout(history)
    return "\n".join(lines).rstrip() + "\n"


def _about(history: History, *, paths: bool) -> Iterator[str]:
    sqlite = history.rows("select sqlite_version()")[0][0]
    yield f"- hermes-tui {__version__}, SQLite {sqlite}, {platform.system()}"
    yield f"- tokenizer for CJK: {history.tokenizer or 'none'}"
    if paths:
        yield f"- history: {_code(history.path)}"
    yield ""


def _query(explanation: Explanation) -> Iterator[str]:
    yield "## Query"
    yield ""
    yield f"- as asked: {_code(explanation.asked)}"
    left = _code(explanation.sanitised) if explanation.sanitised else "nothing is left"
    yield f"- cleaned up: {left}"
    arguments = {k: v for k, v in arguments_of(explanation.ask).items() if k != "query"}
    if "current_session_id" in arguments:
        arguments["current_session_id"] = "given"
    yield f"- arguments: {_code(', '.join(f'{k}={v}' for k, v in arguments.items()))}"
    yield f"- rules: {explanation.policy}; route: {explanation.route}"
    for check in explanation.checks:
        # The text of this one names a session.
        text = "" if check.code == "current" else f" {check.text}"
        yield f"- {check.question} {check.answer}.{text}"
    yield ""


def _routes(explanation: Explanation) -> Iterator[str]:
    if not explanation.routes:
        return
    rows = [
        (
            note.route,
            note.state,
            f"{note.matched:,}",
            f"{note.left:,}",
            note.reason + (f" Asked: {_code(note.asked)}" if note.asked else ""),
        )
        for note in explanation.routes
    ]
    yield from _table("Routes", ("route", "state", "matched", "left", "why"), rows)


def _funnel(explanation: Explanation) -> Iterator[str]:
    rows = [
        (line.rule, f"{line.removed:,}", f"{line.left:,}", line.unit + "s", f"{line.moved:,}")
        for line in explanation.funnel
    ]
    heads = ("rule", "removed", "left", "of", "moved")
    yield from _table("Funnel", heads, rows, funnel_sentence(explanation.funnel))


def _words(explanation: Explanation) -> Iterator[str]:
    rows = [
        (
            ("NOT " if unit.negative else "") + _code(unit.text),
            "cannot be read" if unit.alone is None else count_text(unit.alone),
            "" if unit.without is None else count_text(unit.without),
        )
        for unit in explanation.units
    ]
    for name, variant in (("any of them", explanation.either), ("a phrase", explanation.phrase)):
        if variant is not None and variant.count is not None:
            rows.append((f"{name}: {_code(variant.query)}", count_text(variant.count), ""))
    if rows:
        yield from _table("Words", ("word", "alone", "without it"), rows)


def _answer(history: History, explanation: Explanation, *, content: bool) -> Iterator[str]:
    sessions = history.families().sessions
    rows = []
    for given in explanation.given:
        row: tuple[str, ...] = (str(given.rank), given.source, given.role, f"{given.hits:,}")
        if content:
            session = sessions.get(given.session_id)
            title = (session.title if session else None) or ""
            row = (*row, _code(given.session_id), clean_line(title, 80))
        rows.append(row)
    heads = ("rank", "source", "role", "hits", *(("session", "title") if content else ()))
    took = f"Searched in {explanation.search_ms:.0f} ms."
    yield from _table("Answer", heads, rows, took if rows else f"Nothing. {took}")


def _verdict(verdict: Verdict, *, content: bool) -> Iterator[str]:
    what = "message" if verdict.message_id is not None else "session"
    yield f"## A {what} that is {'seen' if verdict.cause == 'seen' else 'missing'}"
    yield ""
    yield f"- cause: `{verdict.cause}` ({CAUSE_TEXT[verdict.cause]})"
    if content:
        yield f"- session: {_code(verdict.session_id)}"
        yield f"- detail: {clean_line(verdict.detail, _CELL)}"
        for step in verdict.steps:
            yield f"- {step.rule}: {step.answer}. {clean_line(step.text, _CELL)}"
    else:
        for step in verdict.steps:
            yield f"- {step.rule}: {step.answer}"
        for unit in verdict.units:
            yield (
                f"- {_code(unit.unit.text)}: {unit.state}, {unit.here:,} here, {unit.session:,} "
                f"elsewhere in the session, {unit.lineage:,} in the lineage"
            )
    yield ""


def _layout(history: History) -> Iterator[str]:
    layout, markers = history.layout, history.markers()
    rows = [_index_row(index) for index in (layout.base, layout.trigram, layout.cjk)]
    messages, sessions = history.rows(
        "select (select count(*) from messages), (select count(*) from sessions)"
    )[0]
    storage = clean_line(markers.storage_version or "-", 20)
    note = (
        f"Schema {layout.schema_version}, storage {storage}, "
        f"{messages:,} messages in {sessions:,} sessions. {_markers(markers)}"
    )
    yield from _table("Layout", ("index", "form", "columns", "readable", "tool rows"), rows, note)


def _index_row(index: Index) -> tuple[str, ...]:
    readable = "yes" if index.servable else clean_line(index.problem or "no", 80)
    columns = ", ".join(index.columns)
    return (index.name, index.form, columns, readable, "yes" if index.tool_rows else "no")


def _markers(markers: Markers) -> str:
    found = []
    for name, rebuild in (("rebuild", markers.rebuild), ("CJK rebuild", markers.cjk_rebuild)):
        if rebuild is not None:
            found.append(f"{name} {rebuild.progress:,} of {rebuild.high_water:,}")
    flags = {
        "index stale": markers.fts_stale,
        "CJK index stale": markers.cjk_stale,
        "optimize available": markers.optimize_available,
    }
    found += [name for name, is_set in flags.items() if is_set]
    return f"Markers: {', '.join(found) or 'none'}."


def _table(
    title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], note: str = ""
) -> Iterator[str]:
    yield f"## {title}"
    yield ""
    if note:
        yield note
        yield ""
    if rows:
        yield f"| {' | '.join(heads)} |"
        yield f"|{'---|' * len(heads)}"
        for row in rows:
            cells = [clean_line(cell).replace("|", "\\|") for cell in row]
            yield f"| {' | '.join(cells)} |"
        yield ""


def _code(text: str) -> str:
    """Text as a code span, whatever backquotes are in it."""
    line = clean_line(text, _CELL)
    fence = "`"
    while fence in line:
        fence += "`"
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}"
