"""What was typed here, as the agent would ask it."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence

from hermes_tui.history.statements import bindable
from hermes_tui.recall.discovery import Ask
from hermes_tui.recall.matching import Sort
from hermes_tui.recall.policy import AGENT_ROLES
from hermes_tui.recall.query import parse_query
from hermes_tui.recall.shapes import MAX_LIMIT, cjk_enabled

DEFAULT_LIMIT = 3


def agent_ask(
    query: str,
    *,
    limit: int = DEFAULT_LIMIT,
    sort: Sort | None = None,
    roles: Sequence[str] = (),
    current_session: str | None = None,
    full_detail: bool = False,
    environ: Mapping[str, str] | None = None,
) -> Ask:
    """A call of session_search, without the filters that only this program knows.

    limit: cut to the 1 to 10 that the tool allows (44).
    """
    typed = bindable(query)
    tree = parse_query(typed, now=time.time())
    return Ask(
        tree.text if tree.filters.any else typed,
        limit=max(1, min(MAX_LIMIT, limit)),
        sort=sort,
        roles=tuple(roles) or AGENT_ROLES,
        current_session=current_session,
        cjk_enabled=cjk_enabled(os.environ if environ is None else environ),
        full_detail=full_detail,
    )


def arguments_of(ask: Ask) -> dict[str, object]:
    """A call as the tool's arguments; what the tool takes for granted is left out."""
    arguments: dict[str, object] = {"query": ask.query, "limit": ask.limit}
    if ask.sort is not None:
        arguments["sort"] = ask.sort
    if ask.roles != AGENT_ROLES:
        arguments["role_filter"] = ",".join(ask.roles)
    if ask.current_session is not None:
        arguments["current_session_id"] = ask.current_session
    if ask.full_detail:
        arguments["detail"] = "full"
    return arguments
