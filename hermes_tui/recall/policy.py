"""Policies are data: what one version of session_search does, rule by rule.

The pipeline has no version in it; it reads these fields. Numbers are facts of behaviour.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hermes_tui.history.errors import HistoryError
from hermes_tui.history.lineage import RESET_REASONS
from hermes_tui.text.clean import clean_line

AGENT_ROLES = ("user", "assistant")
"""The roles session_search looks in unless it is told otherwise (fact 45)."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules one reader of a history follows.

    hidden_sources: sources never searched or listed (47). scan_rows: candidates looked at (49).
    cjk_index: uses messages_fts_cjk (12). tool_role_scans: a CJK query that asks for tool rows
    is scanned (12). scan_sees_rewound: LIKE scans ignore visibility (19). snippet_column: which
    column snippets are cut from, -1 for the best (34). substring_fallback:
    a Latin query without a match is tried on CJK and trigram (23). rebuild_gap: scans rows not
    yet indexed and says so (40, 42). recalls_compacted: the current lineage's compacted parts
    may be returned (52). scroll_guards_owner: the scroll guard looks at the session that owns
    the anchor (64). window_chars, bookend_chars: content caps, 0 for none (57). strips_ansi (57).
    drops_summaries: compaction text is no bookend (58). links: answers carry links (77).
    activity_column: recency also reads last_activity_at (74). special_characters: what the
    clean-up turns into blanks (3). percent_is_special: `%` too, where no CJK stands (3).
    relaxed_retry: words that are never found together are OR-ed at last (25). recalled_after:
    ends after which a part of the current lineage is recalled (52). skips_hidden_rows: rows of
    display_kind `hidden` are never found (27). date_filters: `after` and `before` ask for
    sessions by their start (32, 45). compact_results: all but the first result come as their
    anchor alone unless detail is asked for (56).
    everything: finds whatever matches, and uses the other rules only to say what the agent
    would make of it.
    """

    name: str
    hidden_sources: tuple[str, ...]
    scan_rows: int = 300
    cjk_index: bool = True
    tool_role_scans: bool = True
    scan_sees_rewound: bool = False
    snippet_column: int = -1
    substring_fallback: bool = True
    rebuild_gap: bool = True
    recalls_compacted: bool = True
    scroll_guards_owner: bool = True
    window_chars: int = 4_000
    bookend_chars: int = 1_200
    strips_ansi: bool = True
    drops_summaries: bool = True
    links: bool = True
    activity_column: bool = True
    special_characters: str = '+{}():"^'
    percent_is_special: bool = False
    relaxed_retry: bool = False
    recalled_after: frozenset[str] = frozenset({"compression"})
    skips_hidden_rows: bool = False
    date_filters: bool = False
    compact_results: bool = False
    everything: bool = False


HERMES = Policy("hermes", hidden_sources=("kanban", "subagent", "tool"))
"""Exactly what session_search does in 2026-08 (column 08)."""

HERMES_0_19 = replace(
    HERMES,
    name="hermes-0.19",
    hidden_sources=("subagent", "tool"),
    cjk_index=False,
    tool_role_scans=False,
    scan_sees_rewound=True,
    snippet_column=0,
    substring_fallback=False,
    rebuild_gap=False,
    recalls_compacted=False,
    scroll_guards_owner=False,
    window_chars=0,
    bookend_chars=0,
    strips_ansi=False,
    drops_summaries=False,
    links=False,
    activity_column=False,
)
"""What the 0.19.0 release does (column 19)."""

HERMES_0_21 = replace(
    HERMES,
    name="hermes-0.21",
    special_characters="+{}():\"^@/#&|~[]<>,;!?$=\\'",
    percent_is_special=True,
    relaxed_retry=True,
    recalled_after=frozenset({"compression"}) | RESET_REASONS,
    skips_hidden_rows=True,
    date_filters=True,
    compact_results=True,
)
"""What is known of later rules (column new): what they find, in which order, in how much detail.

Not in it: the scan for tool rows (12), caps on titles and reads (55, 68), bounded lists (71), and
the sentences of advice beside answers (59, 66).
"""

THOROUGH = replace(HERMES, name="thorough", everything=True)
"""Everything that matches, nothing dropped silently; compared with what HERMES would give."""

POLICIES = {policy.name: policy for policy in (THOROUGH, HERMES, HERMES_0_19, HERMES_0_21)}
"""Every policy by the name `--policy` takes."""


def policy_named(name: str) -> Policy:
    """The policy of a name; HistoryError names the known ones."""
    try:
        return POLICIES[name]
    except KeyError:
        known = ", ".join(POLICIES)
        raise HistoryError(
            f"There is no policy '{clean_line(name, 40)}'. Known policies: {known}."
        ) from None
