"""Every route that a query could have taken, and why it did or did not (facts 12 to 25, 86)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hermes_tui.history.layout import Index, Layout, Markers
from hermes_tui.recall.discovery import Discovery
from hermes_tui.recall.matching import Tried
from hermes_tui.recall.outcome import Route
from hermes_tui.recall.routes import LEAST_TRIGRAM, trigram_eligible, words_of
from hermes_tui.text.cjk import count_cjk, has_cjk, has_lone_cjk
from hermes_tui.text.clean import clean_line

State = Literal["answered", "tried", "failed", "skipped"]
ROUTES: tuple[Route, ...] = ("fts5", "fts_cjk", "trigram", "like_scan")


@dataclass(frozen=True, slots=True)
class RouteNote:
    """One route. asked: its MATCH text, or the tokens of a scan; '' when it was not run.

    matched, left: rows it found, and rows the rules left of them. reason: a clean sentence.
    """

    route: Route
    state: State
    reason: str
    asked: str = ""
    matched: int = 0
    left: int = 0


def route_notes(reading: Discovery, layout: Layout, markers: Markers) -> tuple[RouteNote, ...]:
    """Every route in the order the agent considers them."""
    if not reading.matches.sanitised:
        return ()
    notes: list[RouteNote] = []
    for route in ROUTES:
        runs = [run for run in reading.matches.tried if run.plan.route == route]
        notes += [_note_of_run(reading, run) for run in runs]
        if not runs:
            reason = _why_skipped(reading, route, layout, markers)
            notes.append(RouteNote(route, "skipped", reason))
    return tuple(notes)


def _note_of_run(reading: Discovery, run: Tried) -> RouteNote:
    plan, matches = run.plan, reading.matches
    asked = clean_line(plan.match or " ".join(plan.tokens))
    if run.error:
        reason = f"SQLite cannot read it: {clean_line(run.error, 120)}."
        return RouteNote(plan.route, "failed", reason, asked)
    answered = run is matches.tried[-1] and (bool(run.left) or len(matches.tried) == 1)
    state: State = "answered" if answered else "tried"
    return RouteNote(plan.route, state, _why_run(reading, run), asked, len(run.all), run.left)


def _why_run(reading: Discovery, run: Tried) -> str:
    first = run is reading.matches.tried[0]
    route, sanitised = run.plan.route, reading.matches.sanitised
    if reading.ask.route is not None:
        return "It was asked for by name."
    if route == "fts5":
        if first:
            return "The query holds no Chinese, Japanese or Korean character."
        return "Nothing was found so far: its words are tried one by one."
    if not has_cjk(sanitised):
        return "The word index left nothing, so pieces of words are tried."
    if route == "fts_cjk":
        return "The query holds CJK, and the index of character pairs is ready."
    if route == "trigram":
        return f"Every word with CJK in it has {LEAST_TRIGRAM} or more such characters."
    return "No index can answer it, so every message is read; any of the words is enough."


def _why_skipped(reading: Discovery, route: Route, layout: Layout, markers: Markers) -> str:
    cjk = has_cjk(reading.matches.sanitised)
    if reading.ask.route is not None:
        return "Another route was asked for by name."
    if route == "fts5":
        if cjk:
            return "The query holds CJK, whose words have no blanks between them."
        return f"It cannot answer: {_problem(layout.base)}."
    if route == "like_scan":
        if not cjk:
            return "Only queries with CJK are looked for in every message."
        return "An index answers."
    if "tool" in reading.ask.roles and (not cjk or reading.policy.tool_role_scans):
        return "The role filter names tool, and this index holds no tool output."
    if route == "fts_cjk":
        return _why_not_cjk(reading, layout, markers)
    return _why_not_trigram(reading, layout)


def _why_not_cjk(reading: Discovery, layout: Layout, markers: Markers) -> str:
    sanitised = reading.matches.sanitised
    if not reading.policy.cjk_index:
        return "This version of Hermes has no such index."
    if not reading.ask.cjk_enabled:
        return "HERMES_CJK_FTS switches it off."
    if not layout.cjk.servable:
        return f"It cannot answer: {_problem(layout.cjk)}."
    if markers.cjk_stale:
        return "Hermes marked it as stale."
    if markers.cjk_rebuild is not None:
        return f"It is being rebuilt ({markers.cjk_rebuild.percent} % done)."
    if has_lone_cjk(sanitised):
        return "A single character between other signs is not in an index of character pairs."
    return _why_no_fallback(reading)


def _why_not_trigram(reading: Discovery, layout: Layout) -> str:
    sanitised = reading.matches.sanitised
    if not layout.trigram.servable:
        return f"It cannot answer: {_problem(layout.trigram)}."
    if not has_cjk(sanitised):
        short = [word for word in words_of(sanitised) if len(word) < LEAST_TRIGRAM]
        if _falls_back(reading) and short:
            return f"'{clean_line(short[0], 40)}' is shorter than {LEAST_TRIGRAM} characters."
        return _why_no_fallback(reading)
    if trigram_eligible(sanitised):
        return "The index of character pairs answers."
    short = [word for word in words_of(sanitised) if 0 < count_cjk(word) < LEAST_TRIGRAM]
    word = clean_line(short[0] if short else sanitised, 40)
    return f"'{word}' has fewer than {LEAST_TRIGRAM} CJK characters: too short for this index."


def _falls_back(reading: Discovery) -> bool:
    return (
        reading.policy.substring_fallback
        and not reading.matches.unreadable
        and not any(run.left for run in reading.matches.tried)
    )


def _why_no_fallback(reading: Discovery) -> str:
    if not reading.policy.substring_fallback:
        return "This version of Hermes does not look for pieces of words."
    if reading.matches.unreadable:
        return "A query that cannot be read ends the search."
    return "Pieces of words are looked for only when nothing else is found."


def _problem(index: Index) -> str:
    if not index.present:
        return "this history has no such index"
    return clean_line(index.problem, 120) or "it is not readable"
