"""What a search returns: lineages in order, the funnel, notices. Frozen, without I/O.

Unseen reasons and notice codes are a fixed vocabulary; the README and the JSON use these words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Route = Literal["empty", "fts5", "fts_cjk", "trigram", "like_scan"]

UnseenReason = Literal[
    "beyond_limit",
    "beyond_scan",
    "hidden_source",
    "role_filter",
    "current_lineage",
    "lost_in_lineage",
    "query_unreadable",
    "not_matched",
    "index_incomplete",
    "rewound",
]

UNSEEN_TEXT: dict[UnseenReason, str] = {
    "beyond_limit": "after the agent's limit",
    "beyond_scan": "beyond the rows the agent scans",
    "hidden_source": "source hidden from the agent",
    "role_filter": "only in a role the agent does not search",
    "current_lineage": "the agent's current conversation",
    "lost_in_lineage": "another hit speaks for its lineage",
    "query_unreadable": "the agent cannot read this query",
    "not_matched": "the agent's route does not match it",
    "index_incomplete": "not in the index the agent uses",
    "rewound": "rewound",
}


@dataclass(frozen=True, slots=True)
class Unseen:
    """Why the agent does not see a lineage: a reason of the vocabulary, and its numbers."""

    reason: UnseenReason
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something a reader must know about the answer. `code` is stable, `text` is a sentence."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class FunnelStep:
    """One rule: its name, how many candidates (messages, or lineages) it removed and left."""

    rule: str
    removed: int
    left: int


@dataclass(frozen=True, slots=True)
class LineageHit:
    """One lineage of an answer.

    rank: place in this answer, from 1. root: session id at the top. session_id and message_id:
    the hit that speaks for the lineage (message_id None for a title match without messages).
    hits: matching message ids, best first, at most 1,000. matched/total: messages of the lineage
    that match, and that exist. agent_rank: place in session_search's answer, else `unseen` says
    why not. when: Unix seconds of the hit's session. label: how a looser reading matched
    ("substring", "relaxed", "title", "id"), '' for an exact one.
    """

    rank: int
    root: str
    session_id: str
    message_id: int | None
    hits: tuple[int, ...]
    matched: int
    total: int
    agent_rank: int | None
    unseen: Unseen | None
    title: str | None
    root_title: str | None
    when: float | None
    root_when: float | None
    source: str
    role: str
    snippet: str
    marks: tuple[tuple[int, int], ...]
    link: str
    demoted: bool = False
    label: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A whole answer. elapsed_ms: milliseconds. complete: False while a scan still runs.

    filters_only: no word was asked for, so the lineages are those that pass the filters.
    """

    query: str
    policy: str
    route: Route
    elapsed_ms: float
    lineages: tuple[LineageHit, ...] = ()
    funnel: tuple[FunnelStep, ...] = ()
    notices: tuple[Notice, ...] = ()
    complete: bool = True
    agent_limit: int = 3
    sanitised: str = ""
    filters_only: bool = False

    @property
    def agent_sees(self) -> int:
        """How many of the lineages are in the agent's answer."""
        return sum(1 for lineage in self.lineages if lineage.agent_rank is not None)
