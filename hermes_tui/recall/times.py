"""Times as the tool prints them (fact 48)."""

from __future__ import annotations

from datetime import datetime


def when_text(timestamp: float | None) -> str:
    """Unix seconds as local `%B %d, %Y at %I:%M %p`; odd values as they are."""
    if timestamp is None:
        return "unknown"
    try:
        return datetime.fromtimestamp(timestamp).strftime("%B %d, %Y at %I:%M %p")
    except (OverflowError, OSError, ValueError):
        return str(timestamp)
