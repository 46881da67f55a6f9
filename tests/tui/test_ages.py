from __future__ import annotations

import math

import pytest

from hermes_tui.tui.ages import age

DAY = 86_400
NOW = 1_800_000_000.0


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "now"),
        (59, "now"),
        (60, "1m"),
        (3_599, "59m"),
        (3_600, "1h"),
        (DAY - 1, "23h"),
        (2 * DAY, "2d"),
        (13.9 * DAY, "13d"),
        (14 * DAY, "2w"),
        (60 * DAY, "8w"),
        (92 * DAY, "3mo"),
        (700 * DAY, "22mo"),
        (800 * DAY, "2y"),
        (-30, "now"),
        (-2 * DAY, "+2d"),
    ],
)
def test_ages(seconds: float, text: str) -> None:
    assert age(NOW - seconds, NOW) == text


@pytest.mark.parametrize("when", [None, math.nan, math.inf, -math.inf, 1e300, -1e18])
def test_no_age_for_a_time_that_is_none(when: float | None) -> None:
    assert age(when, NOW) == ""


def test_zero_is_a_time_long_ago() -> None:
    assert age(0.0, NOW) == "57y"
