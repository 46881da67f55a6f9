"""The sentences of the main screen, made from an outcome. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hermes_tui.recall.outcome import Notice, Outcome
from hermes_tui.tui.drawing import cut, one_line
from hermes_tui.tui.service import Question
from hermes_tui.tui.walking import Stop

NOTICES_SHOWN = 3
QUERY_CELLS = 120
"""Cells of a query that are repeated where nothing was found: the reason must not be pushed out."""
_FIRST = frozenset({"did_you_mean", "bad_date"})  # what was typed may not be what was meant

_PLACE = re.compile(r"#?([0-9][0-9,]{0,11}(?:\.[0-9]{1,3})?) ?(%?)", re.ASCII)


def count(number: int, noun: str) -> str:
    """`1 hit`, `1,204 hits`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def status_text(question: Question, outcome: Outcome) -> str:
    """Route, hits, what the agent sees, time."""
    rows = outcome.lineages
    took = f"{outcome.elapsed_ms:,.0f} ms"
    if question.blank:
        return f"recent sessions · {count(len(rows), 'lineage')} · {took}"
    if outcome.filters_only:
        does = "passes" if len(rows) == 1 else "pass"
        query = one_line(outcome.query.strip())
        return (
            f"{count(len(rows), 'lineage')} {does} {query} · session_search needs a word · {took}"
        )
    hits = sum(row.matched for row in rows)
    found = f"{count(hits, 'hit')} in {count(len(rows), 'lineage')}"
    parts = [outcome.route, found, f"the agent sees {outcome.agent_sees}", took]
    if not outcome.complete:
        parts.append("still scanning")
    return " · ".join(parts)


def state_text(question: Question, roles: str, *, short: bool = False) -> str:
    """The order, the roles and what else is asked for, at the right end of the query line."""
    sort, where = (question.sort, roles) if short else (f"sort {question.sort}", f"roles {roles}")
    current = question.current_session
    asker = [f"as {one_line(current)[-6:] if short else one_line(current)}"] if current else []
    return " · ".join([sort, where, *(["rewound"] if question.rewound else []), *asker])


def notices_text(error: str, notices: Sequence[Notice]) -> str:
    """An error first, then the notices, a line each; '' when there is nothing to say."""
    lines = [f"! {one_line(error)}"] if error else []
    urgent = sorted(notices, key=lambda notice: notice.code not in _FIRST)
    lines += [f"! {one_line(notice.text)}" for notice in urgent]
    if len(lines) > NOTICES_SHOWN:
        more = len(lines) - NOTICES_SHOWN + 1
        lines = [*lines[: NOTICES_SHOWN - 1], f"! and {more} more notices"]
    return "\n".join(lines)


def empty_text(question: Question, outcome: Outcome) -> str:
    """What stands in the results pane instead of entries: what was looked for, and why not."""
    if question.blank:
        return "\n\n".join(one_line(notice.text) for notice in outcome.notices)
    if not outcome.complete:
        return "Nothing so far; rows that no index holds are still being scanned."
    does = "passes" if outcome.filters_only else "matches"
    lines = [f"Nothing {does} {cut(one_line(question.text), QUERY_CELLS)}."]
    for notice in outcome.notices:
        how = " u shows them." if notice.code == "rewound_hidden" else ""
        lines.append(one_line(notice.text) + how)
    if not outcome.notices:
        lines.append(f"Asked: the {outcome.route} route, by the rules of {outcome.policy}.")
    return "\n\n".join(lines)


def position_text(position: int, total: int, hit: int, hits: int, *, on_hit: bool = True) -> str:
    """`hit 2/5 · 214/1,024`; `past hit 2/5` between two hits, `5 hits` before the first."""
    where = f"{position:,}/{total:,}" if total else ""
    which = f"{'' if on_hit else 'past '}hit {hit:,}/{hits:,}" if hit else count(hits, "hit")
    which = which if hits else ""
    return " · ".join(part for part in (which, where) if part)


def border_text(stop: Stop | None, direction: int) -> str:
    """`goes on in #3 · 59 messages`, where reading on (1) or back (-1) leads; '' for nowhere."""
    if stop is None:
        return ""
    way = "in" if direction > 0 else "from"
    return f"goes on {way} {stop.label} · {count(stop.messages, 'message')}"


def find_text(text: str, index: int, found: int, complete: bool) -> str:
    """`3/12`, `no match`; with `…` while it is still being looked for."""
    if not text:
        return ""
    if not found:
        return "no match" if complete else "…"
    return f"{index:,}/{found:,}{'' if complete else ' …'}"


@dataclass(frozen=True, slots=True)
class Named:
    """A place in a session: the number of a message, or a percent."""

    number: float
    percent: bool = False


def place_named(text: str) -> Named | None:
    """`120`, `1,024`, `40%`; None when it is neither."""
    found = _PLACE.fullmatch(text.strip())
    if found is None:
        return None
    return Named(float(found[1].replace(",", "")), found[2] == "%")
