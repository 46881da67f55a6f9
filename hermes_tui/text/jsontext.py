"""JSON as it may be printed: nothing in it acts on a terminal, and nothing is lost."""

from __future__ import annotations

import json
import math
import re
from typing import Any

# What JSON leaves raw and a terminal, or a reader, might act on.
_RAW = re.compile(
    "[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)


def json_text(value: Any, *, indent: int | None = None) -> str:
    """JSON that keeps every character readable but the ones that act, which are escaped.

    A number that JSON does not know (an infinite time) becomes null.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, indent=indent, default=str, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(value), ensure_ascii=False, indent=indent, default=str)
    return _RAW.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def _finite(value: Any) -> Any:
    """`value` with null for each number that is infinite or none."""
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
