"""What each rule of the agent removed, as a table and as one line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from hermes_tui.recall.discovery import Discovery


@dataclass(frozen=True, slots=True)
class FunnelLine:
    """One rule: what it removed (negative: added) and left. moved: rows put behind the rest.

    left of a line is left of the line before minus removed, for messages and for lineages.
    """

    rule: str
    text: str
    removed: int
    left: int
    unit: Literal["message", "lineage"] = "message"
    moved: int = 0


def funnel_lines(reading: Discovery) -> tuple[FunnelLine, ...]:
    """Every rule in the agent's order; the last line leaves what the agent is given."""
    texts = _texts(reading)
    lines = [] if reading.matches.funnel else [FunnelLine("matched", texts["matched"], 0, 0)]
    for step in reading.funnel:
        if step.rule == "current_lineage":
            text = "rows of scheduled sessions, moved behind the rest"
            kept = step.left + step.removed
            lines.append(FunnelLine("cron_demoted", text, 0, kept, moved=reading.demoted))
        lineage = step.rule in ("lineage", "title", "limit")
        lines.append(
            FunnelLine(
                step.rule,
                texts.get(step.rule, step.rule),
                step.removed,
                step.left,
                "lineage" if lineage else "message",
            )
        )
    return tuple(lines)


def _texts(reading: Discovery) -> dict[str, str]:
    hidden = ", ".join(reading.policy.hidden_sources)
    return {
        "matched": f"rows that the route {reading.matches.route} matches",
        "source_filter": "in other sources than asked for",
        "date_filter": "in sessions that started at other times than asked for",
        "hidden_source": f"in sources that are never searched ({hidden})",
        "role_filter": f"in other roles than {', '.join(reading.ask.roles)}",
        "rewound": "rewound",
        "scan_limit": f"beyond the {reading.policy.scan_rows} rows that are looked at",
        "rebuild_gap": "added by reading rows that are not in the index yet",
        "current_lineage": "in the current conversation",
        "lineage": "further rows of a lineage that is in already",
        "title": "added because its title matches",
        "limit": f"beyond the limit of {reading.ask.limit}",
    }


_SHORT = {
    "source_filter": "other sources",
    "date_filter": "other times",
    "hidden_source": "hidden sources",
    "role_filter": "other roles",
    "rewound": "rewound",
    "scan_limit": "not scanned",
    "rebuild_gap": "not indexed yet",
    "current_lineage": "current conversation",
    "lineage": "same lineage",
    "title": "by title",
    "limit": "over the limit",
}


def funnel_sentence(lines: Sequence[FunnelLine]) -> str:
    """The table as one line; rules that did nothing are left out."""
    if not lines:
        return "nothing was searched"
    parts = []
    for line in lines:
        if line.rule == "matched":
            parts.append(f"{line.left:,} matched")
        elif line.moved:
            parts.append(f"({line.moved:,} scheduled last)")
        elif line.removed:
            sign = "−" if line.removed > 0 else "+"
            parts.append(f"{sign} {abs(line.removed):,} {_SHORT.get(line.rule, line.rule)}")
    return f"{' '.join(parts)} = {lines[-1].left:,} shown"
