"""A line of text that is typed or pasted: what comes into it is clean and on one line."""

from __future__ import annotations

import re

from textual import events
from textual.widgets import Input

from hermes_tui.text.clean import clean

PASTE_LIMIT = 4096
"""Characters that a paste may bring; more is no query, and the field would crawl."""

_BREAKS = re.compile(r"[\n\t][\n\t ]*")


class CleanInput(Input):
    """An Input that takes pastes of several lines, cleaned."""

    def _on_paste(self, event: events.Paste) -> None:
        """Join the lines, clean them and cut them; the stock field takes the first line raw.

        `prevent_default` keeps the base class from pasting a second time.
        """
        event.stop()
        event.prevent_default()
        text = _BREAKS.sub(" ", clean(event.text[: 4 * PASTE_LIMIT]).lstrip("\n"))
        self.replace(text[:PASTE_LIMIT], *self.selection)
