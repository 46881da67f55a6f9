"""The three questions that come before every other, each with its answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from hermes_tui.history.layout import Layout, Markers
from hermes_tui.history.reader import History
from hermes_tui.recall.discovery import Discovery
from hermes_tui.recall.explain.counting import UnitCount
from hermes_tui.recall.routes import LEAST_TRIGRAM, words_of
from hermes_tui.text.cjk import count_cjk, has_cjk
from hermes_tui.text.clean import clean_line

Answer = Literal["yes", "no", "unknown"]


@dataclass(frozen=True, slots=True)
class Check:
    """A question and its answer. yes: this is a reason why something is missing. text: clean."""

    code: str
    question: str
    answer: Answer
    text: str


def checklist(
    history: History,
    reading: Discovery,
    units: Sequence[UnitCount],
    killer: str,
    layout: Layout,
    markers: Markers,
) -> tuple[Check, ...]:
    """The questions in the order people are told to ask them."""
    return (
        _current(history, reading),
        _killed(reading, units, killer),
        _indexed(reading, layout, markers),
    )


def _current(history: History, reading: Discovery) -> Check:
    code, question = "current", "Is it in the current conversation?"
    current = reading.ask.current_session
    if not current:
        return Check(
            code,
            question,
            "unknown",
            "No current session is named; --current-session ID, or @ in the application, shows "
            "what the agent in it sees.",
        )
    root = history.families().root(current)
    if not reading.own:
        return Check(code, question, "no", "No row of the current conversation was left out.")
    sessions = {row.session_id for row in reading.own}
    text = (
        f"{_count(len(reading.own), 'row')} in {_count(len(sessions), 'session')} of the current "
        f"conversation ({clean_line(root, 60)}) left out: the agent still has them before it."
    )
    return Check(code, question, "yes", text)


def _killed(reading: Discovery, units: Sequence[UnitCount], killer: str) -> Check:
    reasons = list(_killers(reading, units, killer))
    question = "Is it killed by AND, or too short for the index?"
    if reasons:
        return Check("killed", question, "yes", " ".join(reasons))
    if not reading.matches.sanitised:
        return Check("killed", question, "unknown", "There is no query to ask an index for.")
    return Check("killed", question, "no", "The index finds the words of the query together.")


def _killers(reading: Discovery, units: Sequence[UnitCount], killer: str) -> Iterator[str]:
    matches = reading.matches
    if matches.unreadable:
        bad = [clean_line(unit.text, 40) for unit in units if unit.alone is None]
        named = f"'{bad[0]}' cannot be read" if bad else clean_line(matches.unreadable, 120)
        yield f"The index cannot read the query ({named}), so nothing is found."
        return
    if killer:
        rows = next(u.without.rows for u in units if u.text == killer and u.without)
        yield (
            "No message holds all of the words: without "
            f"'{clean_line(killer, 40)}' it would find {_count(rows, 'row')}."
        )
    elif units and not any(unit.alone and unit.alone.rows for unit in units if not unit.negative):
        words = "the word" if len(units) == 1 else "any of the words"
        yield f"No message holds {words}."
    elif len(units) > 1 and matches.tried and not matches.tried[0].all:
        yield "No message holds the words together, and no single one is to blame."
    yield from _too_short(reading)


def _too_short(reading: Discovery) -> Iterator[str]:
    matches = reading.matches
    words = words_of(matches.sanitised)
    if matches.route == "like_scan":
        short = [w for w in words if 0 < count_cjk(w) < LEAST_TRIGRAM]
        if short:
            yield (
                f"'{clean_line(short[0], 40)}' is too short for an index: every message is read, "
                "and any of the words is enough."
            )
    elif not matches.rows and not has_cjk(matches.sanitised):
        short = [w for w in words if len(w) < LEAST_TRIGRAM]
        if short and reading.policy.substring_fallback:
            yield f"'{clean_line(short[0], 40)}' is too short to be found inside longer words."


def _indexed(reading: Discovery, layout: Layout, markers: Markers) -> Check:
    question = "Is the index still being rebuilt?"
    if markers.rebuild is not None:
        text = (
            f"{markers.rebuild.percent} % is done, {markers.rebuild.progress:,} of "
            f"{markers.rebuild.high_water:,} messages."
        )
        text += (
            " The rest is read one by one when there is room for more rows."
            if reading.policy.rebuild_gap
            else " The rest is not found."
        )
        return Check("rebuild", question, "yes", text)
    if markers.fts_stale:
        return Check("rebuild", question, "yes", "It is marked as stale after damage.")
    if markers.cjk_rebuild is not None:
        percent = markers.cjk_rebuild.percent
        text = f"Only the one for two-character words: {percent} % is done, it is not used yet."
        return Check("rebuild", question, "yes", text)
    if markers.cjk_stale:
        text = "Only the one for two-character words is stale; it is not used."
        return Check("rebuild", question, "yes", text)
    if not layout.base.servable:
        return Check("rebuild", question, "yes", "There is no search index that can be read.")
    return Check("rebuild", question, "no", "No rebuild is under way.")


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")
