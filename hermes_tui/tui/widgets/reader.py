"""The conversation view with the keys of the registry, and keys that follow each other."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message

from hermes_tui.history.reader import HistoryPool
from hermes_tui.tui.commands import bindings, chord, starts_chord
from hermes_tui.tui.widgets.conversation import ConversationView


@dataclass
class HitsEnd(Message):
    """The reader wants to go to a hit beyond the last (1) or first (-1) one of the session."""

    direction: int


class HomeWanted(Message):
    """The reader wants back to the session of the result, from another one of its lineage."""


class Reader(ConversationView, inherit_bindings=False):
    """What a person reads in."""

    BINDINGS: ClassVar[list[BindingType]] = list(bindings("conversation"))

    def __init__(
        self,
        pool: HistoryPool,
        *,
        now: Callable[[], float] = time.time,
        keymap: Mapping[str, str] | None = None,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(pool, now=now, id=id)
        self._keymap = keymap or {}
        self._first_key = ""
        self.home: str | None = None
        """The session of the result that is open."""

    def action_anchor(self) -> None:
        """Back to the hit of the result, also out of another session."""
        if self.home in (None, self.session_id):
            super().action_anchor()
        else:
            self.post_message(HomeWanted())

    async def on_key(self, event: events.Key) -> None:
        """Wait for the second key of `z R` and its like, and do what the two mean."""
        first, self._first_key = self._first_key, ""
        key = event.character if event.is_printable else event.key
        if first:
            event.stop()
            event.prevent_default()
            command = chord(f"{first} {key}", "conversation", self._keymap)
            if command is not None:
                await self.app.run_action(command.action, self)
        elif key and starts_chord(key, "conversation", self._keymap):
            event.stop()
            event.prevent_default()
            self._first_key = key

    def _go_to_hit(self, number: int, direction: int) -> None:
        if 0 <= number < self.hit_count:
            super()._go_to_hit(number, direction)
        else:
            self.post_message(HitsEnd(direction))
