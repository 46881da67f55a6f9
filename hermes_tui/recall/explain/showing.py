"""An explanation and a verdict as lines for a terminal, each with its kind. Clean text only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from hermes_tui.recall.explain.counting import Count, UnitCount
from hermes_tui.recall.explain.funnel import FunnelLine, funnel_sentence
from hermes_tui.recall.explain.routing import RouteNote
from hermes_tui.recall.explain.verdict import CAUSE_TEXT, Verdict
from hermes_tui.recall.explain.why import Explanation, Variant
from hermes_tui.text.clean import clean_line

Kind = Literal["", "head", "dim", "good", "bad", "key"]
QUERY_CHARS = 200


class Line(NamedTuple):
    """A clean line; kind says what it is: a heading, a side remark, good or bad news."""

    text: str
    kind: Kind = ""


def explanation_lines(explanation: Explanation) -> Iterator[Line]:
    """An explanation from top to bottom."""
    yield from _head_lines(explanation)
    yield from _check_lines(explanation)
    yield from _route_lines(explanation.routes)
    yield from _funnel_lines(explanation.funnel)
    yield from _unit_lines(explanation)
    yield from _given_lines(explanation)


def _head_lines(explanation: Explanation) -> Iterator[Line]:
    yield Line(f"query      {clean_line(explanation.query, QUERY_CHARS)}", "key")
    if explanation.asked != explanation.query:
        asked = clean_line(explanation.asked, QUERY_CHARS)
        yield Line(f"asked      {asked}  (the agent knows no filters)")
    cleaned = clean_line(explanation.sanitised, QUERY_CHARS)
    same = explanation.sanitised == explanation.asked.strip()
    yield Line(f"cleaned    {'as it is' if same else cleaned or 'nothing is left'}")
    yield Line(f"route      {explanation.route}, by the rules of {explanation.policy}")
    searched, all_ = explanation.search_ms, explanation.elapsed_ms
    yield Line(f"time       {searched:.0f} ms to search, {all_:.0f} ms to explain", "dim")
    for notice in explanation.notices:
        yield Line(f"!          {clean_line(notice.text)}", "bad")


_MARKS = {"yes": ("✗", "bad"), "no": ("✓", "good"), "unknown": ("?", "dim")}


def _check_lines(explanation: Explanation) -> Iterator[Line]:
    yield Line("")
    yield Line("Three questions first", "head")
    for check in explanation.checks:
        mark, kind = _MARKS[check.answer]
        yield Line(f"  {mark} {check.question} {check.text}", kind)  # type: ignore[arg-type]


def _route_lines(routes: tuple[RouteNote, ...]) -> Iterator[Line]:
    if not routes:
        return
    yield Line("")
    yield Line("Routes", "head")
    for note in routes:
        mark = {"answered": "✓", "tried": "·", "failed": "✗", "skipped": " "}[note.state]
        kind: Kind = {"answered": "good", "failed": "bad"}.get(note.state, "dim")  # type: ignore[assignment]
        what = (
            f"{note.matched:,} matched, {note.left:,} left"
            if note.state in ("answered", "tried")
            else note.state
        )
        yield Line(f"  {mark} {note.route:<9}  {what}. {note.reason}", kind)
        if note.asked:
            yield Line(f"      asked: {clean_line(note.asked, QUERY_CHARS)}", "dim")


def _funnel_lines(funnel: tuple[FunnelLine, ...]) -> Iterator[Line]:
    if not funnel:
        return
    yield Line("")
    yield Line("Funnel", "head")
    yield Line(f"  {funnel_sentence(funnel)}")
    yield Line(f"  {'removed':>9}  {'left':>9}", "dim")
    for line in funnel:
        removed = f"{line.removed:,}" if line.removed > 0 else ""
        removed = f"+{-line.removed:,}" if line.removed < 0 else removed
        moved = f" ({line.moved:,})" if line.moved else ""
        unit = " (lineages)" if line.unit == "lineage" else ""
        idle = not line.removed and not line.moved and line.rule != "matched"
        text = f"  {removed:>9}  {line.left:>9,}  {line.text}{moved}{unit}"
        yield Line(text, "dim" if idle else "")


def _unit_lines(explanation: Explanation) -> Iterator[Line]:
    if not explanation.units:
        return
    yield Line("")
    yield Line("Each word alone, and the query without it", "head")
    for unit in explanation.units:
        killer = unit.text == explanation.killer
        yield Line(_unit_text(unit, killer), "bad" if killer else "")
    for name, variant in (("either", explanation.either), ("phrase", explanation.phrase)):
        if variant is not None:
            yield Line(f"  {_variant_text(name, variant)}", "key")


def _unit_text(unit: UnitCount, killer: bool) -> str:
    name = clean_line(unit.text, 60)
    if unit.idle:
        return f"  {name}: nothing that the index holds"
    alone = "cannot be read" if unit.alone is None else count_text(unit.alone)
    rest = f"; without it {count_text(unit.without)}" if unit.without is not None else ""
    sign = "NOT " if unit.negative else ""
    return f"  {sign}{name}: {alone}{rest}{'  ← this one kills it' if killer else ''}"


def _variant_text(name: str, variant: Variant) -> str:
    found = "cannot be read" if variant.count is None else count_text(variant.count)
    return f"{name}: {clean_line(variant.query, QUERY_CHARS)}  {found}"


def count_text(count: Count) -> str:
    """`62 rows in 18 lineages`."""
    rows = f"{count.rows:,} row" + ("" if count.rows == 1 else "s")
    lineages = f"{count.lineages:,} lineage" + ("" if count.lineages == 1 else "s")
    return f"{rows} in {'at least ' if count.at_least else ''}{lineages}"


def _given_lines(explanation: Explanation) -> Iterator[Line]:
    yield Line("")
    yield Line("The agent is given", "head")
    if not explanation.given:
        yield Line("  nothing", "bad")
    for given in explanation.given:
        hit = "title" if given.role == "session_title" else f"message {given.message_id}"
        hits = f"{given.hits:,} hit" + ("" if given.hits == 1 else "s")
        session, role = clean_line(given.session_id, 60), clean_line(given.role, 20)
        source = clean_line(given.source, 20)
        yield Line(f"  {given.rank}. {session}  {hit} ({role})  {source}  {hits}")


_ANSWERS: dict[str, tuple[str, Kind]] = {
    "pass": ("✓", "good"),
    "stop": ("✗", "bad"),
    "note": ("·", "dim"),
}


def verdict_lines(verdict: Verdict) -> Iterator[Line]:
    """A verdict: what it is about, every rule, and the sentence at the end."""
    what = f"message {verdict.message_id} of " if verdict.message_id is not None else ""
    head = "seen" if verdict.cause == "seen" else "missing"
    yield Line(f"{head:<10} {what}session {clean_line(verdict.session_id, 80)}", "key")
    if verdict.root != verdict.session_id:
        yield Line(f"lineage    {clean_line(verdict.root, 80)}")
    yield Line(f"query      {clean_line(verdict.query, QUERY_CHARS)}")
    detail = f" ({clean_line(verdict.detail, 160)})" if verdict.detail else ""
    kind: Kind = "good" if verdict.cause == "seen" else "bad"
    yield Line(f"verdict    {CAUSE_TEXT[verdict.cause]}{detail}", kind)
    yield Line("")
    for step in verdict.steps:
        mark, kind = _ANSWERS[step.answer]
        yield Line(f"  {mark} {step.rule:<10} {step.text}", kind)
    yield Line("")
    yield Line(verdict.advice, "head")
