"""Asking while one types: one worker at a time, the newest question wins.

A new question cancels the running one at once (its statement ends within milliseconds), waits a
few milliseconds for the next key, and starts a worker on its own connection. Answers come back as
messages with a generation number; one that is not the newest is dropped.
"""

from __future__ import annotations

from functools import partial
from typing import Literal

from textual.screen import Screen
from textual.timer import Timer
from textual.worker import get_current_worker

from hermes_tui.history.errors import HistoryError, Interrupted
from hermes_tui.text.clean import clean_line
from hermes_tui.tui.messages import Answered, SearchFailed
from hermes_tui.tui.service import Question, SearchService

DEBOUNCE = 0.02
"""Seconds to wait for the next key; cancelling is cheap, so this only spares the processor."""

GROUP = "search"

Place = Literal["stale", "first", "further", "again"]
"""An answer to an older question, the first to the newest one, a fuller one after that, or one to
the same question asked again."""


class Searching:
    """The newest question of a screen, and the worker that answers it."""

    def __init__(self, screen: Screen[None], service: SearchService) -> None:
        self._screen = screen
        self._service = service
        self._timer: Timer | None = None
        self._generation = 0
        self.question = Question("")
        self.answered = False
        """Whether the newest question has its answer, or its error."""
        self._again = False

    def ask(self, question: Question, *, delay: float = 0.0) -> None:
        """Cancel what runs and ask this, after `delay` seconds without another question."""
        self.cancel()
        self.question = question
        self.answered = self._again = False
        self._generation += 1
        start = partial(self._start, self._generation, question)
        if delay > 0:
            self._timer = self._screen.set_timer(delay, start)
        else:
            start()

    def ask_again(self) -> None:
        """Ask the newest question once more; the answer it has counts until the next is here."""
        self.cancel()
        self._again = True
        self._generation += 1
        self._start(self._generation, self.question)

    @property
    def at_rest(self) -> bool:
        """Whether the newest question is answered in full: nothing waits, nothing runs."""
        mine = [worker for worker in self._screen.workers if worker.group == GROUP]
        return self.answered and self._timer is None and all(w.is_finished for w in mine)

    def hurry(self) -> None:
        """Ask now what still waits for the next key."""
        if self._timer is not None:
            self.ask(self.question)

    def cancel(self) -> None:
        """Stop the timer and the running worker."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if self._screen.workers.cancel_group(self._screen, GROUP):
            self._service.interrupt()

    def accept(self, generation: int) -> Place:
        """Where an answer belongs; marks the newest question as answered."""
        if generation != self._generation:
            return "stale"
        if self._again:
            return "again"
        place: Place = "further" if self.answered else "first"
        self.answered = True
        return place

    def _start(self, generation: int, question: Question) -> None:
        self._timer = None
        self._screen.run_worker(
            partial(self._answer, generation, question),
            group=GROUP,
            thread=True,
            exclusive=True,
            exit_on_error=False,
        )

    def _answer(self, generation: int, question: Question) -> None:
        """Runs in a thread: touches no widget, only posts messages."""
        worker = get_current_worker()
        try:
            for outcome in self._service.answers(question, lambda: worker.is_cancelled):
                self._screen.post_message(Answered(generation, question, outcome))
        except Interrupted:
            return
        except HistoryError as error:
            self._screen.post_message(SearchFailed(generation, str(error)))
        except Exception as error:  # whatever it was, the screen says so and goes on
            what = clean_line(f"{type(error).__name__}: {error}", 200)
            self._screen.post_message(SearchFailed(generation, f"The search failed ({what})."))
