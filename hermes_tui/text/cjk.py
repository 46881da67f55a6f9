"""Which characters count as Chinese, Japanese or Korean, for routing and for cutting words."""

from __future__ import annotations

import re

_ROUTED = (
    "\u3000-\u303f"  # CJK punctuation counts too, in Hermes' test
    "\u3040-\u309f\u30a0-\u30ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    "\U00020000-\U0002a6df"
)
_ROUTED_CHAR = re.compile(f"[{_ROUTED}]")
_ROUTED_RUN = re.compile(f"[{_ROUTED}]+")


def has_cjk(text: str) -> bool:
    """Whether session_search treats a query as CJK (facts, section B)."""
    return _ROUTED_CHAR.search(text) is not None


def count_cjk(text: str) -> int:
    """How many characters of `text` session_search counts as CJK."""
    return len(_ROUTED_CHAR.findall(text))


def has_lone_cjk(text: str) -> bool:
    """Whether some run of CJK characters is a single one, which bigrams cannot find (fact 88)."""
    return any(len(run) == 1 for run in _ROUTED_RUN.findall(text))
