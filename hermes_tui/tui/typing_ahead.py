"""Keys that are typed ahead: each goes to where the one before it has led.

The framework hands a key to the widget that has the keyboard when the key is read. Of a fast
`/bridge` the letters would reach the conversation before its `/` has opened the prompt, and act
there as commands. Here a key waits until the one before it is done.
"""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import TypeVar

from textual import events
from textual.app import App
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget

LOST = 1.0
"""Seconds after which a key counts as done although nothing was heard of it: its widget is gone,
or what it opens takes long.
"""
AT_ONCE = frozenset({"escape", "ctrl+c", "ctrl+q"})
"""Keys that do not wait for what the one before them opens."""

Result = TypeVar("Result")


class KeyDone(Message):
    """Follows a key through the same queues: when it is back at the application, so is the key.

    rounds: how often it still goes that way. What a key does may itself be a message of its
    widget, such as the one that leaves the query bar: that is ahead of the second round.
    """

    def __init__(self, number: int, rounds: int = 2) -> None:
        super().__init__()
        self.number = number
        self.rounds = rounds


class TypingAhead(App[Result]):
    """An application whose keys and pastes are worked off one by one."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting: deque[events.Event] = deque()
        self._number = 0
        self._under_way = False
        self._held = False
        """Whether the next key waits for `unready` to end."""
        self._target: Widget
        """Where the key was given to."""
        self._top: Screen[object] | None = None
        """The screen that was on top when the key was given to a widget."""

    @property
    def behind(self) -> bool:
        """Whether a key is under way, or waits."""
        return self._under_way or bool(self._waiting)

    @property
    def unready(self) -> bool:
        """Whether what a key has opened is still on its way; say `ready` when it is there."""
        return False

    async def ready(self) -> None:
        """What was on its way is there: let the next key go."""
        if self._held:
            await self._next(self._number)

    async def on_event(self, event: events.Event) -> None:
        """Give a key on when it is its turn; anything else at once."""
        if not isinstance(event, (events.Key, events.Paste)) or event.is_forwarded:
            await super().on_event(event)
        elif self._under_way or (self.unready and getattr(event, "key", "") not in AT_ONCE):
            self._held = self._held or not self._under_way
            self._under_way = True
            self._waiting.append(event)
            self.set_timer(LOST, partial(self._next, self._number, lost=True))
        else:
            await self._give(event)

    async def _give(self, event: events.Event) -> None:
        self._number += 1
        self._under_way = True
        self._target, self._top = self.focused or self.screen, self.screen
        await super().on_event(event)
        await self._follow(KeyDone(self._number))

    async def _follow(self, done: KeyDone) -> None:
        if not self._target.post_message(done):
            await self._next(done.number)

    async def on_key_done(self, event: KeyDone) -> None:
        """Let the next key go; where a screen has opened, once that can take it."""
        if event.number != self._number:
            return
        if self.screen is not self._top:
            self._target = self._top = self.screen
            await self._follow(KeyDone(event.number, event.rounds))
        elif event.rounds > 1:
            await self._follow(KeyDone(event.number, event.rounds - 1))
        else:
            await self._next(event.number)

    async def _next(self, number: int, *, lost: bool = False) -> None:
        """Key `number` is done, unless another one is under way already."""
        if number != self._number:
            return
        self._held = bool(self._waiting) and self.unready and not lost
        if self._held:
            return
        self._under_way = False
        if self._waiting:
            await self._give(self._waiting.popleft())
