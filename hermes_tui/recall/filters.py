"""The filters of a query: `source:cli`, `NOT role:tool`, `after:7d`, read one by one. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches

from hermes_tui.history.locate import parse_link
from hermes_tui.recall.dates import read_moment
from hermes_tui.recall.outcome import Notice
from hermes_tui.text.clean import clean_line

FILTERS = ("source", "role", "tool", "title", "cwd", "session", "profile", "before", "after")
_WHOLE_WHEN_QUOTED = frozenset({"title", "cwd"})  # commas are a part of these


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions beside the words. after/before: Unix seconds; values are lower case.

    Values of one filter are alternatives; those of its `not_` twin are all left out.
    """

    sources: tuple[str, ...] = ()
    not_sources: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    not_roles: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    not_tools: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    not_titles: tuple[str, ...] = ()
    cwds: tuple[str, ...] = ()
    not_cwds: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    not_sessions: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()
    not_profiles: tuple[str, ...] = ()
    after: float | None = None
    before: float | None = None

    @property
    def any(self) -> bool:
        """Whether anything is filtered."""
        return self != NO_FILTERS


NO_FILTERS = Filters()


@dataclass(slots=True)
class FilterReading:
    """What the filters of a query say so far. now: Unix seconds that `7d` counts from."""

    now: float
    values: dict[str, list[str]] = field(default_factory=dict)
    moments: dict[str, float] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)

    @property
    def any(self) -> bool:
        """Whether a filter was read."""
        return bool(self.values or self.moments)

    def take(self, name: str, value: str, *, negated: bool, quoted: bool = False) -> bool:
        """Take `name:value` as a filter if it is one; else say what it may have been meant as."""
        name = name.lower()
        whole = quoted and name in _WHOLE_WHEN_QUOTED
        parts = [part for v in ([value] if whole else value.split(",")) if (part := v.strip())]
        if name not in FILTERS:
            near = get_close_matches(name, FILTERS, n=1, cutoff=0.75) if value else []
            if near:
                text = f"Did you mean {near[0]}: instead of {name}:?"
                self.notices.append(Notice("did_you_mean", text))
            return False
        if not parts:
            text = f"{name}: stands there without a value: it is searched as text."
            self.notices.append(Notice("empty_filter", text))
            return False
        if name in ("before", "after"):
            return self._take_moment(name, value, negated)
        key = f"not_{name}" if negated else name
        self.values.setdefault(key, []).extend(parts)
        return True

    def _take_moment(self, name: str, value: str, negated: bool) -> bool:
        moment = read_moment(value, now=self.now)
        if moment is None:
            self.notices.append(
                Notice(
                    "bad_date",
                    f"'{clean_line(value, 40)}' is no date: write 2026-05-31, 7d, 2w or yesterday. "
                    f"It is searched as text.",
                )
            )
            return False
        if negated:
            name = "after" if name == "before" else "before"
        narrowest = max if name == "after" else min
        self.moments[name] = narrowest(moment, self.moments.get(name, moment))
        return True

    def filters(self) -> Filters:
        """All of them."""

        def values(name: str) -> tuple[str, ...]:
            return tuple(value.lower() for value in self.values.get(name, ()))

        return Filters(
            sources=values("source"),
            not_sources=values("not_source"),
            roles=values("role"),
            not_roles=values("not_role"),
            tools=values("tool"),
            not_tools=values("not_tool"),
            titles=values("title"),
            not_titles=values("not_title"),
            cwds=values("cwd"),
            not_cwds=values("not_cwd"),
            sessions=tuple(map(_id_in, values("session"))),
            not_sessions=tuple(map(_id_in, values("not_session"))),
            profiles=values("profile"),
            not_profiles=values("not_profile"),
            after=self.moments.get("after"),
            before=self.moments.get("before"),
        )


def _id_in(value: str) -> str:
    """The id in a value, which may be a pasted link."""
    link = parse_link(value)
    return link.session_id if link else value
