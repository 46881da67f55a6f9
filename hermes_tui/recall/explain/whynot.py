"""Why the agent does not see a session or a message: every rule in order, and one sentence."""

from __future__ import annotations

import time
from dataclasses import dataclass

from hermes_tui.history.reader import History
from hermes_tui.history.statements import Stop
from hermes_tui.recall.discovery import Ask, Discovery, discover
from hermes_tui.recall.explain.places import Surroundings, UnitPlace, surroundings, unit_places
from hermes_tui.recall.explain.standing import Standing, rank_ruling, rule_steps, standing_of
from hermes_tui.recall.explain.targets import Target
from hermes_tui.recall.explain.units import Asked
from hermes_tui.recall.explain.verdict import Ruling, Step, Verdict
from hermes_tui.recall.explain.why import first_asked
from hermes_tui.recall.explain.words import unreadable_ruling, word_ruling, word_steps
from hermes_tui.recall.policy import HERMES, Policy
from hermes_tui.text.clean import clean_line


@dataclass(frozen=True, slots=True)
class _Case:
    """Everything a verdict is made from."""

    history: History
    reading: Discovery
    asked: Asked | None
    around: Surroundings
    places: tuple[UnitPlace, ...]
    standing: Standing


def why_not(
    history: History,
    query: str,
    target: Target,
    ask: Ask,
    *,
    policy: Policy = HERMES,
    stop: Stop | None = None,
) -> Verdict:
    """The verdict on one session or message. Raises Interrupted when `stop` turns true."""
    started = time.perf_counter()
    reading = discover(history, ask, policy, stop)
    asked = first_asked(history, reading)
    around = surroundings(history, target, stop)
    standing = standing_of(history, reading, around)
    units_matter = asked is not None and (bool(reading.matches.tried))
    places = tuple(unit_places(history, asked, around, stop)) if asked and units_matter else ()
    case = _Case(history, reading, asked, around, places, standing)
    ruling = _ruling(case)
    return Verdict(
        query=query,
        asked=ask.query,
        sanitised=reading.matches.sanitised,
        session_id=target.session.id,
        root=history.families().root(target.session.id),
        message_id=target.message_id,
        cause=ruling.cause,
        detail=ruling.detail,
        steps=_steps(case, ruling),
        units=places,
        advice=ruling.advice,
        try_query=ruling.try_query,
        try_arguments=ruling.try_arguments,
        rank=ruling.rank,
        best_row=ruling.best_row,
        elapsed_ms=(time.perf_counter() - started) * 1_000,
    )


def _ruling(case: _Case) -> Ruling:
    """The rule that decides: the last one that the furthest row of the target reached."""
    ranked = rank_ruling(case.history, case.reading, case.around, case.standing)
    if ranked is not None:
        return ranked
    if case.reading.matches.unreadable or not case.reading.matches.sanitised:
        return unreadable_ruling(case.reading, case.asked, case.places)
    assert case.asked is not None
    return word_ruling(case.asked, case.places, case.around, case.reading.ask.roles)


def _steps(case: _Case, ruling: Ruling) -> tuple[Step, ...]:
    matches = case.reading.matches
    steps = [_query_step(case.reading)]
    if matches.sanitised:
        run = [tried.plan.route for tried in matches.tried if not tried.error]
        routes = ", then ".join(run) or "none"
        steps.append(Step("route", "note", f"Asked: {routes}."))
    steps += word_steps(case.places, case.around)
    steps += rule_steps(case.history, case.reading, case.around, case.standing)
    if ruling.cause == "seen":
        steps.append(Step("seen", "pass", f"The agent sees it{_at(ruling)}."))
    return tuple(steps)


def _at(ruling: Ruling) -> str:
    return f" at place {ruling.rank}" if ruling.rank is not None else ""


def _query_step(reading: Discovery) -> Step:
    matches = reading.matches
    if not matches.sanitised:
        return Step("query", "stop", "Nothing is left of the query after the agent's clean-up.")
    if matches.unreadable:
        what = clean_line(matches.unreadable, 120)
        return Step("query", "stop", f"The agent's index cannot read it: {what}.")
    if matches.sanitised != reading.ask.query.strip():
        return Step("query", "note", f"Cleaned up to '{clean_line(matches.sanitised, 120)}'.")
    return Step("query", "pass", "It can be read as it is.")
