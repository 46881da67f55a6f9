"""Why an answer is empty: sentences that are true under the filters that were asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hermes_tui.recall.discovery import Discovery
from hermes_tui.recall.filtering import Sieve
from hermes_tui.recall.outcome import Notice
from hermes_tui.recall.policy import Policy
from hermes_tui.recall.query import Query
from hermes_tui.recall.routes import LEAST_TRIGRAM
from hermes_tui.recall.tiers import Tiers
from hermes_tui.recall.unmet import unmet

CAUSES = frozenset({"nothing_to_find", "only_not", "rewound_hidden"})
"""Codes of notices that say by themselves why an answer is empty."""
AGENTS_CAUSES = CAUSES | {"query_emptied", "query_unreadable"}
"""The same for an answer that is the agent's."""

_ADVICE = "Try fewer or other words, or the beginning of a word with * behind it."


def why_empty(
    tree: Query,
    tiers: Tiers,
    sieve: Sieve,
    told: Sequence[Notice],
    environ: Mapping[str, str],
) -> list[Notice]:
    """What is still to be said about a thorough answer without a line, beside what is `told`."""
    causes = unmet(sieve, environ, thoroughly=True)
    missing = [cause.notice for cause in causes]
    if any(cause.whole for cause in causes) or any(n.code in CAUSES for n in told):
        return missing
    if tree.node is None:
        text = "No session passes these filters together. Fewer of them find more."
        return [*missing, Notice("filtered_out", text)]
    if sieve.any and (without := _without_filters(tiers, sieve)):
        return [*missing, Notice("filtered_out", without)]
    return [*missing, Notice("no_match", _no_match(tree))]


def _without_filters(tiers: Tiers, sieve: Sieve) -> str:
    """How many messages match when the filters are left out; '' for none."""
    rows = [c for c in tiers.rows.values() if sieve.rewound or c.visibility != "rewound"]
    if not rows:
        return ""
    exact = any(not tiers.labels[c.message_id] for c in rows)
    number = "1 message" if len(rows) == 1 else f"{len(rows):,} messages"
    one = len(rows) == 1
    does = ("does" if one else "do") if exact else f"{'holds' if one else 'hold'} a part of it"
    return f"Nothing that passes the filters matches; without them {number} {does}."


def _no_match(tree: Query) -> str:
    """Says no more than what was looked for: see tiers."""
    nothing = "No message of this history"
    if tree.has_operators:
        return f"{nothing} matches. A query with OR or NOT is taken as it stands: {_lower(_ADVICE)}"
    terms = tree.terms
    if any(t.tokens and not t.has_cjk and len(t.typed) < LEAST_TRIGRAM for t in terms):
        return (
            f"{nothing} matches. Parts of words are looked for when each has {LEAST_TRIGRAM} "
            f"letters: {_lower(_ADVICE)}"
        )
    if len(terms) > 1:
        return f"{nothing} holds any of these words, nor all of them inside longer ones. {_ADVICE}"
    apart = any(term.phrase and len(term.tokens) > 1 for term in terms)
    advice = "Without quotes its words may stand apart." if apart else "Try other words."
    return f"{nothing} holds this, not even inside a longer word. {advice}"


def _lower(text: str) -> str:
    return text[0].lower() + text[1:]


def why_agents_empty(
    policy: Policy, reading: Discovery, roles: Sequence[str], told: Sequence[Notice]
) -> list[Notice]:
    """Why an agent's answer is without a line, from its funnel."""
    if any(notice.code in AGENTS_CAUSES for notice in told):
        return []
    funnel = reading.funnel
    removed = {step.rule: step.removed for step in funnel if step.removed > 0}
    matched = funnel[0].left if funnel else 0
    causes = {
        "hidden_source": "in sources the agent does not search",
        "role_filter": "in other roles" if roles else "in roles the agent does not search",
        "rewound": "rewound",
        "current_lineage": "in the current conversation",
    }
    parts = [f"{removed[rule]:,} {words}" for rule, words in causes.items() if rule in removed]
    if not matched or not parts:
        text = f"By the rules of {policy.name} no message matches. {_ADVICE}"
        return [Notice("no_match", text)]
    what = "1 message matches" if matched == 1 else f"{matched:,} messages match"
    return [Notice("all_removed", f"{what}, but none is left: {', '.join(parts)}.")]
