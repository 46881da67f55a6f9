"""The part of a why-not about rules and ranks: how far the target's matching rows came."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from hermes_tui.history.reader import History
from hermes_tui.recall.discovery import CRON, Discovery, Found
from hermes_tui.recall.explain.places import Surroundings
from hermes_tui.recall.explain.verdict import Answer, Ruling, Step
from hermes_tui.recall.matching import Sort, in_order
from hermes_tui.recall.outcome import UnseenReason
from hermes_tui.recall.routes import Candidate
from hermes_tui.recall.shapes import MAX_LIMIT
from hermes_tui.recall.view import anchored_view, first_live_message
from hermes_tui.text.clean import clean_line


@dataclass(slots=True)
class Standing:
    """The target's rows that the route matched, by the rule that stopped them.

    matched: all of them. ordered: every row that passed the rules, best first, of any session.
    speaker: what stands for the target's lineage in the agent's list; place: where, from 1.
    shown: the target is, or stands in, what the agent is given. beside: only around a hit.
    """

    matched: dict[int, Candidate] = field(default_factory=dict)
    stopped: dict[UnseenReason, list[Candidate]] = field(default_factory=dict)
    ordered: list[Candidate] = field(default_factory=list)
    speaker: Found | None = None
    place: int | None = None
    speaks: bool = False
    beside: bool = False


def standing_of(history: History, reading: Discovery, around: Surroundings) -> Standing:
    """Follow the target's rows through the rules."""
    matches = reading.matches
    standing = Standing(ordered=[*matches.rows, *matches.beyond])
    for run in matches.tried:
        standing.matched |= {c.message_id: c for c in run.all if c.message_id in around.rows}
    standing.matched |= {c.message_id: c for c in matches.rows if c.message_id in around.rows}
    _find_speaker(history, reading, around, standing)
    kept = {
        "beyond_scan": {c.message_id for c in matches.beyond},
        "current_lineage": {c.message_id for c in reading.own},
        "lost_in_lineage": {c.message_id for c in reading.beaten},
        "": {c.message_id for c in reading.rows},
    }
    for candidate in standing.matched.values():
        reason = _reason(reading, candidate, kept)
        if reason is not None:
            standing.stopped.setdefault(reason, []).append(candidate)
    return standing


def _reason(
    reading: Discovery, candidate: Candidate, kept: dict[str, set[int]]
) -> UnseenReason | None:
    """The rule that stopped a row; None for the row that speaks for its lineage."""
    order: tuple[UnseenReason, ...] = ("beyond_scan", "current_lineage", "lost_in_lineage")
    for reason in order:
        if candidate.message_id in kept[reason]:
            return reason
    if candidate.message_id in kept[""]:
        return None
    if candidate.source in reading.policy.hidden_sources:
        return "hidden_source"
    if reading.ask.roles and candidate.role not in reading.ask.roles:
        return "role_filter"
    return "rewound" if candidate.visibility == "rewound" else "not_matched"


def _find_speaker(
    history: History, reading: Discovery, around: Surroundings, standing: Standing
) -> None:
    """Who stands for the lineage, and whether that is the target."""
    root = history.families().root(around.target.session.id)
    for place, found in enumerate(reading.found, start=1):
        if found.root == root:
            standing.speaker, standing.place = found, place
    speaker = standing.speaker
    if speaker is None or speaker.session_id != around.target.session.id:
        return
    wanted = around.target.message_id
    if wanted is None:
        standing.speaks = True
        return
    anchor = (
        speaker.candidate.message_id
        if speaker.candidate
        else first_live_message(history, speaker.session_id)
    )
    if anchor == wanted:
        standing.speaks = True
    elif anchor is not None:
        view = anchored_view(history, speaker.session_id, anchor)
        around_hit = (*view.opening, *view.window, *view.closing) if view else ()
        standing.beside = any(message.id == wanted for message in around_hit)


_FURTHEST: tuple[UnseenReason, ...] = (
    "lost_in_lineage",
    "current_lineage",
    "beyond_scan",
    "rewound",
    "role_filter",
    "hidden_source",
    "not_matched",
)


def rank_ruling(
    history: History, reading: Discovery, around: Surroundings, standing: Standing
) -> Ruling | None:
    """The rule that stopped the target's furthest row; None when no row was matched at all."""
    if standing.speaks or standing.beside:
        return _placed(reading, standing)
    for reason in _FURTHEST:
        rows = standing.stopped.get(reason)
        if rows:
            return _stopped(history, reading, around, standing, reason, rows)
    return None


def _placed(reading: Discovery, standing: Standing) -> Ruling:
    """The target is in the agent's list: within its limit, or behind it."""
    place, limit = standing.place or 0, reading.ask.limit
    candidate = standing.speaker.candidate if standing.speaker else None
    row = candidate.message_id if candidate else None
    if place <= limit:
        how = "around the hit that is given" if standing.beside else f"place {place} of {limit}"
        return Ruling(
            "seen", how, "Nothing has to change: the agent sees it.", rank=place, best_row=row
        )
    demoted = " as a scheduled session, behind all others" if _is_cron(standing) else ""
    detail = f"place {place:,}, limit {limit}{demoted}"
    if place <= MAX_LIMIT:
        advice = f"Ask with a limit of {place}: the agent's answer ends at {limit}."
        return Ruling("beyond_limit", detail, advice, try_arguments={"limit": place}, best_row=row)
    advice = (
        f"Add a word that only it has: it comes at place {place:,}, and the agent is given at most "
        f"{MAX_LIMIT}."
    )
    return Ruling("beyond_limit", detail, advice, best_row=row)


def _is_cron(standing: Standing) -> bool:
    candidate = standing.speaker.candidate if standing.speaker else None
    return candidate is not None and candidate.source == CRON


def _stopped(
    history: History,
    reading: Discovery,
    around: Surroundings,
    standing: Standing,
    reason: UnseenReason,
    rows: list[Candidate],
) -> Ruling:
    best = rows[0]
    session = clean_line(around.target.session.id, 60)
    read = f"have the agent read it with session_id={session}"
    if reason == "lost_in_lineage":
        detail = _beaten_by(standing)
        advice = f"Ask with words that only it has, or {read}: {detail} stands for its lineage."
        return Ruling(reason, detail, advice, best_row=best.message_id)
    if reason == "current_lineage":
        advice = "Ask from another session: the agent of this one still has it before its eyes."
        without: dict[str, object] = {"current_session_id": None}
        return Ruling(reason, _own(reading), advice, None, without, best_row=best.message_id)
    if reason == "beyond_scan":
        return _beyond_scan(reading, standing, rows)
    if reason == "rewound":
        detail = f"{_count(len(rows), 'matching message')} taken back"
        advice = "Nothing in the query helps: its matching messages were taken back (rewound)."
        return Ruling(reason, detail, advice, best_row=best.message_id)
    if reason == "role_filter":
        roles = sorted({row.role for row in rows})
        named = ",".join(dict.fromkeys([*reading.ask.roles, *roles]))
        advice = f"Ask with role_filter={clean_line(named, 60)}: it matches only there."
        arguments: dict[str, object] = {"role_filter": named}
        detail = f"{_count(len(rows), 'row')} of role {clean_line(', '.join(roles), 40)}"
        return Ruling(reason, detail, advice, None, arguments, best_row=best.message_id)
    if reason == "hidden_source":
        advice = f"No query finds its source; {read}."
        return Ruling(reason, clean_line(best.source, 40), advice, best_row=best.message_id)
    advice = f"Another route answered; {read}."
    return Ruling(reason, f"route {reading.matches.route}", advice, best_row=best.message_id)


def _own(reading: Discovery) -> str:
    return f"{_count(len(reading.own), 'row')} of the current conversation left out"


def _beaten_by(standing: Standing) -> str:
    speaker = standing.speaker
    if speaker is None:
        return "another message"
    session = clean_line(speaker.session_id, 60)
    if speaker.candidate is None:
        return f"the title of session {session}"
    return f"message {speaker.candidate.message_id} of session {session}"


def _beyond_scan(reading: Discovery, standing: Standing, rows: list[Candidate]) -> Ruling:
    """Too many rows come before it; another order may bring it within those looked at."""
    scan = reading.policy.scan_rows
    wanted = {row.message_id for row in rows}
    place = _first_place(standing.ordered, wanted)
    detail = f"row {place:,} of {len(standing.ordered):,}, the agent looks at {scan}"
    best = rows[0].message_id
    orders: tuple[Sort, ...] = ("newest", "oldest")
    for sort in orders:
        if reading.matches.route == "like_scan" or sort == reading.ask.sort:
            continue
        if _first_place(in_order(standing.ordered, sort), wanted) <= scan:
            advice = f"Ask with sort={sort}, or add a word that few others have: it is {detail}."
            return Ruling("beyond_scan", detail, advice, None, {"sort": sort}, best_row=best)
    advice = f"Add a word that few others have: it is {detail}."
    return Ruling("beyond_scan", detail, advice, best_row=best)


def _first_place(ordered: list[Candidate], wanted: set[int]) -> int:
    for place, candidate in enumerate(ordered, start=1):
        if candidate.message_id in wanted:
            return place
    return len(ordered) + 1


def rule_steps(
    history: History, reading: Discovery, around: Surroundings, standing: Standing
) -> Iterator[Step]:
    """The rules behind the words, each with what it makes of the target's matching rows."""
    total = len(standing.matched)
    if reading.matches.unreadable or not reading.matches.sanitised:
        return
    if not total and not standing.speaks:
        one = around.target.message_id is not None
        text = "It is not matched." if one else f"None of its {len(around.rows):,} messages is."
        yield Step("match", "note" if standing.beside else "stop", text)
        yield from _lineage_note(standing)
        yield from _limit_step(reading, standing)
        return
    yield Step("match", "pass", f"{_count(total, 'message')} of it matched.")
    left = total
    for rule, reason, where in _RULES:
        gone = len(standing.stopped.get(reason, ()))
        left -= gone
        if gone:
            answer: Answer = "note" if left or standing.speaks else "stop"
            yield Step(rule, answer, f"{_count(gone, 'row')} {where(reading)}.")
        elif rule in ("source", "role", "visibility"):
            yield Step(rule, "pass", _PASSED[rule])
        if rule == "visibility" and left:
            yield _place_step(reading, around, standing)
    yield from _lineage_note(standing)
    yield from _limit_step(reading, standing)


def _limit_step(reading: Discovery, standing: Standing) -> Iterator[Step]:
    """Where the target stands in the agent's list; around which hit, when it is not the hit."""
    if standing.place is None or not (standing.speaks or standing.beside):
        return
    if standing.beside:
        yield Step("around", "pass", f"It stands around {_beaten_by(standing)}, which is matched.")
    limit = reading.ask.limit
    answer: Answer = "pass" if standing.place <= limit else "stop"
    yield Step("limit", answer, f"Place {standing.place:,}, limit {limit}.")


_PASSED = {
    "source": "Its source is searched.",
    "role": "Its role is searched.",
    "visibility": "It was not rewound.",
}
_RULES: tuple[tuple[str, UnseenReason, Callable[[Discovery], str]], ...] = (
    ("source", "hidden_source", lambda r: "in a source that is never searched"),
    ("role", "role_filter", lambda r: f"in other roles than {', '.join(r.ask.roles)}"),
    ("visibility", "rewound", lambda r: "rewound"),
    ("scan", "beyond_scan", lambda r: f"beyond the {r.policy.scan_rows} rows looked at"),
    ("current", "current_lineage", lambda r: "in the current conversation"),
    ("lineage", "lost_in_lineage", lambda r: "behind another one of the same lineage"),
)


def _place_step(reading: Discovery, around: Surroundings, standing: Standing) -> Step:
    place = _first_place(standing.ordered, set(standing.matched))
    order = reading.ask.sort or "relevance"
    text = f"Its best row is {place:,} of {len(standing.ordered):,} by {order}"
    if around.target.session.source == CRON:
        text += "; as a scheduled session it is put behind all others"
    return Step("rank", "note", f"{text}.")


def _lineage_note(standing: Standing) -> Iterator[Step]:
    if standing.speaker is not None and not (standing.speaks or standing.beside):
        yield Step(
            "speaker",
            "note",
            f"Its lineage is at place {standing.place} through {_beaten_by(standing)}.",
        )


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")
