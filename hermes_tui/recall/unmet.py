"""Filters that nothing passes, and why: a value that the history does not have, a time it lacks."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from hermes_tui.history.locate import list_profiles
from hermes_tui.history.rows import Session, number_of, text_of
from hermes_tui.recall.filtering import Sieve, holds, names, role_named
from hermes_tui.recall.filters import Filters
from hermes_tui.recall.outcome import Notice
from hermes_tui.recall.vocabulary import ROLES, tools_used
from hermes_tui.text.clean import clean_line

Values = tuple[str, ...]
NAMED = 6
"""Values that there are instead, named in a sentence."""
VALUE_CHARS = 60


@dataclass(frozen=True, slots=True)
class Unmet:
    """What a filter asks for and does not get. whole: no value of it lets anything through."""

    notice: Notice
    whole: bool


def unmet(sieve: Sieve, environ: Mapping[str, str], *, thoroughly: bool) -> list[Unmet]:
    """The filters with values that this history does not have.

    thoroughly: roles and tools are looked up as well, which reads the messages.
    """
    found = [*_of_profiles(sieve, environ), *_of_sessions(sieve)]
    roles = {name: name for name in (*sieve.filters.roles, *sieve.filters.not_roles)}
    roles |= {role: role for role in sieve.roles if role not in map(role_named, roles)}
    if thoroughly or any(role_named(role) not in ROLES for role in roles):
        found += _of_roles(sieve, list(roles))
    if thoroughly:
        found += [*_of_tools(sieve), *_of_times(sieve)]
    return found


def _of_sessions(sieve: Sieve) -> Iterable[Unmet]:
    """Sources, titles, folders and ids that no session has."""
    filters, families = sieve.filters, sieve.families
    sessions = list(families.sessions.values())
    sources = Counter(session.source.lower() for session in sessions)
    known = [source for source, _ in sources.most_common()]
    yield from _said(
        filters.sources,
        filters.not_sources,
        lambda source: source in sources,
        lambda these: f"No session has the source {_either(these)}.{_there_are(known)}",
    )
    wanted_parts: tuple[tuple[str, Values, Values, Callable[[Session, str], bool]], ...] = (
        ("title", filters.titles, filters.not_titles, lambda s, part: holds(s.title, [part])),
        ("folder", filters.cwds, filters.not_cwds, lambda s, part: holds(s.cwd, [part])),
        ("id", filters.sessions, filters.not_sessions, lambda s, i: names(s, [i], families)),
    )
    for what, wanted, unwanted, has in wanted_parts:
        found = {v for v in (*wanted, *unwanted) if any(has(session, v) for session in sessions)}
        yield from _said(wanted, unwanted, found.__contains__, partial(_no_session, what))


def _no_session(what: str, these: Sequence[str]) -> str:
    return f"No session has {_either(these, quoted=True)} in its {what}."


def _of_roles(sieve: Sieve, asked: Sequence[str]) -> Iterable[Unmet]:
    rows = sieve.history.rows("select distinct cast(role as blob) from messages", stop=sieve.stop)
    there = sorted({(text_of(row[0]) or "").lower() for row in rows} - {""})
    unwanted = [role for role in asked if role_named(role) in sieve.not_roles]
    return _said(
        [role for role in asked if role not in unwanted],
        unwanted,
        lambda role: role_named(role) in there,
        lambda these: f"No message has the role {_either(these)}.{_there_are(there)}",
    )


def _of_tools(sieve: Sieve) -> Iterable[Unmet]:
    filters, history = sieve.filters, sieve.history
    if not filters.tools:
        return ()
    absent = [
        tool
        for tool in filters.tools
        if not Sieve(history, Filters(tools=(tool,)), rewound=True, stop=sieve.stop).sessions()
    ]
    known = [name for name, _ in tools_used(history, sieve.stop)] if absent else []
    return _said(
        filters.tools,
        (),
        lambda tool: tool not in absent,
        lambda these: f"No message is of a tool named {_either(these)}.{_there_are(known)}",
    )


def _of_times(sieve: Sieve) -> Iterable[Unmet]:
    after, before = sieve.filters.after, sieve.filters.before
    if after is None and before is None:
        return
    if after is not None and before is not None and after >= before:
        text = f"There is no time after {_moment(after)} and before {_moment(before)}."
        yield Unmet(Notice("filtered_out", text), True)
        return
    rows = sieve.history.rows("select min(timestamp), max(timestamp) from messages")
    oldest, newest = (number_of(cell) for cell in rows[0])
    if after is not None and newest is not None and newest < after:
        text = f"No message is after {_moment(after)}: the newest is of {_moment(newest)}."
        yield Unmet(Notice("filtered_out", text), True)
    if before is not None and oldest is not None and oldest >= before:
        text = f"No message is before {_moment(before)}: the oldest is of {_moment(oldest)}."
        yield Unmet(Notice("filtered_out", text), True)


def _of_profiles(sieve: Sieve, environ: Mapping[str, str]) -> Iterable[Unmet]:
    filters, profile = sieve.filters, sieve.history.profile.lower()
    here = f"'{clean_line(profile)}'" if profile else "outside any profile"
    if profile and profile in filters.not_profiles:
        text = f"This history is {here}, which NOT profile: leaves out."
        yield Unmet(Notice("other_profile", text), True)
    others = [p for p in filters.profiles if p != profile]
    if not others:
        return
    known = [place.profile for place in list_profiles(environ)]
    absent = [p for p in others if p not in known]
    if absent:
        there = f"Profiles with a history: {_listed(known)}" if known else "None has a history"
        text = f"There is no profile {_either(absent)}. {there}."
    else:
        named = clean_line(", ".join(others), 80)
        text = f"This history is {here}; open profile {named} with --profile to search it."
    yield Unmet(Notice("other_profile", text), profile not in filters.profiles)


def _said(
    wanted: Sequence[str],
    unwanted: Sequence[str],
    is_there: Callable[[str], bool],
    sentence: Callable[[list[str]], str],
) -> Iterable[Unmet]:
    """One sentence about the values that are not there."""
    these = [value for value in dict.fromkeys((*wanted, *unwanted)) if not is_there(value)]
    if these:
        whole = bool(wanted) and not any(map(is_there, wanted))
        yield Unmet(Notice("filter_unknown", sentence(these)), whole)


def _either(values: Sequence[str], *, quoted: bool = False) -> str:
    lines = [clean_line(value, VALUE_CHARS) for value in values]
    return " or ".join(f"'{line}'" if quoted else line for line in lines)


def _there_are(known: Sequence[str]) -> str:
    """` There are cli, tui and 2 more.`"""
    if not known:
        return " There is none."
    return f" There {'is' if len(known) == 1 else 'are'} {_listed(known)}."


def _listed(known: Sequence[str]) -> str:
    """`cli`, `cli and tui`, `cli, tui and 2 more`."""
    lines = [clean_line(value, VALUE_CHARS) or "?" for value in known]
    if len(lines) > NAMED:
        lines = [*lines[: NAMED - 1], f"{len(lines) - NAMED + 1} more"]
    return lines[0] if len(lines) == 1 else f"{', '.join(lines[:-1])} and {lines[-1]}"


def _moment(timestamp: float) -> str:
    """A date, with the time when it is not midnight; local."""
    try:
        moment = time.localtime(timestamp)
        clock = "" if (moment.tm_hour, moment.tm_min, moment.tm_sec) == (0, 0, 0) else " %H:%M"
        return time.strftime(f"%Y-%m-%d{clock}", moment)
    except (OverflowError, OSError, ValueError):
        return "an odd time"
