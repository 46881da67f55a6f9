"""The index pill: how whole the search indexes are, at the right end of the status line.

It looks again every few seconds in a thread, every second while an index is being rebuilt, so
that the numbers move while Hermes or `optimize-storage` works.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from textual.message import Message
from textual.reactive import var

from hermes_tui.history.errors import HistoryError, Interrupted, QueryError
from hermes_tui.history.reader import HistoryPool
from hermes_tui.recall.index_state import IndexState, index_states
from hermes_tui.tui.drawing import Piece
from hermes_tui.tui.widgets.one_line import OneLine

REST = 5.0
"""Seconds between two looks."""

REST_REBUILDING = 1.0
"""Seconds between two looks while an index is being rebuilt."""

GROUP = "index"


class IndexPill(OneLine):
    """`index ✓ 13,320/13,320`, or what is missing."""

    short: var[bool] = var(False)
    """Only the sign, for a narrow terminal."""

    class Changed(Message):
        """The indexes are in another state. note: a sentence while a rebuild runs, else ''."""

        def __init__(self, note: str) -> None:
            super().__init__()
            self.note = note

    class _Seen(Message):
        """What a look has found; None when the history could not be read just now."""

        def __init__(self, states: tuple[IndexState, ...] | None) -> None:
            super().__init__()
            self.states = states

    def __init__(self, pool: HistoryPool, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._pool = pool
        self.states: tuple[IndexState, ...] = ()
        self.looked = False
        """Whether the first look is over."""

    def on_mount(self) -> None:
        """Look once the screen is drawn."""
        self.call_after_refresh(self._look)

    def _look(self) -> None:
        self.run_worker(self._read, group=GROUP, thread=True, exclusive=True, exit_on_error=False)

    def _read(self) -> None:
        """Runs in a thread: only posts a message."""
        states = None
        with suppress(HistoryError, QueryError, Interrupted):
            states = index_states(self._pool.get())
        self.post_message(self._Seen(states))

    def on_index_pill__seen(self, event: _Seen) -> None:
        """Show it, tell the screen, and look again after a while."""
        event.stop()
        self.looked = True
        if event.states is not None and event.states != self.states:
            self.states = event.states
            self._show()
            self.post_message(self.Changed(rebuild_note(self.states)))
        pending = any(state.rebuild for state in self.states)
        self.set_timer(REST_REBUILDING if pending else REST, self._look)

    def watch_short(self) -> None:
        """Draw the other form."""
        self._show()

    def _show(self) -> None:
        if self.states:
            sound = not any(_needs_saying(state) for state in self.states)
            text = pill_text(self.states, short=self.short)
            self.put((Piece(text, "dim" if sound else "bold"),))


def pill_text(states: Sequence[IndexState], *, short: bool = False) -> str:
    """The pill: the base index always, the trigram and CJK index when they need saying."""
    base, *others = states
    if short:
        return f"index {'!' if any(map(_needs_saying, states)) else '✓'}"
    parts = [f"index {_sign(base)}"]
    for state in others:
        if _needs_saying(state) and not (state.kind == "trigram" and base.rebuild):
            name = "pieces" if state.kind == "trigram" else "cjk"
            parts.append(f"{name} {_sign(state)}")
    return " · ".join(parts)


def _needs_saying(state: IndexState) -> bool:
    """A history without a CJK index is as Hermes makes it."""
    return state.condition != "whole" and not (state.kind == "cjk" and state.condition == "none")


def _sign(state: IndexState) -> str:
    held = f"{state.held or 0:,}/{state.expected:,}"
    if state.condition == "whole":
        return f"✓ {held}"
    if state.condition == "rebuilding" and state.rebuild:
        return f"↻ {state.rebuild.percent} % {held}"
    return f"! {held if state.condition == 'incomplete' else state.condition}"


def rebuild_note(states: Sequence[IndexState]) -> str:
    """A sentence on the rebuild that is under way; '' when there is none."""
    for state in states:
        if state.condition == "rebuilding" and state.rebuild:
            what = "index of two-character words" if state.kind == "cjk" else "search index"
            return (
                f"The {what} is being rebuilt: {state.rebuild.percent} %, {state.held or 0:,} of "
                f"{state.expected:,} messages. The others are scanned, so nothing is lost."
            )
    return ""
