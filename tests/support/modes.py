"""What a program has left a terminal in."""

from __future__ import annotations

import re


def modes_left(output: bytes) -> dict[bytes, bytes]:
    """The last state of every private terminal mode that was set or reset: `h` or `l`."""
    last: dict[bytes, bytes] = {}
    for numbers, state in re.findall(rb"\x1b\[\?([0-9;]+)([hl])", output):
        for number in numbers.split(b";"):
            last[number] = state
    return last
