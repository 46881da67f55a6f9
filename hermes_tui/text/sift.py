"""Which stored texts cannot hold what is looked for: told from their bytes, in a fraction of the
time it takes to decode, clean and search them.
"""

from __future__ import annotations

import re

from hermes_tui.text.clean import is_clean_utf8

_CROSSED = tuple(character.encode() for character in "\u0130\u0131\u017f\u212a")
"""Characters outside ASCII that `re.IGNORECASE` takes for an i, s or k."""


class Sift:
    """Lets a stored text through when `wanted` may be in it, with or without regard to case."""

    def __init__(self, wanted: str, *, ignore_case: bool) -> None:
        self._wanted = re.compile(re.escape(wanted), re.IGNORECASE if ignore_case else 0)
        self._ignore_case = ignore_case
        # Decoding makes U+FFFD of many bytes: looking for it says nothing about them.
        self._anything = not wanted.isprintable() or "\N{REPLACEMENT CHARACTER}" in wanted
        # The longest stretch whose bytes tell whether it is there.
        piece = max(_caseless(wanted), key=len).lower() if ignore_case else wanted
        self._piece = b"" if self._anything else piece.encode()
        self._crossed = _CROSSED if ignore_case and set("isk") & set(wanted.lower()) else ()

    def may_hold(self, stored: bytes) -> bool:
        """False only when `wanted` is not in the clean text of these bytes."""
        return (
            self._anything
            or self._holds(stored)
            or (not stored.isascii() and any(odd in stored for odd in self._crossed))
            or not is_clean_utf8(stored)  # what is removed or replaced may have been in its way
        )

    def _holds(self, stored: bytes) -> bool:
        if not self._piece:  # every letter has a case outside ASCII
            return self._wanted.search(stored.decode("utf-8", errors="replace")) is not None
        return self._piece in (stored.lower() if self._ignore_case else stored)


def _caseless(text: str) -> list[str]:
    """The stretches of a text whose letters have no case, or only that of A to Z."""
    plain = (c if c.isascii() or c.lower() == c == c.upper() else "\0" for c in text)
    return "".join(plain).split("\0")
