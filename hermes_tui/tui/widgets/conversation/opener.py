"""Opening a session in a conversation view, in a thread, and putting it on the screen."""

from __future__ import annotations

from dataclasses import replace

from textual.events import Resize
from textual.worker import get_current_worker

from hermes_tui.history.errors import Interrupted
from hermes_tui.text.clean import clean_line
from hermes_tui.tui.widgets.conversation import events
from hermes_tui.tui.widgets.conversation.base import WINDOW, ConversationBase
from hermes_tui.tui.widgets.conversation.document import Highlight
from hermes_tui.tui.widgets.conversation.loader import Superseded, failure_of
from hermes_tui.tui.widgets.conversation.opening import Opened, Request, open_session
from hermes_tui.tui.widgets.conversation.viewport import Viewport


class Opens(ConversationBase):
    """`open` and `clear`."""

    opening = False
    """Whether a session has been asked for and is not on the screen yet."""
    _request: Request | None = None  # what is to be opened once there is a size

    def open(
        self,
        session_id: str,
        *,
        anchor: int | None = None,
        hits: tuple[int, ...] = (),
        highlight: Highlight | None = None,
    ) -> None:
        """Show a session at a message; what is on the screen stays until the new one is read."""
        self._generation += 1
        self.session_id, self.anchor_id = session_id, anchor
        self.window = WINDOW
        self.opening = True
        self._request = Request(
            *(self._generation, session_id, anchor, hits, highlight),
            *(self._text_width(), self.window),
        )
        if self.size.width:
            self._start_opening()

    def clear(self, reason: str = "") -> None:
        """Show nothing but a sentence."""
        self._generation += 1
        self._request = None
        self.opening = False
        self.session_id = self.anchor_id = None
        self._reason = clean_line(reason)
        self._forget()
        self.refresh()
        self.post_message(self.Moved())

    def _start_opening(self) -> None:
        request, self._request = self._request, None
        if request is None:
            return
        request = replace(request, width=self._text_width())
        self.run_worker(
            lambda: self._read_session(request),
            group="conversation-open",
            thread=True,
            exclusive=True,
            exit_on_error=False,
        )

    def _read_session(self, request: Request) -> None:
        """The opening worker's thread."""
        worker = get_current_worker()

        def pause() -> None:
            self._loader.pace.rest()
            if worker.is_cancelled or request.generation != self._generation:
                raise Superseded

        while True:
            try:
                opened = open_session(self._pool.get(), request, pause)
            except Superseded:
                return
            except Interrupted:
                # Somebody else's question was stopped; ours still stands unless it is superseded.
                if worker.is_cancelled or request.generation != self._generation:
                    return
                continue
            except Exception as error:  # an answer that cannot be given is said, whatever it is
                opened = Opened(request, failure=failure_of(error))
            self.post_message(events.SessionRead(opened))
            return

    def on_conversation_base_session_read(self, event: events.SessionRead) -> None:
        """Put a session on the screen."""
        event.stop()
        opened = event.opened
        if opened.request.generation != self._generation:
            return
        self.opening = False
        self._forget()
        if opened.context is None or opened.layout is None:
            self._reason = opened.failure
            self.refresh()
            self.post_message(self.Failed(opened.failure))
            return
        self._reading = opened.context
        self._hit_ids = opened.request.hits
        opened.layout.set_shown(tools=self._level != "off")
        self._viewport = Viewport(opened.layout, self.size.height)
        self._place_hits()
        if opened.layout.anchor is None:
            self.anchor_id = None
        self._store(opened.bodies or {})
        centre = opened.layout.anchor
        self.go_to(centre or 0, row=None if centre is not None else 0)
        if opened.context.width != self._text_width():
            self._change_width()
        self.post_message(self.Opened(opened.notice))

    def on_resize(self, event: Resize) -> None:
        """A session that was asked for before there was room for it."""
        if self._request is not None and event.size.width:
            self._start_opening()
