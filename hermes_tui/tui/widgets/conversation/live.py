"""A session that grows, or changes, while it is read."""

from __future__ import annotations

from dataclasses import replace

from textual.message import Message
from textual.worker import get_current_worker

from hermes_tui.history.reader import Outline
from hermes_tui.tui.widgets.conversation.finding import Finding
from hermes_tui.tui.widgets.conversation.loader import failure_of
from hermes_tui.tui.widgets.conversation.viewport import Viewport


class Live(Finding):
    """Call `check` when somebody has written to the history."""

    class OutlineRead(Message):
        """From the thread: the session as it is now."""

        def __init__(self, generation: int, outline: Outline) -> None:
            super().__init__()
            self.generation, self.outline = generation, outline

    _seen = 0  # messages there were when the reader was last at the end
    _seen_of: Viewport | None = None

    @property
    def news(self) -> int:
        """Messages that have come since the session was opened or its end was on the screen."""
        return self.total - self._seen if self._viewport else 0

    def changed(self) -> None:
        """Something that is drawn has changed."""
        super().changed()
        viewport = self._viewport
        if viewport is None:
            return
        at_end = viewport.layout.next_unit(viewport.frame()[-1][0]) is None
        if at_end or self._seen_of is not viewport:
            self._seen, self._seen_of = self.total, viewport

    def check(self) -> None:
        """Read the session's outline again; new messages appear at the end, nothing moves."""
        if self._reading is None or self.session_id is None:
            return
        generation, session_id = self._generation, self.session_id
        self.run_worker(
            lambda: self._read_outline(generation, session_id),
            group="conversation-check",
            thread=True,
            exclusive=True,
            exit_on_error=False,
        )

    def on_conversation_view_opened(self) -> None:
        """A session that was sketched is on the screen: once it is drawn, read it whole."""
        if self._reading is not None and self._reading.outline.known is not None:
            self.call_after_refresh(self.check)

    def _read_outline(self, generation: int, session_id: str) -> None:
        """The checking worker's thread."""
        worker = get_current_worker()
        try:
            outline = self._pool.get().outline(session_id)
        except Exception as error:
            self.post_message(self.Failed(failure_of(error)))
            return
        if not worker.is_cancelled:
            self.post_message(self.OutlineRead(generation, outline))

    def on_live_outline_read(self, event: OutlineRead) -> None:
        """Take over what has changed."""
        event.stop()
        if event.generation != self._generation or self._reading is None or self._viewport is None:
            return
        old, new = self._reading.outline, event.outline
        before = len(old)
        if new.ids[:before] != old.ids or not before:
            # Rows have gone: positions mean other messages now.
            self.open(
                self.session_id or "",
                anchor=self.current_id,
                hits=self._hit_ids,
                highlight=self._reading.highlight,
            )
            return
        if len(new) == before and new.visibility == old.visibility and old.known is None:
            return
        held = self._viewport.steady_line()
        self._reading = replace(self._reading, outline=new)
        self._place_hits()
        for index, body in self._bodies.items():
            if new.visibility[index] != old.visibility[index]:
                names = ("live", "archived", "rewound")
                body.visibility = names[new.visibility[index]]
        self._viewport.layout.append(new)
        if held is not None:
            self._viewport.hold(*held)
        self.changed()
