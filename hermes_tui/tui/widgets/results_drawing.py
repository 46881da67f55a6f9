"""What one entry of the results says, as three lines of pieces. Pure, without Textual."""

from __future__ import annotations

import re

from hermes_tui.recall.judge import GRADES
from hermes_tui.recall.outcome import UNSEEN_TEXT, LineageHit, UnseenReason
from hermes_tui.tui.ages import age
from hermes_tui.tui.drawing import Line, Piece, cut, fit, justified, marked, one_line, reveal, width

_NUMBER = re.compile(r" #\d+$")

_SOURCE = 12
"""Cells that a source may take: the names of real ones are shorter."""

ENTRY_LINES = 3
"""Rows of one entry."""

TITLE = "title"
DIM = "dim"
MARK = "mark"
SEEN = "seen"
CURSOR = "bar"
CUT = "cut"

_BETWEEN = Piece(" · ", DIM)


SHORT: dict[UnseenReason, str] = UNSEEN_TEXT | {
    "beyond_scan": "beyond the agent's scan",
    "hidden_source": "a source the agent skips",
    "role_filter": "a role the agent skips",
    "current_lineage": "the agent's conversation",
    "lost_in_lineage": "another hit stands for it",
    "query_unreadable": "unreadable to the agent",
    "not_matched": "the agent's route misses it",
    "index_incomplete": "not in the agent's index",
}
"""The reasons where there is little room; `w` says more."""


LABELS = {
    "title": "by its title",
    "id": "by its id",
    "loose": "without the signs",
    "substring": "inside a word",
    "relaxed": "some words",
    "agent_only": "not what was asked",
}
"""How an entry was found that does not just hold the words; names are those of the JSON."""


def title_of(hit: LineageHit) -> str:
    """The matched session's own title, else its root's, else a name made of its id."""
    for title in (hit.title, hit.root_title):
        if title and (line := one_line(title)):
            return line
    return f"untitled {one_line(hit.session_id)}"


def root_of(hit: LineageHit) -> str:
    """The title of the whole lineage, when it says more than the session's own.

    Continuations are named `title #2`, `title #3`: there the root's title says nothing new.
    """
    if not hit.title or not hit.root_title:
        return ""
    root, own = one_line(hit.root_title), one_line(hit.title)
    return "" if _NUMBER.sub("", root) == _NUMBER.sub("", own) else root


def standing_of(hit: LineageHit, *, short: bool = False) -> Piece | None:
    """The agent's rank, or why the agent does not see the entry; None when neither is known."""
    if hit.agent_rank is not None:
        return Piece(f"agent #{hit.agent_rank}", SEEN)
    if hit.unseen is None:
        return None
    text = (SHORT if short else UNSEEN_TEXT)[hit.unseen.reason]
    detail = "" if short else one_line(hit.unseen.detail)
    return Piece(f"{text} ({detail})" if detail else text, DIM)


def judged_as(grade: int | None) -> Piece:
    """The grade of an entry whose query has judgements; None for an entry without one."""
    if grade is None:
        return Piece("unjudged", DIM)
    return Piece(f"judged {GRADES[grade]}", SEEN if grade else DIM)


def facts_of(
    hit: LineageHit,
    *,
    short: bool = False,
    judged: Piece | None = None,
    now: float | None = None,
) -> list[Piece]:
    """The third line: counts, grade, standing, how it was found, what it goes on from.

    `short` leaves numbers out; with `now` the age of the lineage's beginning is told.
    """
    if hit.matched:
        parts = [Piece(f"[{hit.matched:,}/{hit.total:,}]", DIM)]
    else:
        messages = "1 message" if hit.total == 1 else f"{hit.total:,} messages"
        parts = [Piece(messages, DIM)]
    if judged is not None:
        parts.append(judged)
    if standing := standing_of(hit, short=short):
        parts.append(standing)
    if hit.demoted:
        source = "" if short else f": {one_line(hit.source)}"
        parts.append(Piece(f"demoted{source}", DIM))
    if hit.label:
        parts.append(Piece(LABELS.get(hit.label) or one_line(hit.label), DIM))
    if root := root_of(hit):
        began = "" if now is None or short else age(hit.root_when, now)
        parts.append(Piece(f"in {root}, {began}" if began else f"in {root}", DIM))
    pieces: list[Piece] = []
    for part in parts:
        pieces += (part, _BETWEEN)
    return pieces[:-1]


def entry_lines(
    hit: LineageHit, cells: int, now: float, selected: bool, judged: Piece | None = None
) -> tuple[Line, ...]:
    """An entry in `cells` cells: title, age and source; snippet; facts."""
    bar = Piece("▌ " if selected else "  ", CURSOR)
    inner = max(0, cells - 2)
    right = " ".join(
        part for part in (age(hit.when, now), cut(one_line(hit.source), _SOURCE)) if part
    )
    style = TITLE if hit.title or hit.root_title else DIM
    first = justified([Piece(title_of(hit), style)], [Piece(right, DIM)], inner)
    second = reveal(marked(hit.snippet, hit.marks, MARK), inner)
    facts = facts_of(hit, judged=judged, now=now)
    if width(facts) > inner:
        facts = facts_of(hit, short=True, judged=judged)
    third = fit(facts, inner)
    if third and third[-1].text == _BETWEEN.text:  # nothing of the next part had room
        third = third[:-1]
    return tuple(fit((bar, *line), cells) for line in (first, second, third))


def cut_line(agent_sees: int, cells: int) -> Line:
    """The line where the agent's answer ends."""
    text = (
        f"── session_search stops here ({agent_sees}) "
        if agent_sees
        else "── session_search gives none of these "
    )
    return fit([Piece(text + "─" * max(0, cells - len(text)), CUT)], cells)
