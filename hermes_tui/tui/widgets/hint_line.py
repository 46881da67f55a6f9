"""The key hints at the bottom: as many as there is room for, none of them cut."""

from __future__ import annotations

from collections.abc import Sequence

from hermes_tui.tui.drawing import Line, Piece, fit, justified, width
from hermes_tui.tui.widgets.one_line import OneLine

Hint = tuple[Piece, ...]


class HintLine(OneLine):
    """Hints from the left, the most important first; `last` stands at the right end."""

    _hints: Sequence[Hint] = ()
    saying: bool = False
    """Whether words stand here instead of hints."""

    def offer(self, hints: Sequence[Hint], last: Hint = ()) -> None:
        """Show these; their text must be clean already."""
        self._hints, self.saying = tuple(hints), False
        self.put([piece for hint in hints for piece in hint], last)

    def say(self, text: str) -> None:
        """Show a few words (clean text) instead."""
        self._hints, self.saying = (), True
        self.put((Piece(f" {text}", "bold"),))

    def line(self, cells: int) -> Line:
        """The hints that fit in `cells` cells; the first one is shown in any case."""
        if not self._hints:
            return super().line(cells)
        room = cells - width(self._right) - 1
        shown: list[Piece] = []
        for hint in self._hints:
            if shown and width(shown) + width(hint) > room:
                break
            shown += hint
        if width(shown) > room:
            return fit(self._right, cells) or fit(shown, cells)
        return justified(shown, self._right, cells)
