"""Dates as people type them in `before:` and `after:`."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

_SPAN = re.compile(r"(\d{1,5})(h|d|w|mo|m|y)", re.IGNORECASE)
_HOURS = {"h": 1, "d": 24, "w": 24 * 7, "mo": 24 * 30, "m": 24 * 30, "y": 24 * 365}
_FORMS = ("%Y-%m-%d", "%Y-%m", "%Y", "%Y/%m/%d", "%Y%m%d")


def read_moment(text: str, *, now: float) -> float | None:
    """Unix seconds for `2026-05-31`, `2026-05`, an ISO time, `7d`, `2w`, `today`, `yesterday`.

    A date without a time is the beginning of that day, local time. None when it is no date.
    """
    text = text.strip().lower()
    try:
        if text in ("now", "today", "yesterday"):
            if text == "now":
                return now
            midnight = datetime.fromtimestamp(now).replace(
                hour=0, minute=0, second=0, microsecond=0
            )
            return (midnight - timedelta(days=text == "yesterday")).timestamp()
        span = _SPAN.fullmatch(text)
        if span:
            return now - int(span[1]) * _HOURS[span[2].lower()] * 3600
        for form in _FORMS:
            try:
                return datetime.strptime(text, form).timestamp()
            except ValueError:
                continue
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        return None
