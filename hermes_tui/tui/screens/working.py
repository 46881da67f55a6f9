"""Work that must not hold up the screen, and what is said about it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from textual.message import Message
from textual.worker import get_current_worker

from hermes_tui.tui.outside import Outside
from hermes_tui.tui.screens.parts import Parts
from hermes_tui.tui.widgets.conversation.loader import failure_of

T = TypeVar("T")

TOAST_SECONDS = 4.0


class Working(Parts, inherit_bindings=False):
    """`outside` None: nothing but the terminal may be used."""

    outside: Outside | None = None

    class _Done(Message):
        """A thread has something for the screen to do."""

        def __init__(self, call: Callable[[], None]) -> None:
            super().__init__()
            self.call = call

    def in_thread(self, work: Callable[[], T], done: Callable[[T], None], group: str) -> None:
        """Do `work` in a thread and `done` with its result on the screen; newer work of the same
        group takes its place. What goes wrong is said.
        """
        self.run_worker(
            partial(self._run, work, done),
            group=group,
            thread=True,
            exclusive=True,
            exit_on_error=False,
        )

    def _run(self, work: Callable[[], T], done: Callable[[T], None]) -> None:
        worker = get_current_worker()
        try:
            call = partial(done, work())
        except Exception as error:  # whatever it was, the screen says so and goes on
            call = partial(self.toast, failure_of(error), failed=True)
        if not worker.is_cancelled:
            self.post_message(self._Done(call))

    def on_working__done(self, event: _Done) -> None:
        """Do it."""
        event.stop()
        event.call()

    def toast(self, text: str, *, failed: bool = False) -> None:
        """Say something (clean text) for a few seconds, in the place of what was said before: a
        pile of remarks would hide what somebody reads.
        """
        self.app.clear_notifications()
        self.app.notify(
            text,
            severity="error" if failed else "information",
            timeout=TOAST_SECONDS,
            markup=False,
        )
