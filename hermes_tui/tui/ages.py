"""How long ago, in at most four characters or so."""

from __future__ import annotations

import math

_MINUTE = 60
_HOUR = 60 * _MINUTE
_DAY = 24 * _HOUR
_WEEK = 7 * _DAY
_MONTH = 30.44 * _DAY
_YEAR = 365.25 * _DAY


def age(when: float | None, now: float) -> str:
    """`when` (Unix seconds) seen from `now`: `now`, `5m`, `3h`, `2d`, `5w`, `3mo`, `2y`.

    '' when there is no usable time; a time ahead of the clock has a `+`.
    """
    if when is None or not math.isfinite(when):
        return ""
    seconds = now - when
    sign = "+" if seconds < -_MINUTE else ""
    seconds = abs(seconds)
    if seconds < _MINUTE:
        return "now"
    for limit, unit, name in (
        (_HOUR, _MINUTE, "m"),
        (_DAY, _HOUR, "h"),
        (2 * _WEEK, _DAY, "d"),
        (2 * _MONTH, _WEEK, "w"),
        (2 * _YEAR, _MONTH, "mo"),
    ):
        if seconds < limit:
            return f"{sign}{int(seconds // unit)}{name}"
    years = int(seconds // _YEAR)
    return f"{sign}{years}y" if years < 1000 else ""
