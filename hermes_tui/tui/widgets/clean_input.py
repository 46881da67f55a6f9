"""A line of text that is typed or pasted: what comes into it is clean and on one line."""

from __future__ import annotations

import re

from textual import events
from textual.geometry import Offset
from textual.widgets import Input

from hermes_tui.text.clean import clean

PASTE_LIMIT = 4096
"""Characters that a paste may bring; more is no query, and the field would crawl."""

_BREAKS = re.compile(r"[\n\t][\n\t ]*")


class CleanInput(Input):
    """An Input that takes pastes of several lines, cleaned, and says exactly where its caret is.

    An input method shows its candidates at the terminal's own cursor. The stock field puts that one
    cell too far at the end of the text, and leaves it behind when the text scrolls.
    """

    @property
    def cursor_screen_offset(self) -> Offset:
        """The cell of the caret on the screen."""
        x, y = self.content_region.offset
        return Offset(x + self._position_to_cell(self.cursor_position) - self.scroll_offset.x, y)

    def watch_scroll_x(self, old_value: float, new_value: float) -> None:
        """The text has scrolled under the caret."""
        super().watch_scroll_x(old_value, new_value)
        if self.has_focus:
            self.app.cursor_position = self.cursor_screen_offset

    def _on_paste(self, event: events.Paste) -> None:
        """Join the lines, clean them and cut them; the stock field takes the first line raw.

        `prevent_default` keeps the base class from pasting a second time.
        """
        event.stop()
        event.prevent_default()
        text = _BREAKS.sub(" ", clean(event.text[: 4 * PASTE_LIMIT]).lstrip("\n"))
        self.replace(text[:PASTE_LIMIT], *self.selection)
